"""One job: judge the due facts of a repository as its own workflow would, and push the verdicts.

It runs ``gitmem verify`` with the reviewed list on the default branch, in gitmem's sandbox. Nobody is there to approve
anything: a command without approval is not run, and is counted.
"""

from __future__ import annotations

import json
import platform
import time
from pathlib import Path

from gitmem.errors import BusyError, GitmemError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.hub.database import connected, transaction
from gitmem.hub.links import read_stated
from gitmem.hub.work.checkout import Checkout
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.system.process import ProcessResult

# How often verdicts are merged with what others pushed meanwhile.
PUSHES = 5
PROBLEM_LENGTH = 500
_TODAY = "(now() AT TIME ZONE 'UTC')::date"
_REPOSITORY = f"""
SELECT r.name, r.url, r.branch, r.code,
  r.budget_s - (SELECT s.seconds FROM hub.spent s WHERE s.repository = r.id AND s.day = {_TODAY}), r.budget_s
FROM hub.repository r WHERE r.id = %s AND r.removed_at IS NULL
"""
_STARTED = """
INSERT INTO hub.verification (repository, tried, worker) VALUES (%s, %s, %s)
ON CONFLICT (repository) DO UPDATE SET tried = excluded.tried, worker = excluded.worker
"""
_SPENT = f"""
INSERT INTO hub.spent AS s (repository, day, seconds) VALUES (%s, {_TODAY}, %s)
ON CONFLICT (repository, day) DO UPDATE SET seconds = s.seconds + excluded.seconds
"""


@frozen
class Verified:
    """What a job did.

    Attributes:
        name: The repository; empty if it is no longer in the hub, or today's budget is used up.
        judged: How many facts were judged.
        failed: How many of them fail.
        unapproved: How many were due and not judged because their commands are not approved.
        pushed: The commit that was pushed; empty if there was nothing to push.
        code: The commit of the code that was judged.
        memory: The commit of the memory branch afterwards.
        stated: The fingerprint of the values of other repositories that were known.
        seconds: How long it took.
        problem: Why it failed; or empty.
        is_postponed: Whether it did not begin, because an earlier job's check still runs on this machine.
    """

    name: str
    judged: int = 0
    failed: int = 0
    unapproved: int = 0
    pushed: str = ""
    code: str = ""
    memory: str = ""
    stated: str = ""
    seconds: float = 0.0
    problem: str = ""
    is_postponed: bool = False


@frozen
class Job:
    """A job of the queue.

    Attributes:
        repository: The number of the repository.
        limit_s: The most seconds that it may take.
        is_ours: Returns whether the job still belongs to this worker: another one takes it if this one seems dead.
    """

    repository: int
    limit_s: float
    is_ours: Callable[[], bool]


def verify(url: str, folder: Path, job: Job) -> Verified:
    """Verify a repository, and record what happened in the database.

    Args:
        url: The database, for the role that owns the tables.
        folder: The folder of the clones.
        job: The job.

    Raises:
        GitmemError: The database cannot be reached; what is wrong with the repository is recorded and returned.
    """
    start = time.monotonic()
    with connected(url) as connection:
        row = connection.execute(_REPOSITORY, (job.repository,)).fetchone()
        if row is None:
            return Verified("")
        name, address, branch, code, left_s, budget_s = row
        left_s = budget_s if left_s is None else left_s
        if left_s is not None and left_s <= 0:
            return Verified("")  # it is due until tomorrow's budget, and queued for then
        connection.execute(_STARTED, (job.repository, code, platform.node()))
    limit_s = min(job.limit_s, left_s) if left_s is not None else job.limit_s
    checkout = Checkout(
        folder / str(job.repository), address, branch, remaining_s=lambda: start + limit_s - time.monotonic()
    )
    verified = Verified(name, problem="gitmem itself failed; see the output of its worker")
    try:
        verified = _judge(url, checkout, name, job)
    except BusyError:
        verified = Verified(name, is_postponed=True)
    except GitmemError as err:
        is_late = time.monotonic() - start >= limit_s
        problem = f"it took longer than {limit_s:.0f} seconds" if is_late else err.message
        verified = Verified(name, problem=one_line(problem))
    finally:
        verified = replace(verified, seconds=time.monotonic() - start)
        _record(url, job, verified)
    return verified


def one_line(text: str) -> str:
    """Return a problem as one line without secrets and hidden characters: PostgreSQL refuses NUL."""
    return display(redact(" ".join(text.split())))[:PROBLEM_LENGTH]


def _judge(url: str, checkout: Checkout, name: str, job: Job) -> Verified:
    with checkout.locked():
        checkout.fetch()
        _need(checkout.gitmem("sync", "--no-push", "--json"), 0, 1)
        with connected(url) as connection:
            known, stated = read_stated(connection, job.repository)
        checkout.tell(known)
        approved = checkout.find_approved()
        words = ("verify", "--offline", "--fail-on", "never", "--json", *(("--approved", approved) if approved else ()))
        run = _read(checkout.gitmem(*words))
        if any(result["outcome"] == "fails" and result["news"] for result in run["results"]):
            checkout.fetch_history()
            _read(checkout.gitmem(*words, "--why"))
        pushed = _push(checkout, job)
        outcomes = [result["outcome"] for result in run["results"]]
        waiting = [
            result for result in run["results"] if result["outcome"] == "skipped" and result["reason"] == "not approved"
        ]
        problem = one_line(f"the verdicts could not be recorded: {run['unrecorded']}") if run["unrecorded"] else ""
        return Verified(
            name,
            judged=len(outcomes) - outcomes.count("skipped"),
            failed=outcomes.count("fails"),
            unapproved=len(waiting),
            pushed=pushed,
            code=checkout.code,
            memory=checkout.memory,
            stated=stated,
            problem=problem,
        )


def _push(checkout: Checkout, job: Job) -> str:
    """Push what is new, merged with what others pushed meanwhile; return the commit, or an empty string.

    Raises:
        GitmemError: The remote refuses it, or others were faster each time; it stays in the clone for the next job.
    """
    for _ in range(PUSHES):
        commit = checkout.find_new()
        if not commit:
            return ""
        if not job.is_ours():
            raise RefusedError("another worker took the job over, because this one had stopped answering")
        if checkout.push(commit):
            return commit
        _need(checkout.gitmem("sync", "--no-push", "--json"), 0, 1)
    raise GitmemError(f"others pushed to its memory branch {PUSHES} times in a row; the next job pushes the verdicts")


def _read(result: ProcessResult) -> dict[str, Any]:
    """Return the JSON document of ``gitmem verify``."""
    _need(result, 0, 1, 3)
    try:
        document: dict[str, Any] = json.loads(result.stdout)
    except ValueError as err:  # refused before anything ran
        raise GitmemError(_words_of(result)) from err
    return document


def _need(result: ProcessResult, *statuses: int) -> None:
    """Raise an error unless a command ended with one of these statuses.

    Raises:
        GitmemError: It did not.
    """
    if result.status not in statuses:
        raise GitmemError(_words_of(result))


def _words_of(result: ProcessResult) -> str:
    lines = [line for line in result.stderr.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[0].removeprefix("gitmem: ") if lines else f"gitmem ended with the status {result.status}"


def _record(url: str, job: Job, verified: Verified) -> None:
    with connected(url) as connection, transaction(connection):
        connection.execute(_SPENT, (job.repository, verified.seconds))
        if verified.is_postponed:
            return
        if verified.problem:
            connection.execute(
                "UPDATE hub.verification SET problem = %s, problem_at = now(), seconds = %s WHERE repository = %s",
                (verified.problem, verified.seconds, job.repository),
            )
            return
        connection.execute(
            "UPDATE hub.verification SET at = now(), code = %s, memory = %s, stated = %s, judged = %s,"
            " unapproved = %s, seconds = %s, problem = '', problem_at = NULL WHERE repository = %s",
            (
                *(
                    verified.code,
                    verified.memory,
                    verified.stated,
                    verified.judged,
                    verified.unapproved,
                    verified.seconds,
                ),
                job.repository,
            ),
        )
