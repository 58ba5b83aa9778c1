"""Corrections for adopted statements that a change makes false."""

from __future__ import annotations

from conftest import NOW, commit_files, git
from support.code_changes import change, check

from gitmem.commands.check.summary import findings_of
from gitmem.commands.report import github, render
from gitmem.verify.overview.finding import BROKEN

GUIDE = """# Guide

- Limits: `src/limits.py`
  - `src/limits.py` has no tests
- Sign in `src/a.py` and `src/b.py`
- `make unit` runs what is quick
- Always read `src/rules.py` first.
"""


def test_removal_or_successor_of_what_is_gone_is_offered_at_the_line_of_an_adopted_fact(memory, repo, run_cli):
    sources = dict.fromkeys(("src/limits.py", "src/a.py", "src/b.py", "src/rules.py"), "")
    commit_files(repo, {"AGENTS.md": GUIDE, "Makefile": "unit:\n\tpytest -q unit\n", **sources})
    assert run_cli("adopt", "--apply").status == 0
    git(repo, "rm", "-q", "src/limits.py", "src/a.py", "src/rules.py")
    change(repo, {"Makefile": "quick:\n\tpytest -q unit\n"})

    checked = check(memory)

    found = {line.spot.line: line for one in checked.of(BROKEN) for line in one.stated}
    assert {number: line.corrected or line.remove for number, line in found.items()} == {
        3: "remove lines 3 to 4",
        4: "remove lines 3 to 4",
        5: "- Sign in `src/b.py`",
        6: "- `make quick` runs what is quick",
        7: "",
    }
    shown = findings_of(checked, now=NOW)
    assert "; remove lines 3 to 4." in github.commands(shown)
    assert "AGENTS.md:3 is about something that is gone: remove lines 3 to 4." in render("markdown", shown)
