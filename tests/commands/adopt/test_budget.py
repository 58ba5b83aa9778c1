"""The CPU time that adopt may take, and what it says of what it left undone."""

import subprocess
import sys
import time

import pytest
from conftest import commit_files, git

from gitmem.commands.adopt.budget import UNLIMITED, Budget, used_s
from gitmem.commands.adopt.findings import FALSE, HOLDS
from gitmem.commands.adopt.formats import as_table, summary
from gitmem.commands.adopt.run import _Judge, adopt
from gitmem.git import Git
from gitmem.git.repository import discover


def adopted(repo, *, late_from="", began_s=0.0):
    """Judge all documents with a second of time, which is over when a step begins."""
    handle = Git(discover(repo))
    now = [began_s]

    def progress(step, *_):
        if late_from and step.startswith(late_from):
            now[0] = 1.0

    return adopt(handle, handle.resolve("HEAD"), budget=Budget(1, 0.0, lambda: now[0]), progress=progress)


def test_budget_is_spent_when_a_part_of_the_limit_is_used():
    now = [2.0]
    budget = Budget(4, 2.0, lambda: now[0])

    assert [budget.is_spent(), budget.is_spent(0.5)] == [False, False]
    now[0] = 4.0
    assert [budget.is_spent(), budget.is_spent(0.5)] == [False, True]
    now[0] = 6.0
    assert budget.is_spent() and not UNLIMITED.is_spent()
    # The time of slow statements does not count, up to half of the limit.
    assert [budget.is_spent(1.0, 0.5), budget.is_spent(0.5, 1.5), budget.is_spent(0.5, 9.0)] == [False, True, True]


def test_time_used_includes_the_programs_that_were_started():
    before, own = used_s(), time.process_time()

    subprocess.run([sys.executable, "-c", "sum(range(10_000_000))"], check=True)

    assert used_s() - before > time.process_time() - own + 0.05


@pytest.fixture
def two(repo):
    claim = "- `src/auth/jwt.py` signs"
    commit_files(repo, {"README.md": f"{claim}\n\nWords.\n", "docs/CLAUDE.md": f"{claim}\n"})
    return repo


def test_what_agents_follow_is_judged_first_and_the_rest_is_counted(two):
    adoption = adopted(two, late_from="judging docs/CLAUDE.md")

    assert [one.document.path for one in adoption.of(HOLDS)] == ["docs/CLAUDE.md"]
    assert as_table(adoption)["unjudged"] == [{"path": "README.md", "line": 1, "text": "- `src/auth/jwt.py` signs"}]
    assert adoption.notes == ["not judged, because 1 s of CPU time are used up: 1 statement of README.md"]
    assert ", 1 not judged" in summary(adoption)
    # A statement without a claim needs no time.
    assert [one.text for _, one in adoption.unchecked] == ["Words."]


def test_statements_that_were_not_even_read_in_time_are_not_judged(two):
    adoption = adopted(two, began_s=0.5)

    assert [one.line for _, one in adoption.unjudged] == [1, 3, 1]
    assert (adoption.findings, adoption.unchecked) == ([], [])


def test_false_statement_whose_cause_was_not_looked_up_in_time_is_still_false(repo):
    commit_files(repo, {"AGENTS.md": "- `src/gateway/retry.py` has the limits\n"})
    git(repo, "mv", "src/gateway/retry.py", "src/gateway/limits.py")
    commit_files(repo, {}, "rename retry")

    late, whole = adopted(repo, late_from="finding culprits"), adopted(repo)

    assert [(one.culprit, one.fix) for one in late.of(FALSE)] == [(None, "")]
    assert late.notes == ["some causes and corrections are missing, because 1 s of CPU time are used up"]
    assert [(one.culprit is not None, one.fix) for one in whole.of(FALSE)] == [(True, "src/gateway/limits.py")]


def test_one_slow_statement_leaves_time_for_the_others(two, monkeypatch):
    now, judge_all = [0.0], _Judge.judge_all

    def slowly(self, mentions):
        now[0] += 0.9 if now[0] == 0 else 0.0
        return judge_all(self, mentions)

    monkeypatch.setattr(_Judge, "judge_all", slowly)
    handle = Git(discover(two))

    adoption = adopt(handle, handle.resolve("HEAD"), budget=Budget(1, 0.0, lambda: now[0]))

    assert [one.document.path for one in adoption.of(HOLDS)] == ["README.md", "docs/CLAUDE.md"]
