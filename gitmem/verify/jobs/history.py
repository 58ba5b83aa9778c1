"""Describe the last verify job in this clone, the last one that wrote to the branch, and the schedules."""

from __future__ import annotations

import sys
from functools import cache

from gitmem.document.times import format_time
from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.git.repository import is_oid
from gitmem.index.catalog import state
from gitmem.statuses import age_s
from gitmem.store.trailers import CLAIMED
from gitmem.text.secrets import redact
from gitmem.verify.jobs.job import is_running, last_job
from gitmem.verify.jobs.schedule import as_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.verify.jobs.schedule import Schedule


class JobSigns:
    """Evidence of verify jobs on the branch and in the code, read only when it is needed."""

    def __init__(self, git: Git, catalog: Catalog, ground: int | None, default: str, upstream: str) -> None:
        """Store the sources; nothing is read yet.

        Args:
            git: The repository.
            catalog: The store's catalog.
            ground: The ground of HEAD, or None.
            default: The code's default branch as a full ref, or empty.
            upstream: The memory branch of the remote as a full ref.
        """
        self._git, self._catalog, self._ground = git, catalog, ground
        self._default, self._upstream = default, upstream

    def last_verdict_time(self) -> int:
        """Return the time of the branch's newest verdict, epoch seconds; 0 if it has none."""
        return int(self._catalog.row("SELECT coalesce(max(at), 0) FROM verdict")[0])

    def commit_time(self, file: str) -> int:
        """Return when a file was last committed, epoch seconds; ``sys.maxsize`` if it never was."""
        try:
            time = self._git.text("log", "-1", "--no-show-signature", "--format=%ct", "HEAD", "--", file)
        except ProcessError:
            return 0  # an object is missing
        return int(time or sys.maxsize)

    def waits_since(self, now: int) -> int:
        """Return since when the oldest fact not passed over by a job has been waiting, epoch seconds; 0 if none has.

        Facts that were due before the newest verdict were passed over. A command that was never judged does not count:
        usually it is not approved.
        """
        after, ground = self.last_verdict_time(), self._ground or 0
        facts = (
            "FROM state s CROSS JOIN fact f ON f.id = s.fact CROSS JOIN memory m ON m.id = f.id WHERE s.ground = ?"
            f" AND {state.LIVE} AND {state.CLAIM}"
        )
        expired = self._catalog.row(
            f"SELECT min({state.EXPIRES}) {facts} AND s.outcome <> '' AND s.fresh = 1 AND {state.EXPIRES} < ?"
            f" AND {state.EXPIRES} >= ?",
            (ground, now, after),
        )[0]
        changed = self._catalog.rows(
            f"SELECT CASE s.outcome WHEN '' THEN max(m.created, m.updated) ELSE s.at END {facts}"
            " AND s.fresh = 0 AND (s.outcome <> '' OR f.form = 'builtin')",
            (ground,),
        )
        times = [expired] if expired else []
        if changed and (since := self._change_time()):
            times += [at for (made,) in changed if (at := max(made, since)) >= after]
        return min(times, default=0)

    def _change_time(self) -> int:
        """Return the commit time of HEAD; 0 if HEAD is not the default branch, the only one that jobs judge."""
        head = self._git.read_head()[1]
        if head is None or (self._default and self._git.read_ref(self._default) != head):
            return 0
        return newest_commit(self._git, (head,))

    def came(self) -> int:
        """Return when the last verdicts on the fetched but unmerged branch were recorded, epoch seconds; else 0."""
        theirs = self._git.read_ref(self._upstream)
        record = _last_recorded(self._git, theirs) if theirs else None
        return record.at if record else 0


def newest_commit(git: Git, names: Iterable[str]) -> int:
    """Return the time of the newest of the named commits, epoch seconds; 0 if none exists."""
    named = (git.read_head()[1] if name == "HEAD" else git.read_ref(name) if "/" in name else name for name in names)
    known = list(dict.fromkeys(filter(None, named)))
    if not known:
        return 0
    try:
        output = git.run("log", "--no-walk=unsorted", "--no-show-signature", "--format=%ct", *known, timeout_s=5).stdout
    except ProcessError:
        return 0  # an object is missing
    return max(map(int, output.split()), default=0)


def describe_last(git: Git, catalog: Catalog, *, now: int) -> dict[str, Any] | None:
    """Return when and on which code commit a verify job last ran, here or according to the branch; starts no process.

    Args:
        git: The repository.
        catalog: The store's catalog.
        now: Epoch seconds.
    """
    job = last_job(git.repository.state)
    row = catalog.row("SELECT at, code_commit FROM verdict ORDER BY at DESC LIMIT 1")
    candidates = [(row[0], row[1])] if row else []
    candidates += [(job.started, job.commit)] if job and job.commit else []
    if not candidates:
        return None
    at, commit = max(candidates)
    values = {"at": format_time(at), "age_s": age_s(at, now), "commit": commit}
    return values | {"is_head": commit == git.read_head()[1]}


def describe_jobs(git: Git, schedules: Sequence[Schedule], *, tip: str, now: int) -> dict[str, Any]:
    """Return the last verify job in this clone, the last ones that wrote to the branch, and the schedules, as JSON.

    Args:
        git: The repository.
        schedules: The schedules of this repository.
        tip: The commit of the memory branch; empty if there is none.
        now: Epoch seconds.
    """
    last = _last_recorded(git, tip) if tip else None
    forge = last if last is None or last.is_claimed else None
    if last is not None and forge is None and any(schedule.is_forge for schedule in schedules):
        forge = _last_recorded(git, tip, claimed=True)
    head = git.read_head()[1]
    far = cache(lambda commit: distance(git, commit, head))  # they are often the same commit
    return {
        "last": _last_job(git, now, far),
        "branch": _as_table(last, now, far),
        "claimed": _as_table(forge, now, far),
        "schedules": as_table(schedules),
    }


def _last_job(git: Git, now: int, far: Callable[[str], dict[str, int | None]]) -> dict[str, Any] | None:
    job = last_job(git.repository.state)
    if job is None:
        return None
    how = "ended" if job.ended else "running" if is_running(job) else "killed"
    return {
        "at": format_time(job.started),
        "age_s": age_s(job.started, now),
        "state": "failed" if job.problem else how,
        "commit": job.commit,
        **far(job.commit),
        "due": job.due,
        "failed": job.failed,
        "unchecked": job.unchecked,
        "problem": redact(job.problem),
        "scheduled": job.is_scheduled,
        "seconds": max(0, job.ended - job.started) if job.ended else None,
    }


def describe_end(last: Mapping[str, Any]) -> str:
    """Describe how the last verify job ended (``jobs.last`` of ``status``), or that it did not."""
    values = {"running": "runs now", "killed": "was killed", "failed": f"failed: {last['problem']}"}
    counts = [(last["due"], "due"), (last["failed"], "failed"), (last["unchecked"], "not checked")]
    ran = ", ".join(f"{number} {word}" for number, word in counts if number)
    return values.get(last["state"], ran or "nothing was due")


@frozen
class RecordCommit:
    """A branch commit made by a verify job: its time (epoch seconds), the code commit, and who judged it."""

    commit: str
    at: int
    code: str
    is_claimed: bool


def _last_recorded(git: Git, tip: str, *, claimed: bool = False) -> RecordCommit | None:
    """Return the last branch commit made by a verify job; with *claimed*, the last with results of other machines."""
    form = f"--format=%H%x00%ct%x00%(trailers:key=Code-Commit,valueonly)%x00%(trailers:key={CLAIMED},valueonly)"
    sought = f"--grep=^{CLAIMED}: " if claimed else "--grep=^Gitmem-Verdicts: "
    try:
        output = git.run("log", "-1", "--no-show-signature", sought, form, tip, timeout_s=5).stdout
        commit, at, code, by = output.decode("utf-8", "replace").strip("\n").split("\0")
    except (ProcessError, ValueError):
        return None  # none was recorded yet, or it is too far back to be found in time
    return RecordCommit(commit, int(at), code.strip() if is_oid(code.strip()) else "", bool(by.strip()))


def _as_table(
    recorded: RecordCommit | None, now: int, far: Callable[[str], dict[str, int | None]]
) -> dict[str, Any] | None:
    if recorded is None:
        return None
    return {
        "commit": recorded.commit,
        "at": format_time(recorded.at),
        "age_s": age_s(recorded.at, now),
        "code": recorded.code,
        **far(recorded.code),
        "claimed": recorded.is_claimed,
    }


def distance(git: Git, commit: str, head: str | None) -> dict[str, int | None]:
    """Return how many commits a commit is behind *head*, and how many ahead; both if they have diverged."""
    if not commit:
        return {"behind": None, "ahead": None}
    if commit == head:
        return {"behind": 0, "ahead": 0}
    try:
        # Without a commit at HEAD, all of its history is ahead.
        span = ("--left-right", f"{commit}...{head}") if head else (commit,)
        output = git.run("rev-list", "--count", *span, "--", timeout_s=5).stdout
        ahead, *rest = map(int, output.split())
        behind = rest[0] if rest else 0
    except (ProcessError, ValueError):
        return {"behind": None, "ahead": None}  # the commit is not in this clone
    return {"behind": behind, "ahead": ahead}
