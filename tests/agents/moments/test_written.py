"""The names of code that an edit adds, and the memories that forbid one."""

from __future__ import annotations

import time

from support.each import each

from gitmem.agents.event import Edit
from gitmem.agents.moments.written import added_commands, added_names, imported_packages, speaks_against

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
    ("Date.today put invoices into the wrong year; use customer.today.", "due_on < Date.today"),
    ("http.Client without a Timeout hung all workers. Always set one.", "var client = &http.Client{}"),
    ("Add indexes with algorithm: :concurrently. A plain add_index locked the table.", "  add_index :invoices, :day"),
    ("LightGBM with num_threads=-1 deadlocks in the runner.", "LGBMRegressor(num_threads=-1, **params)"),
    ("No inplace=True in pandas code: it hid a bug.", "df.dropna(inplace = True)"),
    ("Never pass verify=False.", "requests.get(url, verify=False)"),
    ("Use client_get: http_get hung twice.", "http_get()"),
    ("Use sha256, never md5, for names.", "hashlib.md5(x)"),
    ("`int64` broke billing once.", "x: int64"),
    ("Avoid unwrap() in the daemon.", "list.first().unwrap()"),
    ("parse_any needs a zone. Call `parse_iso` instead.", "parse_any(x)"),
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
    ("Date.today put invoices into the wrong year; use customer.today.", "due_on < customer.today"),
    ("http.Client without a Timeout hung all workers.", "&http.Client{Timeout: 5 * time.Second}"),
    ("Use algorithm: :concurrently. A plain add_index locked the table.", "add_index :a, algorithm: :concurrently"),
    ("LightGBM with num_threads=-1 deadlocks in the runner.", "LGBMRegressor(num_threads=4)"),
    ("Without close_pool() workers hang after a fork.", "close_pool()"),
    ("Call init_app first, or requests fail.", "init_app(app)"),
    ("Always call flush_all at the end, it lost rows otherwise.", "flush_all()"),
    ("Dashboards break when queue_depth is renamed.", "queue_depth = 3"),
    ("parse_rates is fast. Tests fail where TZ is not set.", "parse_rates(x)"),
    ("retry_get fixed the bug where uploads hung.", "retry_get(x)"),
    ("drain_queue prevents what blocked workers.", "drain_queue(x)"),
    ("queue_jobs drops nothing since 2.0.", "queue_jobs(x)"),
    ("The cache_key is wrong in the docs.", "cache_key = 1"),
    ("int64 overflow broke billing once.", "x = np.int64(y)"),
]


@each(("memory", "added"), FORBIDDEN)
def test_memory_forbids_a_name_that_was_added(memory: str, added: str) -> None:
    assert any(speaks_against(memory, name, added) for name in added_names([Edit("src/a.py", "", added)]))


@each(("memory", "added"), OTHER)
def test_memory_that_recommends_or_mentions_a_name_does_not_forbid_it(memory: str, added: str) -> None:
    assert not any(speaks_against(memory, name, added) for name in added_names([Edit("src/a.py", "", added)]))


def test_names_that_were_there_before_and_names_in_prose_are_not_added() -> None:
    assert added_names([Edit("a.py", "os.chdir(a)", "os.chdir(b)"), Edit("README.md", "", "os.chdir(a)")]) == []


@each(
    ("added", "names"),
    [
        ("import holidays\nfrom lodash.merge import x", ["holidays", "lodash"]),
        ("import m from 'moment'\nconst a = require('async')", ["moment", "async"]),
        ("require 'httparty'\nuse rand_core::Rng;\n#include <stdlib.h>", ["httparty", "rand_core", "stdlib"]),
        ("from .models import x\nimport './a.css'\nimportant = 1", []),
        ("'use strict'\n\"use client\";\nuse crate::a;\nimport java.util.List;", []),
        ('import "github.com/pkg/errors"\nimport yml "gopkg.in/yaml.v3"', ["errors", "yaml"]),
        ('import (\n\t"fmt"\n\tx "github.com/acme/queue/v2" // old\n)\nfrom_block = 1', ["queue"]),
        ("import os, sys, moment as m, arrow", ["moment", "arrow"]),
        ("import static org.junit.Assert.x;\nimport {\n  a,\n} from 'lodash/merge'", ["lodash"]),
        ("import x from '@acme/widgets'", ["widgets"]),
    ],
)
def test_imported_packages_are_those_that_are_new(added: str, names: list[str]) -> None:
    assert imported_packages([Edit("src/a.py", "import os", f"import os\n{added}")]) == names


def test_long_edit_is_judged_in_bounded_time() -> None:
    added = "x_name = y_name(inplace=True)\n" * 20_000
    begun = time.process_time()
    names = added_names([Edit("a.py", "", added)])
    for name in names:
        speaks_against(f"{name} without {name} hung. " * 500, name, added)

    assert time.process_time() - begun < 2  # 0.3 s


def test_long_memory_is_read_once_for_all_names() -> None:
    memory = "".join(f"x_name_{number} hung when `other_{number}` ran. " for number in range(3000))
    names = [f"x_name_{number}" for number in range(40)]
    added = "y = 1\n" * 10_000
    begun = time.process_time()

    assert all(speaks_against(memory, name, added) for name in names)
    assert not any(speaks_against(memory, name, f"{added}other_1") for name in names)
    assert time.process_time() - begun < 0.5  # 0.04 s; 2 s if it were split for each name


@each(
    ("path", "before", "after", "commands"),
    [
        (".github/workflows/a.yml", "run: a", "run: a --fast", "a --fast"),
        (".github/workflows/a.yml", "", "- name: Build\n- run: |\n    npm ci\n    # no\n    mix b\n", "npm ci\nmix b"),
        (".github/workflows/a.yml", "", "on: [push]\n  uses: x@v4\n  timeout-minutes: 5", ""),
        (".gitlab-ci.yml", "", "script:\n  - npm ci\n  - 'make b'\n", "npm ci\n'make b'"),
        ("docs/a.yml", "", "run: npm ci", ""),
    ],
)
def test_edits_of_workflows_add_commands(path: str, before: str, after: str, commands: str) -> None:
    assert added_commands([Edit(path, before, after)]) == commands
