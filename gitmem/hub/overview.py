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


@frozen
class Cause:
    """A reason why repositories cannot be read.

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


def read_overview(connection: Connection) -> Overview:
    """Return the state of a hub, at one moment."""
    with transaction(connection):
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        figures = connection.execute(_FIGURES).fetchone()
        assert figures is not None, "counts are one row"
        statuses = tuple((str(status), int(count)) for status, count in connection.execute(_STATUSES))
        causes = tuple(Cause(*row) for row in connection.execute(_PROBLEMS))
    return Overview(**dict(zip(Overview.__annotations__, (*figures, statuses, causes), strict=True)))


def forget_memories(connection: Connection) -> None:
    """Delete every memory and tombstone, so that the next sync reads all repositories and every node starts again.

    The list of repositories, their readers and the audit log stay.
    """
    with transaction(connection):
        connection.execute("UPDATE hub.hub SET generation = gen_random_uuid()")
        connection.execute("TRUNCATE hub.memory")
        connection.execute("DELETE FROM hub.repository WHERE removed_at IS NOT NULL")
        connection.execute("UPDATE hub.repository SET commit = '', synced_at = NULL, problem = '', problem_at = NULL")
        log(connection, "rebuild", None, "")
        connection.execute("SELECT pg_notify('gitmem_hub_change', '')")
