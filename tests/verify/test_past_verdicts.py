"""Every verdict that there ever was: of one fact, of several at once, and how many are read."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, tip
from support.facts import make_fact, put, verify

from gitmem.model import FAILS, HOLDS
from gitmem.verify.past_verdicts import all_verdicts, verdicts_of


def test_all_versions_of_several_facts_are_read_at_once_the_newest_first(repo: Path, memory) -> None:
    put(repo, *(make_fact(key, {"contains": key, "in": "f.txt"}) for key in ("good", "well", "else")))
    for text in ("good well", "bad", "good again"):
        commit_files(repo, {"f.txt": text})
        verify(memory)

    found, is_whole = verdicts_of(memory.repository.git, tip(repo), {"good", "well"})

    assert [v.outcome for v in found if v.key == "good"] == [HOLDS, FAILS, HOLDS]
    assert [v.outcome for v in found if v.key == "well"] == [FAILS, FAILS, HOLDS]
    assert {v.key for v in found} == {"good", "well"}
    assert is_whole
    assert [v for v in found if v.key == "well"] == all_verdicts(memory.repository.git, tip(repo), "well")


def test_that_not_all_were_read_is_reported(repo: Path, memory) -> None:
    put(repo, *(make_fact(key, {"exists": "README.md"}) for key in ("one", "two", "three")))
    verify(memory)

    found, is_whole = verdicts_of(memory.repository.git, tip(repo), {"one", "two", "three"}, at_most=2)

    assert (len(found), is_whole) == (2, False)
    assert verdicts_of(memory.repository.git, "", {"one"}) == ([], True)
