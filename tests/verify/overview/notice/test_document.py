"""The JSON of a check read back: all that reports show comes through, and whatever has another form is left out."""

from __future__ import annotations

import json

from conftest import NOW, commit_files
from support.each import each
from support.facts import make_fact, put

from gitmem.cli.check import as_table
from gitmem.commands.check.summary import findings_of
from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.verify.overview.finding import SILENCED, FindingRow, FindingSection, Spot
from gitmem.verify.overview.notice.document import LISTS, parse_check
from gitmem.verify.overview.notice.notice import render
from gitmem.verify.overview.notice.permalinks import Links

EMPTY = {name: [] for name in LISTS}


def test_what_a_job_wrote_is_shown_as_the_check_itself_would_show_it(repo, memory: Memory) -> None:
    put(
        repo,
        make_fact("names", {"contains": "service", "in": "README.md"}),
        make_fact("rests", {"exists": "README.md"}, requires=["names"]),
        make_fact("waits", "make all", paths=["README.md"]),
    )
    commit_files(repo, {"README.md": "# Changed\n"})
    checked = memory.check(base="HEAD~1")
    row = FindingRow("says less than its claim", "names", "facts/names.md", 3, "grep x")
    found = findings_of(checked, now=NOW, memory_commit=memory.repository.find_tip() or "")
    weakened = replace(checked.findings[0], kind=SILENCED, fact=Spot(".memory/facts/names.md", 4))
    checked = replace(checked, findings=(*checked.findings, weakened))
    found = replace(
        found,
        findings=(*found.findings, weakened),
        sections=(FindingSection("Review", "warning", (row,), memory="d" * 40),),
    )

    read = parse_check(json.dumps(as_table(checked, found)))

    links = Links("https://github.example/acme/shop", found.head, found.memory)
    assert read is not None
    assert render(read, links, 60_000) == render(found, links, 60_000)
    assert "This change makes 1 fact false" in render(read, links, 60_000)
    assert f"/blob/{found.head}/.memory/facts/names.md#L4" in render(read, links, 60_000)
    assert f"/blob/{'d' * 40}/facts/names.md#L3" in render(read, links, 60_000)  # not the file as it was before


@each("text", ["", "[]", "{}", '{"newly_false": 1}', "[" * 100_000, '{"a": 1', "null"])
def test_text_that_is_not_such_a_document_gives_none(text: str) -> None:
    assert parse_check(text) is None


def test_values_of_another_form_are_left_out() -> None:
    row = {
        "key": 1,
        "title": ["x"],
        "path": None,
        "line": True,
        "changed": [1, {"path": "a", "line": -1}],
        "stated": {},
    }
    sections = [{"heading": "H", "level": "grave", "rows": [{"text": "t", "line": 10**12}]}, {"heading": "H"}, 3]
    table = {**EMPTY, "newly_false": [row, "x", None], "suspect": [{"because": "x"}], "sections": sections, "holds": -3}

    found = parse_check(json.dumps(table | {"untouched": [[]], "notes": [1, "n"], "summary": {}}))

    assert found is not None
    assert [(one.key, one.path, one.fact, one.chain) for one in found.findings] == [("", "", None, ())] * 2
    assert (found.notes, found.untouched, found.held, found.summary) == (("n",), (), 0, "")
    assert [(one.level, one.rows[0].line) for one in found.sections] == [("warning", 0)]
