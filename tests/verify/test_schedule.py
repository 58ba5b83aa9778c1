"""What runs verify jobs, as it was written down, and when it fell silent."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import NOW, git, tip
from proving import DAY, Clock, make_fact, put, verify

from gitmem import background
from gitmem.app import Memory
from gitmem.frozen import fields_of
from gitmem.verify.schedule import NOTE, WORKFLOW, WORKFLOW_MARK, Schedule, list_schedules, read_note


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def timed(repo: Path, clock: Clock):
    """Return the memory of a repository with a fact that is verified now, by a clock that can be set."""
    with Memory(repo, clock=clock) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", {"exists": "README.md"}, ttl="10d"))
        verify(memory)
        yield memory


def installed(repo: Path, every: str, *, where: str = "") -> None:
    note = Schedule("cron", every, "crontab", NOW, "gitmem-verify-x", where or str(repo), ("/made",))
    Path(repo, ".git/gitmem", NOTE).write_text(json.dumps(fields_of(note)), encoding="utf-8")


def workflow(repo: Path, every: str) -> None:
    (repo / ".github/workflows").mkdir(parents=True)
    (repo / WORKFLOW).write_text(f"{WORKFLOW_MARK}{every}\n", encoding="utf-8")


def warnings(memory: Memory) -> str:
    return json.dumps(memory.context(paths=(), budget_tokens=2000))


def test_status_says_what_ran_here_what_the_branch_has_and_what_runs_it(
    timed: Memory, repo: Path, clock: Clock, run_cli
) -> None:
    installed(repo, "6h")
    workflow(repo, "daily")
    clock.now += 3600

    found = timed.status()["jobs"]

    head = git(repo, "rev-parse", "HEAD")
    assert (found["last"]["age_s"], found["last"]["due"], found["last"]["state"]) == (3600, 1, "ended")
    assert (found["branch"]["commit"], found["branch"]["code"]) == (tip(repo), head)
    assert [(one["what"], one["every"]) for one in found["schedules"]] == [("cron", "6h"), ("github", "daily")]
    assert found["silent"] == ""
    ran = run_cli("status")
    # The command line has the real clock.
    assert re.search(r"last verify job here \d+d ago: 1 due\n", ran.out)
    assert f"recorded as {tip(repo)[:12]}" not in ran.err
    assert "scheduled by cron, every 6h: crontab\nscheduled by github, daily: .github/" in ran.out


def test_schedule_of_this_machine_is_silent_after_three_runs_that_did_not_come(
    timed: Memory, repo: Path, clock: Clock
) -> None:
    installed(repo, "daily")
    clock.now += 3 * DAY - 60
    assert timed.status()["jobs"]["silent"] == ""
    assert "no verify job ran here" not in warnings(timed)

    clock.now += 120

    assert "no verify job ran here for 3 days, and one should run daily" in timed.status()["jobs"]["silent"]
    assert warnings(timed).count("no verify job ran here for 3 days") == 1
    verify(timed)  # finds nothing to do, and is a sign of life all the same
    assert timed.status()["jobs"]["silent"] == ""


def test_forge_is_silent_only_while_facts_wait_for_it(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "daily")
    clock.now += 9 * DAY
    assert timed.status()["jobs"]["silent"] == ""

    clock.now += 2 * DAY
    assert "no verdict for 11 days" in timed.status()["jobs"]["silent"]
    clock.now += 60 * DAY
    assert "switches schedules off after 60 days" in timed.status()["jobs"]["silent"]


def test_code_that_was_committed_just_now_makes_nobody_late(timed: Memory, repo: Path, clock: Clock) -> None:
    workflow(repo, "daily")
    clock.now += 5 * DAY
    (repo / "README.md").unlink()
    git(repo, "rm", "-q", "--cached", "README.md")
    git(repo, "-c", "user.name=x", "commit", "-q", "-m", "gone")
    late = timed.status()["jobs"]["silent"]  # this commit's date is that of all tests, five days ago

    assert "no verdict for 5 days" in late
    git(repo, "update-ref", "HEAD", _committed_at(repo, clock.now))
    assert timed.status()["jobs"]["silent"] == ""


def _committed_at(repo: Path, at: int) -> str:
    """Return a commit like HEAD with another date."""
    text = git(repo, "cat-file", "commit", "HEAD").replace(f"{NOW} +0000", f"{at} +0000") + "\n"
    return git(repo, "hash-object", "-t", "commit", "-w", "--stdin", input=text)


def test_scheduled_job_that_failed_is_told_until_one_does_not(timed: Memory, repo: Path, monkeypatch) -> None:
    installed(repo, "daily")
    state = str(repo / ".git/gitmem")
    with pytest.raises(RuntimeError), next(background.turns(state, repo, "verify")):
        raise RuntimeError("the remote said\n::error::no")

    assert "the last scheduled verify job failed:" in warnings(timed)
    assert "\\n::error" not in timed.status()["jobs"]["silent"]

    with next(background.turns(state, repo, "verify")):
        pass
    assert "failed:" not in timed.status()["jobs"]["silent"]


def test_schedule_of_another_folder_or_a_damaged_note_is_none(repo: Path, timed: Memory) -> None:
    state, top = str(repo / ".git/gitmem"), str(repo)
    installed(repo, "daily", where=str(repo.parent))
    assert list_schedules(state, top) == []
    for note in ("", "[]", "{}", '{"what": 1}', '{"what": "cron", "every": "never", "file": ""}', "[" * 9999):
        Path(state, NOTE).write_text(note, encoding="utf-8")
        assert read_note(state) is None
        assert list_schedules(state, top) == []
    workflow(repo, "sometimes")
    assert list_schedules(state, top) == []
