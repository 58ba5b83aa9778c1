"""What is known of verify jobs: the last one here, the last one that wrote to the branch, and what runs them."""

from __future__ import annotations

from gitmem.document.fields import format_time
from gitmem.errors import ProcessError
from gitmem.git.repository import is_oid
from gitmem.graph import age_s
from gitmem.secrets import redact
from gitmem.verify.job import is_running, last_job
from gitmem.verify.schedule import as_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.git.binary import Git
    from gitmem.verify.schedule import Schedule


def tell_jobs(git: Git, schedules: Sequence[Schedule], *, tip: str, silent: str, now: int) -> dict[str, Any]:
    """Return the last verify job here, the last one that wrote to the branch, and the schedules.

    Args:
        git: The repository.
        schedules: What is to run them.
        tip: The memory branch; empty where there is none.
        silent: What is wrong with a schedule, or empty.
        now: Epoch seconds.
    """
    return {
        "last": _last_job(git.repository.state, now),
        "branch": _last_recorded(git, tip, now) if tip else None,
        "schedules": as_table(schedules),
        "silent": silent,
    }


def _last_job(state_folder: str, now: int) -> dict[str, Any] | None:
    job = last_job(state_folder)
    if job is None:
        return None
    how = "ended" if job.ended else "running" if is_running(job) else "killed"
    return {
        "at": format_time(job.started),
        "age_s": age_s(job.started, now),
        "state": "failed" if job.problem else how,
        "commit": job.commit,
        "due": job.due,
        "failed": job.failed,
        "unchecked": job.unchecked,
        "problem": redact(job.problem),
        "scheduled": job.is_scheduled,
    }


def _last_recorded(git: Git, tip: str, now: int) -> dict[str, Any] | None:
    """Return the last commit of the branch that a verify job made."""
    form = "--format=%H%x00%ct%x00%(trailers:key=Code-Commit,valueonly)"
    asked = ("log", "-1", "--no-show-signature", "--grep=^Gitmem-Verdicts: ", form, tip)
    try:
        commit, at, code = git.run(*asked, timeout_s=5).stdout.decode("utf-8", "replace").strip().split("\0")
    except (ProcessError, ValueError):
        return None  # none was recorded yet, or it is too far back to be looked for
    when = int(at)
    return {
        "commit": commit,
        "at": format_time(when),
        "age_s": age_s(when, now),
        "code": code.strip() if is_oid(code.strip()) else "",
    }
