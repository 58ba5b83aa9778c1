"""Doctor's findings about background jobs."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.commands.install import git_hooks
from gitmem.errors import ConflictError
from gitmem.store.state import background
from gitmem.store.state.spool import Spool


def test_uncommitted_captures_are_reported_and_committed_by_fix(memory, repo: Path) -> None:
    spool = Spool(repo / ".git" / "gitmem")
    spool.append({"text": "Retries are capped at three"})
    waiting = repo / ".git" / "gitmem" / "spool" / "waiting"
    old = next(waiting.iterdir()).rename(waiting / "00000000000000000001-old.json")
    spool.set_aside(spool.append({"text": "x"}), "it seems to contain a secret")

    found = memory.doctor(fix=False)
    fixed = memory.doctor(fix=True)

    assert [p.code for p in found.problems] == ["capture-waits", "capture-refused"]
    assert [p.code for p in fixed.problems] == ["capture-refused"]
    assert not old.exists()
    assert memory.show("retries-are-capped-at-three").document["path"] == "learned/retries-are-capped-at-three.md"


def test_failed_background_job_and_replaced_hook_are_reported(memory, repo: Path) -> None:
    with pytest.raises(ConflictError):
        for turn in background.turns(repo / ".git" / "gitmem", repo, "index"):
            with turn:
                raise ConflictError("somebody else writes")
    git_hooks.install(memory.repository.git)
    (repo / ".git" / "hooks" / "post-merge").write_text("#!/bin/sh\n")

    problems = {p.code: p for p in memory.doctor(fix=False).problems}

    assert set(problems) == {"background-failed", "hook-replaced"}
    assert "somebody else writes" in problems["background-failed"].message
    assert problems["hook-replaced"].path.endswith("post-merge")
