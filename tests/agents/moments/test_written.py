"""The names of code that an edit adds, and the memories that forbid one."""

from __future__ import annotations

from support.each import each

from gitmem.agents.event import Edit
from gitmem.agents.moments.written import added_names, forbids

FORBIDDEN = [
    ("Write Time.zone.today, never Date.today: servers run in UTC.", "  starts = Date.today"),
    ("Use `business_day()` and never `date.today()`.", "day = datetime.date.today()"),
    ("datetime.utcnow is banned: it returns naive times.", "now = datetime.datetime.utcnow()"),
    ("Avoid `print` in the service: logs are JSON lines.", "print(x)"),
    ("Use useQuery instead of useEffect for loading data.", "useEffect(() => {"),
    ("Don\u2019t use unwrap() in the daemon.", "let f = open(p).unwrap();"),
    ("fmt.Println must not be used in handlers.", "fmt.Println(err)"),
    ("Do not import lodash.merge.", "import merge from 'lodash.merge'"),
    ("os.popen is forbidden.", "os.popen(x)"),
    ("Never use os.popen or os.execvp.", "os.execvp(a)"),
    ("Prefer parse_iso over parse_any for dates.", "parse_any(x)"),
    ("Replace http_get with client_get everywhere.", "http_get(x)"),
    ("send_mail blocks the event loop, so don't use it in handlers.", "send_mail(x)"),
    ("Stay away from eval_expr: it runs user input.", "eval_expr(x)"),
    ("Stop using yaml_load: it runs code.", "yaml_load(x)"),
    ("Get rid of every print_debug before you commit.", "print_debug()"),
    ("Nobody should call drop_cache in production.", "drop_cache()"),
    ("Iterate over sorted_keys, not over raw_keys.", "raw_keys()"),
]
OTHER = [
    ("Write Time.zone.today, never Date.today: servers run in UTC.", "  starts = Time.zone.today"),
    ("Use `business_day()` and never `date.today()`.", "day = business_day()"),
    ("The report says not to print on both sides.", "print(x)"),
    ("Never merge without run_checks having passed.", "run_checks()"),
    ("Always call close_pool before a fork, never after.", "close_pool()"),
    ("parse_rates is not the slow part: the query is.", "parse_rates(x)"),
    ("The worker does not use send_mail; the outbox does.", "send_mail(to)"),
    ("Never call my_date.today: it is cached.", "date.today()"),
    ("Do not rename parse_rates: mobile calls it.", "parse_rates(x)"),
    ("Never pass None to parse_rates.", "parse_rates(x)"),
    ("You need not call init_app.", "init_app()"),
    ("Never time.time -> clock.now", "clock.now()"),
    ("time.sleep is not banned in scripts.", "time.sleep(1)"),
    ("parse_rates may not return None.", "parse_rates(x)"),
    ("It isn't possible to avoid calling flush_all here.", "flush_all()"),
    ("You cannot avoid importing config_global.", "config_global()"),
    ("Prefer parse_iso over parse_any for dates.", "parse_iso(x)"),
    ("Replace http_get with client_get everywhere.", "client_get(x)"),
    ("Loop over all_tenants before you close.", "all_tenants()"),
    ("open_session, not start_session, is slow.", "start_session()"),
    ("We stopped using yaml_load in 2023.", "yaml_load(x)"),
    ("Call init_app first; close_pool waits, so do not call it there.", "init_app()"),
    ("Never call emit_event from on_commit.", "on_commit()"),
]


@each(("memory", "added"), FORBIDDEN)
def test_memory_forbids_a_name_that_was_added(memory: str, added: str) -> None:
    assert any(forbids(memory, name) for name in added_names([Edit("src/a.py", "", added)]))


@each(("memory", "added"), OTHER)
def test_memory_that_recommends_or_mentions_a_name_does_not_forbid_it(memory: str, added: str) -> None:
    assert not any(forbids(memory, name) for name in added_names([Edit("src/a.py", "", added)]))


def test_names_that_were_there_before_and_names_in_prose_are_not_added() -> None:
    assert added_names([Edit("a.py", "os.chdir(a)", "os.chdir(b)"), Edit("README.md", "", "os.chdir(a)")]) == []
