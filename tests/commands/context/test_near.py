"""The memories about a file: exactly those whose checks, inputs, paths or texts name it, best first."""

from __future__ import annotations

import pytest
from conftest import commit_files, git
from support.each import each
from support.facts import make_fact, make_memory, put, verify

from gitmem.commands.context.near import defined_names, facts_reading, memories_near
from gitmem.memory import Memory

PLACE = "src/gateway/retry.py"
NAMED = {
    "exact": PLACE,
    "line": f"{PLACE}:3-5",
    "folder": "src/gateway",
    "slash": "src/gateway/",
    "below": "src/**",
    "deep": "**/*.py",
    "star": "src/gateway/*.py",
    "set": "src/gateway/[qr]etry.py",
}
OTHERS = {"sibling": "src/gateway/retry.pyi", "other": "src/*.py", "prefix": "src/gate", "end": "gateway/retry.py"}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory):
    """Return what depends on the file in a store of memories that name it, and of others that do not."""
    folder = tmp_path_factory.mktemp("dependents")
    git(folder, "init", "-q", "-b", "main")
    for name in ("name", "email"):
        git(folder, "config", f"user.{name}", "ana@example.org")
    git(folder, "commit", "-q", "--allow-empty", "-m", "code")
    with Memory(folder) as memory:
        memory.init(offline=True)
        made = []
        for name, glob in (NAMED | OTHERS).items():
            made += [make_memory(f"gotcha-{name}", name, paths=[glob])]
            made += [make_fact(f"fact-{name}", f"test -e x # {name}", paths=[glob])]
            made += [make_fact(f"builtin-{name}", {"contains": "RETRIES", "in": glob})]
        put(folder, *made)
        catalog = memory.repository.catalog()
        found = memories_near(catalog, None, PLACE, now=memory.repository.now)
        yield facts_reading(catalog, PLACE), [one.key for one in found]


def test_memories_are_those_whose_paths_name_the_file(asked) -> None:
    assert sorted(key for key in asked[1] if key.startswith("gotcha")) == sorted(f"gotcha-{name}" for name in NAMED)


@pytest.mark.parametrize("kind", ["fact", "builtin"])
def test_facts_are_those_whose_checks_read_it(asked, kind: str) -> None:
    found = {key.removeprefix(f"{kind}-") for key in asked[0] if key.startswith(kind)}

    # A built-in check's words may be regular expressions, so that a set in them is not looked for.
    assert found == set(NAMED) - ({"set"} if kind == "builtin" else set())


def test_every_kind_counts_and_the_best_proved_nearest_memory_of_a_person_comes_first(memory, repo) -> None:
    agent = {"by": {"agent": "scout"}}
    put(
        repo,
        make_fact("fact-held", {"exists": PLACE}, title="The file is there"),
        make_fact("fact-unproven", "test -e x # gateway", paths=[PLACE]),
        make_memory("decision-folder", "Retries stay", kind="decision", paths=["src/**"]),
        make_memory("convention-ref", "Retries are counted", kind="convention", refs=[f"{PLACE}:1-2"]),
        make_memory("pattern-agent", "Retries are logged", kind="pattern", paths=[PLACE], **agent),
        make_memory("learned-text", f"The file {PLACE} is generated", kind="learned"),
        make_memory("learned-name", "The function back_off doubles its wait", kind="learned"),
        make_memory("learned-other", "The file tools/gateway/retry.py is old; see lib/retry.py", kind="learned"),
        make_memory("session-work", "Changed the gateway", kind="session", paths=[PLACE], ttl="90d"),
        make_memory("claim-adopted", "Adopted", kind="claim", paths=[PLACE]),
    )
    commit_files(repo, {PLACE: "def back_off(n):\n    return 2 * n\n"})
    verify(memory)
    catalog = memory.repository.catalog()

    names = defined_names((repo / PLACE).read_text(encoding="utf-8"))
    found = memories_near(catalog, memory.repository.ground(catalog), PLACE, names, now=memory.repository.now)

    assert [one.key for one in found] == [
        "fact-held",
        "convention-ref",
        "decision-folder",
        "pattern-agent",
        "fact-unproven",
        "learned-name",
        "learned-text",
    ]


@each(
    ("line", "names"),
    [
        ("def snap_rows(seats):", ["snap_rows"]),
        ("export default async function snapRows(seats) {", ["snapRows"]),
        ("func (s *Segment) closeFile() error {", ["closeFile"]),
        ("func unquoteTerm(term string) string {", ["unquoteTerm"]),
        ("pub(crate) struct HttpPool {", []),
        ("pub struct HttpPool {", ["HttpPool"]),
        ("CANCEL_HOURS = 24", ["CANCEL_HOURS"]),
        ("export const priceOf = (grams) => 1", ["priceOf"]),
        ("def close(self):", []),
        ("    return snap_rows(seats)", []),
        ("class Visit(models.Model):", []),
    ],
)
def test_defined_names_are_those_that_no_prose_has(line: str, names: list[str]) -> None:
    assert defined_names(line) == names


@each(
    ("text", "is_about"),
    [
        ("src/gateway/retry.py is slow", True),
        ("see `retry.py`.", True),
        ("gateway/retry.py, line 3", True),
        ("lib/retry.py is another file", False),
        ("retry.pyi is another file", False),
        ("my_retry.py is another file", False),
    ],
)
def test_text_names_a_file_by_its_path_or_the_end_of_it(memory, repo, text: str, is_about: bool) -> None:
    put(repo, make_memory("m", text, kind="learned"))

    found = memories_near(memory.repository.catalog(), None, PLACE, now=memory.repository.now)

    assert bool(found) == is_about


@each(
    ("text", "is_near"),
    [
        ("Everything under infra/prod needs a change number.", True),
        ("Ask before you change `infra/prod/`.", True),
        ("infra/prod/**/*.tf is formatted by CI.", True),
        ("infra/ is reviewed by Mira.", True),
        ("We pay for infra and its care.", False),
        ("infra/prod/dns.tf is written by a script.", False),
        ("infra/prod/*.sh are old.", False),
        ("other/infra/prod is frozen.", False),
        ("/Users/ana/shop/infra/prod/net/0041_vpc.tf must not be split.", True),
        (r"infra\prod\net\0041_vpc.tf must not be split.", True),
        (r"C:\work\shop\infra\prod\net\0041_vpc.tf must not be split.", True),
        (r"infra\test\0041_vpc.tf must not be split.", False),
        ("Nets 0041 and 0042 are applied together.", True),
        ("Invoice 0041 was lost.", False),
        ("planRouting keeps the order of routes.", True),
    ],
)
def test_text_names_the_file_its_folder_its_number_or_what_it_defines(memory, repo, text: str, is_near: bool) -> None:
    put(repo, make_memory("one", text))
    catalog = memory.repository.catalog()

    found = memories_near(catalog, None, "infra/prod/net/0041_vpc.tf", ["planRouting"], now=memory.repository.now)

    assert [one.key for one in found] == (["one"] if is_near else [])


def test_memories_about_its_folder_do_not_crowd_out_the_one_that_names_the_file(memory, repo) -> None:
    put(repo, make_memory("named", "retry.py in services/pay sleeps with the lock: see services/pay/retry.py"))
    put(repo, *(make_memory(f"of-{n}", f"Services number {n} is slow, like any service") for n in range(60)))
    catalog = memory.repository.catalog()

    found = memories_near(catalog, None, "services/pay/retry.py", [], now=memory.repository.now)

    assert [one.key for one in found] == ["named"]
