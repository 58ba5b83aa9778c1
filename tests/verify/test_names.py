"""A path is a path: what exists exactly is itself, whatever characters are in its name."""

from __future__ import annotations

import hashlib
import unicodedata
from pathlib import Path

import pytest
from conftest import git
from support.each import each
from support.facts import outcomes, result_of, statuses, verify

from gitmem.commands.context.near import facts_reading, memories_near
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.text import composed
from gitmem.text.globs import escape, is_plain, matcher, unescape

NFC, NFD = (unicodedata.normalize(form, "größe") for form in ("NFC", "NFD"))
# Names of folders, each with a name that it would match if it were a pattern; or none.
NAMES = {
    "[id]": "i",
    "[...slug]": "s",
    "[[lang]]": "l]",
    "[slug=int]": "g",
    "(group)": "",
    "@modal": "",
    "{a,b}": "a",
    "a*b": "axb",
    "q?c": "qyc",
    "-lead": "",
    "!not": "",
    "two words": "",
    'it\'s "q"': "",
    "x#y": "",
    "back\\slash": "backslash",
    "star\\*": "star\\x",
    NFC: "",
    f"{NFD}2": "",
}
PAGE, DECOY = "const limit = 20\n", "const limit = 20\nDROP\n"
CHECKS = {
    "exists": lambda at: {"exists": f"{at}/page.tsx"},
    "folder": lambda at: {"exists": at},
    "contains": lambda at: {"contains": "limit = 20", "within": f"{at}/page.tsx"},
    "glob": lambda at: {"contains": "limit = 20", "within": f"{at}/*.tsx"},
    "matches": lambda at: {"matches": "limit = [0-9]+$", "within": f"{at}/page.tsx"},
    "lacks": lambda at: {"lacks": "DROP", "within": f"{at}/page.tsx"},
    "same": lambda at: {"same": hashlib.sha256(PAGE.encode()).hexdigest(), "within": f"{at}/page.tsx"},
    "symbol": lambda at: {"symbol": "handler", "within": f"{at}/code.py"},
    "value": lambda at: {"value": f"{at}/conf.json#port", "equals": "1"},
    "agree": lambda at: {"agree": [f"{at}/conf.json#port", f"{at}/other.json#port"]},
}
# What a check answers without its file.
GONE = {"lacks": "blocked"}


@pytest.fixture
def names(memory: Memory, repo: Path) -> Path:
    """Return the repository with a folder of each name, and another that a pattern of this name would match."""
    for name, decoy in NAMES.items():
        for folder, page in ((name, PAGE), (decoy, DECOY)):
            if folder:
                at = repo / "app" / folder
                at.mkdir(parents=True)
                (at / "page.tsx").write_text(page, encoding="utf-8")
                (at / "code.py").write_text("def handler():\n    pass\n", encoding="utf-8")
                (at / "conf.json").write_text('{"port": 1}\n', encoding="utf-8")
                (at / "other.json").write_text('{"port": 1}\n', encoding="utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "names")
    return repo


def remove(repo: Path) -> None:
    """Delete the folders, without those that a pattern would match."""
    git(repo, "--literal-pathspecs", "rm", "-rq", "--", *(f"app/{name}" for name in NAMES))
    git(repo, "commit", "-q", "-m", "remove")


@pytest.mark.parametrize("check", CHECKS)
def test_check_reads_the_file_of_this_name_and_no_other(memory: Memory, names: Path, check: str) -> None:
    for number, name in enumerate(NAMES):
        memory.fact(f"{check} {number}", key=f"n{number}", force=True, **CHECKS[check](f"app/{name}"))
    assert set(statuses(memory).values()) == {"verified"}

    remove(names)

    found = outcomes(verify(memory))
    assert found == {f"n{number}": GONE.get(check, "fails") for number in range(len(NAMES))}


def test_absence_of_a_name_is_refused_while_it_is_there_and_holds_once_it_is_gone(memory: Memory, names: Path) -> None:
    for number, name in enumerate(NAMES):
        memory.fact(f"absent {number}", key=f"n{number}", force=True, unproven=True, absent=f"app/{name}/page.tsx")
    before = outcomes(verify(memory))

    remove(names)

    found = outcomes(verify(memory))
    ambiguous = {f"n{number}" for number, name in enumerate(NAMES) if name in ("a*b", "q?c")}
    assert set(before.values()) == {"fails"}
    assert {key for key, outcome in found.items() if outcome == "holds"} == {
        f"n{n}" for n in range(len(NAMES))
    } - ambiguous
    assert {found[key] for key in ambiguous} == {"blocked"}


def test_content_is_followed_to_another_name(memory: Memory, names: Path) -> None:
    for number, name in enumerate(NAMES):
        memory.fact(f"limit {number}", key=f"n{number}", force=True, **CHECKS["contains"](f"app/{name}"))
        page = "".join(
            f"line {number} {hashlib.sha256(f'{number} {line}'.encode()).hexdigest()}\n" for line in range(9)
        )
        (names / f"app/{name}/page.tsx").write_text(PAGE + page, encoding="utf-8")
    git(names, "commit", "-qam", "grow")
    for number, name in enumerate(NAMES):
        git(names, "mv", f"app/{name}/page.tsx", f"app/{name}/[new {number}].tsx")
    git(names, "commit", "-qam", "move")

    assert [key for key, outcome in outcomes(verify(memory)).items() if outcome != "holds"] == []


@pytest.mark.whole_system
def test_hints_and_recall_find_memories_by_each_name(memory: Memory, names: Path) -> None:
    for number, name in enumerate(NAMES):
        memory.fact(f"limit {number}", key=f"f{number}", force=True, **CHECKS["contains"](f"app/{name}"))
        memory.remember(
            f"Beware of page {number}", key=f"g{number}", kind="gotcha", paths=[composed(f"app/{name}/page.tsx")]
        )
        memory.remember(f"Beware of folder {number}", key=f"d{number}", kind="gotcha", paths=[composed(f"app/{name}")])

    catalog = memory.repository.catalog()
    for number, name in enumerate(NAMES):
        place = f"app/{name}/page.tsx"
        assert facts_reading(catalog, place) == [f"f{number}"]
        near = {one.key for one in memories_near(catalog, None, place, now=memory.repository.now)}
        assert near == {f"f{number}", f"g{number}", f"d{number}"}
        hits = memory.list(Query(paths=(place,))).hits
        assert {hit.key for hit in hits} >= {f"g{number}", f"d{number}"}
        assert not {hit.key for hit in hits} & {f"g{other}" for other in range(len(NAMES)) if other != number}


@each("name", [*NAMES, "a\\\\b", "\\", "\\\\*", "x[", "**"])
def test_an_escaped_path_is_plain_and_names_itself(name: str) -> None:
    glob = escape(name)

    assert is_plain(glob)
    assert unescape(glob) == name
    assert matcher(glob)(name)
    assert matcher(glob)(f"{name}/below")
    assert not matcher(glob)(NAMES.get(name) or "other")


def test_a_set_that_no_name_has_is_a_set(memory: Memory, names: Path) -> None:
    memory.fact("One letter", key="set", contains="DROP", within="app/[hij]/*.tsx")

    assert 'in: "app/[hij]/*.tsx"}' in git(names, "show", "memory:facts/set.md")


def test_written_globs_of_checks_of_paths_are_false_or_undecided_and_say_how_to_repair(memory: Memory) -> None:
    memory.fact("Some", key="some", unproven=True, exists="src/**/*.py")
    memory.fact("None", key="none", unproven=True, absent="src/**/*.py")
    memory.fact("Same", key="same", unproven=True, same="0" * 64, within="*.md")

    run = verify(memory)

    assert outcomes(run) == {"some": "fails", "none": "blocked", "same": "fails"}
    assert "use {contains: TEXT, in: src/**/*.py}" in result_of(run, "some").because
    assert "name each file" in result_of(run, "none").reason
    assert "takes a path" in result_of(run, "same").because


def test_key_is_stored_with_quotes_around_a_name_with_dots_and_then_means_only_that(memory: Memory, repo: Path) -> None:
    (repo / "app.json").write_text('{"server.port": 1, "a": {"b": 2}}\n', encoding="utf-8")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "settings")
    (repo / "new.json").write_text('{"server.port": 1}\n', encoding="utf-8")

    memory.fact("The port is 1", key="port", value="app.json#server.port", equals="1")
    memory.fact("B is 2", key="nested", value="app.json#a.b", equals="2")
    memory.fact("Both agree", key="agree", agree=["app.json#server.port", "new.json#server.port"], tree="dirty")

    def check_of(key: str) -> object:
        return memory.show(key).document["frontmatter"]["verify"]

    assert check_of("port") == {"value": 'app.json#"server.port"', "is": "1"}
    assert check_of("nested") == {"value": "app.json#a.b", "is": "2"}
    assert check_of("agree") == {"agree": ['app.json#"server.port"', 'new.json#"server.port"']}
    (repo / "app.json").write_text('{"server": {"port": 1}, "a.b": 2}\n', encoding="utf-8")
    git(repo, "commit", "-qam", "another form")
    verify(memory)
    assert {key: statuses(memory)[key] for key in ("port", "nested")} == {"port": "failed", "nested": "failed"}
