"""The comparison of what is due with what changes: no miss where reads are complete, and a miss is found."""

from __future__ import annotations

import random
import shutil

import pytest

from benchmarks import awkward
from benchmarks.awkward import Observation, compare, make_command

STRACE = shutil.which("strace") or ""
pytestmark = pytest.mark.skipif(not STRACE, reason="strace is not installed")


@pytest.mark.whole_system
def test_no_answer_changes_unless_the_check_is_due():
    chance = random.Random(7)
    *_, count = compare([make_command(chance) for _ in range(25)], 8, STRACE, chance)

    assert (count.misses, count.compared > 50) == ([], True)


def test_answer_that_changes_without_being_due_is_a_miss(monkeypatch):
    monkeypatch.setattr(awkward, "observe", lambda *_: Observation(frozenset(), "1", ()))
    *_, count = compare(["cat a"], 40, STRACE, random.Random(7))

    assert {("a" in miss.changed) for miss in count.misses} == {True}
