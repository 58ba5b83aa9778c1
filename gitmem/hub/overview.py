"""The state of a hub in figures, and making its memories again."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.hub.database import transaction
from gitmem.hub.registry import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from gitmem.hub.database import Connection

_FIGURES = """
SELECT count(*), count(*) FILTER (WHERE synced_at IS NULL), min(synced_at), max(synced_at),
  (SELECT count(*) FROM hub.memory WHERE NOT deleted), (SELECT count(*) FROM hub.memory WHERE deleted),
  (SELECT coalesce(max(seq), 0) FROM hub.memory), pg_database_size(current_database())
FROM hub.repository WHERE removed_at IS NULL
"""
_STATUSES = """
SELECT status, count(*) FROM hub.memory WHERE NOT deleted AND status <> '' GROUP BY status
ORDER BY count(*) DESC, status
"""
_PROBLEMS = """
SELECT problem, count(*), min(problem_at), (array_agg(name ORDER BY name))[1:3] FROM hub.repository
WHERE removed_at IS NULL AND problem <> '' GROUP BY problem ORDER BY count(*) DESC, problem
"""
_QUEUE = """
SELECT count(*) FILTER (WHERE j.status = 'todo' AND j.scheduled_at <= now() IS NOT FALSE),
  count(*) FILTER (WHERE j.status = 'todo' AND j.scheduled_at > now()), count(*) FILTER (WHERE j.status = 'doing'),
  (SELECT min(e.at) FROM public.procrastinate_events e JOIN public.procrastinate_jobs o ON o.id = e.job_id
    WHERE e.type = 'deferred' AND o.status = 'todo' AND o.scheduled_at <= now() IS NOT FALSE),
  (SELECT count(*) FROM public.procrastinate_workers WHERE last_heartbeat > now() - interval '1 minute'),
  (SELECT coalesce(sum(v.unapproved), 0) FROM hub.verification v JOIN hub.repository r ON r.id = v.repository
    WHERE r.removed_at IS NULL)
FROM public.procrastinate_jobs j
"""
_FAILURES = """
SELECT v.problem, count(*), min(v.problem_at), (array_agg(r.name ORDER BY r.name))[1:3]
FROM hub.verification v JOIN hub.repository r ON r.id = v.repository
WHERE r.removed_at IS NULL AND v.problem <> '' GROUP BY v.problem ORDER BY count(*) DESC, v.problem
"""


@frozen
class Cause:
    """A reason why repositories cannot be read or verified.

    Attributes:
        problem: The reason.
        repositories: How many have it.
        since: Since when the first one was tried in vain at the latest.
        names: The first three of them.
    """

    problem: str
    repositories: int
    since: datetime
    names: Sequence[str]


@frozen
class Queue:
    """The state of verification.

    Attributes:
        waiting: How many repositories wait for a worker.
        tomorrow: How many wait for a later time, most of them for tomorrow's budget.
        running: How many are being verified.
        oldest: Since when the first of those that wait has been waiting; None if none waits.
        workers: How many workers showed a sign of life in the last minute.
        unapproved: How many facts the last jobs did not judge because their commands are not approved.
        failures: Why repositories cannot be verified, most frequent first.
    """

    waiting: int
    tomorrow: int
    running: int
    oldest: datetime | None
    workers: int
    unapproved: int
    failures: tuple[Cause, ...]


@frozen
class Overview:
    """The state of a hub.

    Attributes:
        repositories: How many repositories there are.
        unread: How many were never read.
        oldest: The sync that is longest ago; None before the first one.
        newest: The latest sync.
        memories: How many memories there are.
        tombstones: How many rows only say that a memory went.
        change: The number of the last change.
        bytes: The size of the database.
        statuses: How many memories have each status, most frequent first.
        causes: Why repositories cannot be read, most frequent first.
        queue: The state of verification.
    """

    repositories: int
    unread: int
    oldest: datetime | None
    newest: datetime | None
    memories: int
    tombstones: int
    change: int
    bytes: int
    statuses: tuple[tuple[str, int], ...]
    causes: tuple[Cause, ...]
    queue: Queue


def read_overview(connection: Connection) -> Overview:
    """Return the state of a hub, at one moment."""
    with transaction(connection):
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        figures = connection.execute(_FIGURES).fetchone()
        assert figures is not None, "counts are one row"
        statuses = tuple((str(status), int(count)) for status, count in connection.execute(_STATUSES))
        causes = tuple(Cause(*row) for row in connection.execute(_PROBLEMS))
        queued = connection.execute(_QUEUE).fetchone()
        assert queued is not None, "counts are one row"
        failures = tuple(Cause(*row) for row in connection.execute(_FAILURES))
        queue = Queue(**dict(zip(Queue.__annotations__, (*queued, failures), strict=True)))
    return Overview(**dict(zip(Overview.__annotations__, (*figures, statuses, causes, queue), strict=True)))


def forget_memories(connection: Connection) -> None:
    """Delete every memory and tombstone, so that the next sync reads all repositories and every node starts again.

    The list of repositories, their readers and the audit log stay.
    """
    with transaction(connection):
        connection.execute("UPDATE hub.hub SET generation = gen_random_uuid()")
        connection.execute("TRUNCATE hub.memory, hub.link")
        connection.execute("DELETE FROM hub.repository WHERE removed_at IS NOT NULL")
        connection.execute("UPDATE hub.repository SET commit = '', synced_at = NULL, problem = '', problem_at = NULL")
        log(connection, "rebuild", None, "")
        connection.execute("SELECT pg_notify('gitmem_hub_change', '')")
