"""What the tests of schedules share: a schedule of this machine, and a forge's workflow."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import NOW, commit_files

from gitmem.frozen import fields_of
from gitmem.verify.jobs.schedule import NOTE, WORKFLOW, WORKFLOW_MARK, Schedule


def installed(repo: Path, every: str, *, where: str = "") -> None:
    """Write down that this machine runs verify jobs, since NOW."""
    note = Schedule("cron", every, "crontab", NOW, "gitmem-verify-x", where or str(repo), ("/made",))
    Path(repo, ".git/gitmem", NOTE).write_text(json.dumps(fields_of(note)), encoding="utf-8")


def workflow(repo: Path, every: str) -> None:
    """Commit the workflow of a forge, at NOW."""
    commit_files(repo, {WORKFLOW: f"{WORKFLOW_MARK}{every}\n"})
