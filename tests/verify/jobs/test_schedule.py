"""What runs verify jobs, as it was written down, and what status says of them."""

from __future__ import annotations

import re
from pathlib import Path

from conftest import commit_files, git, tip
from support.facts import Clock, make_fact, put
from support.schedules import installed, workflow

from gitmem.memory import Memory
from gitmem.verify.jobs.schedule import NOTE, list_schedules, read_note


def test_status_says_what_ran_here_what_the_branch_has_and_what_runs_it(
    timed: Memory, repo: Path, clock: Clock, run_cli
) -> None:
    head = git(repo, "rev-parse", "HEAD")
    installed(repo, "6h")
    workflow(repo, "daily")
    clock.now += 3600

    found = timed.status().document["jobs"]

    assert (found["last"]["age_s"], found["last"]["due"], found["last"]["state"]) == (3600, 1, "ended")
    assert (found["branch"]["commit"], found["branch"]["code"]) == (tip(repo), head)
    assert (found["last"]["behind"], found["branch"]["behind"], found["branch"]["claimed"]) == (1, 1, False)
    assert found["claimed"] is None
    assert [(one["what"], one["every"]) for one in found["schedules"]] == [("cron", "6h"), ("github", "daily")]
    assert found["silent"] == ""
    commit_files(repo, {"a.py": "1\n"})
    commit_files(repo, {"a.py": "2\n"})
    ran = run_cli("status")
    # The command line has the real clock.
    where = f"for the code at {head[:12]}, 3 commits behind HEAD"
    assert re.search(rf"last verify job here \d+d ago {where}: 1 due\n", ran.out)
    assert re.search(rf"verdicts recorded \d+d ago as {tip(repo)[:12]} {where}\n", ran.out)
    assert "scheduled by cron, every 6h: crontab\nscheduled by github, daily: .github/" in ran.out


def test_status_says_whether_head_is_behind_or_beside_the_commit_that_was_judged(
    memory: Memory, repo: Path, run_cli
) -> None:
    put(repo, make_fact("f", {"exists": "README.md"}))
    commit_files(repo, {"a.py": "1\n"})
    judged = git(repo, "rev-parse", "HEAD")
    run_cli("verify")
    git(repo, "checkout", "-q", "HEAD~1")
    behind = run_cli("status").out
    commit_files(repo, {"b.py": "1\n"})
    commit_files(repo, {"b.py": "2\n"})

    beside = run_cli("status").out

    assert f"for the code at {judged[:12]}, 1 commit ahead of HEAD: " in behind
    assert f"for the code at {judged[:12]}, beside HEAD (1 commit only there, 2 only here): " in beside


def test_note_that_is_damaged_or_of_another_folder_gives_no_schedule(repo: Path, timed: Memory) -> None:
    state, top = str(repo / ".git/gitmem"), str(repo)
    installed(repo, "daily", where=str(repo.parent))
    assert list_schedules(state, top) == []
    for note in ("", "[]", "{}", '{"what": 1}', '{"what": "cron", "every": "never", "file": ""}', "[" * 9999):
        Path(state, NOTE).write_text(note, encoding="utf-8")
        assert read_note(state) is None
        assert list_schedules(state, top) == []
    workflow(repo, "sometimes")
    assert list_schedules(state, top) == []
