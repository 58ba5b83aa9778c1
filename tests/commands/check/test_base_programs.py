"""A check whose program is edited by the change is also judged with the base's version."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files
from support.code_changes import change, check, kinds
from support.facts import approve_all, make_fact, put

from gitmem.cli.check import exit_status
from gitmem.memory import Memory

MAKE = "ports:\n\tgrep -q 'RETRIES = 3' src/gateway/retry.py\n"
GUTTED = "ports:\n\t@true\n"
BREAKS = {"src/gateway/retry.py": "RETRIES = 4\n"}


@pytest.fixture
def ports(memory: Memory, repo: Path) -> Memory:
    """Return a memory with a fact that make judges, approved."""
    commit_files(repo, {"Makefile": MAKE})
    put(repo, make_fact("ports", "make ports"), make_fact("narrow", "make ports", paths=["src/auth/*"]))
    approve_all(memory)
    return memory


def test_recipe_that_is_replaced_makes_nothing_true(ports: Memory, repo: Path) -> None:
    change(repo, {"Makefile": GUTTED, **BREAKS})

    checked = check(ports)

    assert kinds(checked)["ports"] == "newly_false"
    because = next(f.because for f in checked.findings if f.key == "ports")
    assert because.startswith(
        "it holds only with the change's Makefile, which its check runs; with the base's version:"
    )
    found = [(one.severity, one.path, one.message.partition("; ")[2]) for one in checked.review.programs]
    assert found == [
        ("error", "Makefile", "true only by the new version: with the base's, it does not hold"),
        ("warning", "Makefile", "no input of the fact changes by its paths, so it was not judged again"),
    ]
    assert exit_status(checked, "newly_false") == 1


def test_recipe_that_is_replaced_where_all_is_well_is_named_and_stops_nothing(ports: Memory, repo: Path) -> None:
    change(repo, {"Makefile": GUTTED})

    checked = check(ports, "ports")

    assert kinds(checked) == {"ports": "holds"}
    assert [(one.severity, one.key, one.message) for one in checked.review.programs] == [
        ("note", "ports", "the check of ports runs it; with the base's version it holds as well")
    ]
    assert exit_status(checked, "newly_false") == 0


def test_fact_that_was_false_is_not_mended_by_its_program(ports: Memory, repo: Path) -> None:
    commit_files(repo, BREAKS)
    change(repo, {"Makefile": GUTTED})

    assert kinds(check(ports, "ports")) == {"ports": "still_false"}


def test_nothing_is_judged_twice_where_no_program_is_edited(ports: Memory, repo: Path) -> None:
    change(repo, {**BREAKS, "notes.mk": "ports:\n\t@true\n"})

    checked = check(ports, "ports")

    assert (kinds(checked), checked.review.programs) == ({"ports": "newly_false"}, ())
