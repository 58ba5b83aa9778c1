"""Read the database for one identity: row-level security decides, and reads of others' memories are logged.

What it has decided is believed for a minute while the search node, which asks every second, sees the same fingerprint
of who may read what. If the node has not asked lately, or has no answer, it is asked for again.
"""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic, sleep

from psycopg_pool import ConnectionPool, PoolTimeout

from gitmem.document.elsewhere import SEPARATOR
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.hub.audit import AuditLog
from gitmem.hub.database import CONNECT_TIMEOUT_S, FOLLOWER, READER, worded
from gitmem.hub.follower import ACCESS, MARK, POLL_S, Repository
from gitmem.hub.links import find_suspicions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.hub.audit import Read
    from gitmem.hub.database import Connection
    from gitmem.hub.identity import Identity
    from gitmem.hub.links import Suspicion

CONNECTIONS = 8
# A request waits no longer for a connection, nor for a statement.
WAIT_S, STATEMENT_MS = 2.0, 2_000
# How long a reader's list of repositories is believed while the fingerprint is the same, and what is known of these.
ALLOWED_S, VISIBLE_S = 60.0, 10.0
VISIBLE_AT_MOST = 1_000
# How each transaction begins: for how long a statement may run, with whose rights, and for whom.
_BEGIN = """
SELECT set_config('statement_timeout', %s, true), set_config('role', %s, true), set_config('gitmem.identity', %s, true)
"""
_POWERS = """
SELECT r.rolsuper OR r.rolbypassrls,
  EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'hub' AND pg_has_role(r.oid, c.relowner, 'MEMBER')),
  (SELECT coalesce(bool_or(g.rolsuper OR g.rolbypassrls), false) FROM pg_roles g WHERE g.rolname = ANY (%(roles)s)),
  (SELECT count(*) FROM pg_roles g WHERE g.rolname = ANY (%(roles)s) AND pg_has_role(r.oid, g.oid, 'MEMBER')),
  r.rolname
FROM pg_roles r WHERE r.rolname = session_user
"""


@frozen
class Visible:
    """What a reader may see, as it was a moment ago.

    Attributes:
        repositories: The repositories by number.
        teams: The team of each; or empty.
        suspicions: Why memories are suspect because of another repository, by repository and path.
    """

    repositories: Mapping[int, Repository]
    teams: Mapping[int, str]
    suspicions: Mapping[tuple[int, str], Suspicion]


@frozen
class Text:
    """A memory as a reader may see it."""

    repository_id: int
    path: str
    key: str
    kind: str
    status: str
    owner: str
    title: str
    fields: Mapping[str, Any]
    text: str


_TEXT = ", ".join("repository" if name == "repository_id" else name for name in Text.__annotations__)


def refuse_powers(connection: Connection) -> None:
    """Raise an error if the role of a connection could bypass the rules, or cannot read at all.

    Raises:
        GitmemError: It is a superuser, bypasses row-level security, or owns a table; or it lacks a role.
    """
    row = connection.execute(_POWERS, {"roles": [READER, FOLLOWER]}).fetchone()
    assert row is not None, "a session has a role"
    is_mighty, is_owner, has_mighty_role, roles, name = row
    hint = f"CREATE ROLE hub_server LOGIN NOINHERIT IN ROLE {READER}, {FOLLOWER}"
    if is_mighty or has_mighty_role:
        raise GitmemError(f"the role {name} bypasses the rules about who may read what", hint=hint)
    if is_owner:
        raise GitmemError(
            f"the role {name} owns the tables, so the rules about who may read what do not apply to it", hint=hint
        )
    if roles < 2:
        raise GitmemError(f"the role {name} is not a member of {READER} and {FOLLOWER}", hint=hint)


class Reading:
    """Connections that read for identities."""

    def __init__(
        self, url: str, access: Callable[[], str] = str, history: Callable[[], tuple[int, str]] = lambda: (0, "")
    ) -> None:
        """Use a database; no connection is opened yet.

        Args:
            url: The database.
            access: Returns a fingerprint of who may read what, of a moment ago; empty if it is not known.
            history: Returns the last change that the index has, and its mark; 0 if it has none.
        """
        options = {"autocommit": True, "connect_timeout": CONNECT_TIMEOUT_S, "prepare_threshold": None}
        self._pool = ConnectionPool(
            url, min_size=1, max_size=CONNECTIONS, timeout=WAIT_S, kwargs=options, open=False, reconnect_timeout=5.0
        )
        self._access, self._history = access, history
        self._allowed: dict[tuple[str, ...], _Allowed] = {}
        self._shared: dict[tuple[str, frozenset[int]], tuple[float, Visible]] = {}
        self.audit = AuditLog(self._write_reads)

    def open(self) -> None:
        """Begin to connect."""
        self._pool.open()
        self.audit.open()

    def close(self) -> int:
        """Write what is not noted yet, and close the connections; return how many reads could not be noted."""
        lost = self.audit.close()
        self._pool.close()
        return lost

    @contextmanager
    def of(self, identity: Identity) -> Iterator[Connection]:
        """Yield a connection in one transaction that sees what an identity may.

        Raises:
            GitmemError: The database cannot be reached, or refuses.
        """
        with self._as(READER, identity.principals) as connection:
            yield connection

    def note_push(self, urls: Sequence[str]) -> None:
        """Make the next sync look at the repositories of these addresses at once, if the hub has any.

        Raises:
            GitmemError: The database cannot be reached, or refuses.
        """
        with self._as(FOLLOWER) as connection:
            connection.execute("SELECT hub.note_push(%s)", (list(urls),))

    @contextmanager
    def _as(self, role: str, principals: Sequence[str] = (), *, is_snapshot: bool = False) -> Iterator[Connection]:
        """Yield a connection in one transaction that has the rights of a role.

        Args:
            role: The role.
            principals: For whom it reads.
            is_snapshot: Whether all statements see the database as it is at the first of them.

        Raises:
            GitmemError: The database cannot be reached, or refuses.
        """
        with worded():
            try:
                with self._pool.connection() as connection, connection.transaction():
                    if is_snapshot:
                        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
                    connection.execute(_BEGIN, (str(STATEMENT_MS), role, "\n".join(principals)))
                    yield connection
            except PoolTimeout as err:
                raise GitmemError("the database cannot be reached") from err

    def visible(self, identity: Identity) -> Visible:
        """Return the repositories that an identity may read now, and what is suspect for it because of others of these.

        Raises:
            GitmemError: The database cannot be reached, or refuses.
        """
        now, access = monotonic(), self._access()
        allowed = self._allowed.get(identity.principals)
        if allowed is None or not access or access != allowed.access or now - allowed.at >= ALLOWED_S:
            return self._read_visible(identity, access, now)
        shared = self._fresh((access, allowed.numbers), now)
        return self._read_visible(identity, access, now) if shared is None else shared

    def _read_visible(self, identity: Identity, access: str, now: float, *, is_last: bool = False) -> Visible:
        """Return what an identity may see; most identities may read the same repositories, and all else is shared.

        A replica that lacks the last change of the index is asked once more, a moment later.

        Args:
            identity: Who asks.
            access: The fingerprint from before. If the database, or its replica, has another one now, what it says is
                not remembered: rights may have been granted and revoked in between.
            now: Monotonic seconds.
            is_last: Whether it is not asked once more.

        Raises:
            GitmemError: The database is not the one that the index follows, as after a backup was restored: a
                repository may have the number of another one there.
        """
        seq, mark = self._history()
        # A snapshot: what others share must come from no repository that this identity may not read.
        with self._as(READER, identity.principals, is_snapshot=True) as connection:
            numbers = frozenset(row[0] for row in connection.execute("SELECT id FROM hub.repository"))
            connection.execute(f"SET LOCAL ROLE {FOLLOWER}")
            found = connection.execute(MARK, (seq,)).fetchone() if seq else (mark,)
            if (found or ("",)) == (mark,):
                # If the node does not know the fingerprint, what others share is at least of the same history.
                present = str((connection.execute(ACCESS).fetchone() or ("",))[0]) if access else mark
                shared = self._fresh((present, numbers), now)
                if shared is None:
                    connection.execute(f"SET LOCAL ROLE {READER}")
                    shared = _read_visible(connection)
                    _keep(self._shared, (present, numbers), (now, shared))
                if access and access == present:
                    _keep(self._allowed, identity.principals, _Allowed(now, access, numbers))
                return shared
        if found is None and not is_last:
            sleep(POLL_S)
            return self._read_visible(identity, access, now, is_last=True)
        raise GitmemError("the index of this server does not follow this database yet")

    def _fresh(self, key: tuple[str, frozenset[int]], now: float) -> Visible | None:
        """Return what was read of repositories under a fingerprint; None if that is too long ago."""
        known = self._shared.get(key)
        return known[1] if known is not None and now - known[0] < VISIBLE_S else None

    def _write_reads(self, rows: Sequence[Read]) -> None:
        with self._as(READER) as connection:
            write_reads(connection, rows)


@frozen
class _Allowed:
    """Which repositories an identity might read, when that was read, and the fingerprint of that time."""

    at: float
    access: str
    numbers: frozenset[int]


def _read_visible(connection: Connection) -> Visible:
    """Return what the identity of a transaction may see."""
    rows = connection.execute("SELECT id, name, language, policy, team FROM hub.repository").fetchall()
    repositories = {row[0]: Repository(*row[:4]) for row in rows}
    return Visible(repositories, {row[0]: row[4] for row in rows}, find_suspicions(connection))


def _keep(kept: dict[Any, Any], key: object, value: object) -> None:
    if len(kept) >= VISIBLE_AT_MOST:
        kept.clear()
    kept[key] = value


def find_readable(connection: Connection, suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """Return the suspicions of which the identity may now read all repositories from which they come."""
    chosen = [*suspicions]
    if not chosen:
        return []
    numbers = sorted({number for suspicion in chosen for number in suspicion.reads})
    rows = connection.execute("SELECT id FROM hub.repository WHERE id = ANY (%s)", (numbers,))
    readable = {row[0] for row in rows}
    return [suspicion for suspicion in chosen if suspicion.reads.keys() <= readable]


def find_text(connection: Connection, name: str, key: str) -> Text | None:
    """Return a memory by the name of its repository and its key, if the identity may read it."""
    columns = ", ".join(f"m.{part.strip()}" for part in _TEXT.split(","))
    row = connection.execute(
        f"SELECT {columns} FROM hub.memory m JOIN hub.repository r ON r.id = m.repository"
        " WHERE r.name = %s AND m.key = %s ORDER BY m.fields ->> 'hidden', m.path LIMIT 1",
        (name, key),
    ).fetchone()
    return None if row is None else Text(*row)


def find_texts(connection: Connection, references: Sequence[tuple[str, str]]) -> dict[str, Text]:
    """Return the memories with these repositories' names and keys that the identity may read, by reference.

    Those that a search hides are left out.
    """
    columns = ", ".join(f"m.{part.strip()}" for part in _TEXT.split(","))
    rows = connection.execute(
        f"SELECT a.name, {columns} FROM unnest(%s::text[], %s::text[]) AS a (name, key)"
        " JOIN hub.repository r ON r.name = a.name JOIN hub.memory m ON m.repository = r.id AND m.key = a.key"
        " WHERE m.fields ->> 'hidden' = '' ORDER BY m.path DESC",
        ([name for name, _ in references], [key for _, key in references]),
    )
    return {f"{name}{SEPARATOR}{text.key}": text for name, *row in rows for text in (Text(*row),)}


def write_reads(connection: Connection, rows: Sequence[Read]) -> None:
    """Write rows of ``hub.audit``; in a transaction that reads, nothing is read without them."""
    if rows:
        columns = zip(
            *((read.at, read.identity, read.action, read.repository, read.detail) for read in rows), strict=True
        )
        connection.execute(
            "INSERT INTO hub.audit (at, identity, action, repository, detail)"
            " SELECT to_timestamp(at), identity, action, repository, detail"
            " FROM unnest(%s::float8[], %s::text[], %s::text[], %s::integer[], %s::text[])"
            " AS read (at, identity, action, repository, detail)",
            [list(column) for column in columns],
        )
