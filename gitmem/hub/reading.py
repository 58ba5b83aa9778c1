"""Read the database for one identity: row-level security decides, and reads of others' memories are logged."""

from __future__ import annotations

from contextlib import contextmanager
from time import monotonic

from psycopg_pool import ConnectionPool, PoolTimeout

from gitmem.document.elsewhere import APART
from gitmem.errors import GitmemError
from gitmem.frozen import frozen
from gitmem.hub.database import CONNECT_TIMEOUT_S, FOLLOWER, READER, worded
from gitmem.hub.follower import Repository
from gitmem.hub.links import find_suspicions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.hub.database import Connection
    from gitmem.hub.identity import Identity
    from gitmem.hub.links import Suspicion

CONNECTIONS = 8
# A request waits no longer for a connection, nor for a statement.
WAIT_S, STATEMENT_MS = 2.0, 2_000
# How long a reader's list of repositories is believed before the database is asked again. Texts are always asked for.
VISIBLE_S = 10.0
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

    def __init__(self, url: str) -> None:
        """Use a database; no connection is opened yet."""
        options = {"autocommit": True, "connect_timeout": CONNECT_TIMEOUT_S, "prepare_threshold": None}
        self._pool = ConnectionPool(
            url, min_size=1, max_size=CONNECTIONS, timeout=WAIT_S, kwargs=options, open=False, reconnect_timeout=5.0
        )
        self._visible: dict[tuple[str, ...], tuple[float, Visible]] = {}
        self._shared: dict[frozenset[int], tuple[float, Visible]] = {}

    def open(self) -> None:
        """Begin to connect."""
        self._pool.open()

    def close(self) -> None:
        """Close the connections."""
        self._pool.close()

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
        """Return the repositories that an identity may read, and what is suspect for it because of others of these.

        Raises:
            GitmemError: The database cannot be reached, or refuses.
        """
        now = monotonic()
        known = _fresh(self._visible, identity.principals, now)
        if known is None:
            known = self._read_shared(identity, now)
            _keep(self._visible, identity.principals, known)
        repositories: Visible = known[1]
        return repositories

    def _read_shared(self, identity: Identity, now: float) -> tuple[float, Visible]:
        """Return what an identity may read, and since when that is known, as it is for all who may read the same."""
        # A snapshot: what others share must come from no repository that this identity may not read.
        with self._as(READER, identity.principals, is_snapshot=True) as connection:
            numbers = frozenset(row[0] for row in connection.execute("SELECT id FROM hub.repository"))
            # All else depends on nothing but these, and most identities read the same ones.
            shared = _fresh(self._shared, numbers, now)
            if shared is None:
                shared = now, _read_visible(connection)
                _keep(self._shared, numbers, shared)
        return shared


def _read_visible(connection: Connection) -> Visible:
    """Return what the identity of a transaction may see."""
    rows = connection.execute("SELECT id, name, language, policy, team FROM hub.repository").fetchall()
    repositories = {row[0]: Repository(*row[:4]) for row in rows}
    return Visible(repositories, {row[0]: row[4] for row in rows}, find_suspicions(connection))


def _fresh(kept: Mapping[Any, tuple[float, Any]], key: object, now: float) -> tuple[float, Any] | None:
    """Return what was read for a key and when; None if that is too long ago."""
    known = kept.get(key)
    return known if known is not None and now - known[0] < VISIBLE_S else None


def _keep(kept: dict[Any, tuple[float, Any]], key: object, value: tuple[float, object]) -> None:
    if len(kept) >= VISIBLE_AT_MOST:
        kept.clear()
    kept[key] = value


def find_readable(connection: Connection, suspicions: Iterable[Suspicion]) -> list[Suspicion]:
    """Return the suspicions of which the identity may now read all repositories from which they come."""
    chosen = [*suspicions]
    if not chosen:
        return []
    numbers = sorted({number for one in chosen for number in one.reads})
    rows = connection.execute("SELECT id FROM hub.repository WHERE id = ANY (%s)", (numbers,))
    readable = {row[0] for row in rows}
    return [one for one in chosen if one.reads.keys() <= readable]


def read_texts(connection: Connection, places: Sequence[tuple[int, str]]) -> dict[tuple[int, str], Text]:
    """Return the memories at these repositories and paths that the identity may read now."""
    numbers, paths = [number for number, _ in places], [path for _, path in places]
    rows = connection.execute(
        f"SELECT {_TEXT} FROM hub.memory JOIN unnest(%s::integer[], %s::text[]) AS asked (repository, path)"
        " USING (repository, path)",
        (numbers, paths),
    )
    return {(row[0], row[1]): Text(*row) for row in rows}


def find_text(connection: Connection, name: str, key: str) -> Text | None:
    """Return a memory by the name of its repository and its key, if the identity may read it."""
    columns = ", ".join(f"m.{one.strip()}" for one in _TEXT.split(","))
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
    columns = ", ".join(f"m.{one.strip()}" for one in _TEXT.split(","))
    rows = connection.execute(
        f"SELECT a.name, {columns} FROM unnest(%s::text[], %s::text[]) AS a (name, key)"
        " JOIN hub.repository r ON r.name = a.name JOIN hub.memory m ON m.repository = r.id AND m.key = a.key"
        " WHERE m.fields ->> 'hidden' = '' ORDER BY m.path DESC",
        ([name for name, _ in references], [key for _, key in references]),
    )
    return {f"{name}{APART}{text.key}": text for name, *row in rows for text in (Text(*row),)}


def note_reads(
    connection: Connection,
    identity: Identity,
    action: str,
    reads: Mapping[int, Sequence[str]],
    teams: Mapping[int, str],
) -> None:
    """Note which memories of other teams' repositories an identity reads; without the note, nothing is read.

    Args:
        connection: The transaction that reads them.
        identity: Who reads.
        action: What they do.
        reads: The keys that are read, by repository.
        teams: The team of each of these repositories.
    """
    foreign = [number for number in sorted(reads) if teams[number] not in identity.principals]
    if foreign:
        details = [" ".join(reads[number]) for number in foreign]
        connection.execute(
            "INSERT INTO hub.audit (identity, action, repository, detail)"
            " SELECT %s, %s, repository, detail FROM unnest(%s::integer[], %s::text[]) AS read (repository, detail)",
            (identity.name, action, foreign, details),
        )
