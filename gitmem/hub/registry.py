"""The repositories of the hub: add one, remove one, list them; each change is in the audit log."""

from __future__ import annotations

import re

from psycopg.rows import class_row

from gitmem.config import is_branch
from gitmem.errors import NotFoundError, UsageError
from gitmem.frozen import frozen
from gitmem.hub.database import transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from gitmem.hub.database import Connection

# A reader that stands for every identity, also for one that nobody has named.
EVERYONE = "everyone"
NAME_LENGTH, PRINCIPAL_LENGTH, URL_LENGTH, PLATFORM_LENGTH = 200, 200, 2000, 100
# What names may have besides letters and digits: those of forges ("group/sub.group/a-service_2").
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(?:/[A-Za-z0-9][A-Za-z0-9._-]*)*")
# Transports that only move data. `ext::` runs a program, and so may others that git learns of by their names.
_URL = re.compile(r"(?:(?:https?|ssh|git|file)://|/|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+:)[^\x00-\x20\x7f]+")
_SECRET_IN_URL = re.compile(r"https?://[^/@]*:[^/@]*@")


_LISTED_SQL = """
SELECT r.name, r.url, r.branch, r.team, r.commit, r.synced_at, r.problem,
  ARRAY (SELECT principal FROM hub.reader p WHERE p.repository = r.id ORDER BY 1) AS readers,
  (SELECT count(*) FROM hub.memory m WHERE m.repository = r.id AND NOT m.deleted) AS memories
FROM hub.repository r WHERE r.removed_at IS NULL ORDER BY r.name COLLATE "C"
"""


@frozen
class Listed:
    """A repository of the hub.

    Attributes:
        name: Its name, by which queries filter and results are shown.
        url: Where it is fetched from.
        branch: Its memory branch.
        team: The principal whose repository it is; or empty.
        readers: The principals that may read it, sorted.
        memories: How many memories it has.
        commit: The commit of the memory branch that was read; empty before the first time.
        synced_at: When that was; None before the first time.
        problem: Why the last attempt failed; or empty.
    """

    name: str
    url: str
    branch: str
    team: str
    readers: Sequence[str]
    memories: int
    commit: str
    synced_at: datetime | None
    problem: str


@frozen
class Entry:
    """What a person says of a repository to add.

    Attributes:
        url: Where it is fetched from.
        name: Its name; empty to take it from the address.
        branch: Its memory branch.
        team: The principal whose repository it is; or empty.
        readers: The principals that may read it.
        platform: The label of the workers that may verify it; empty for all.
        budget_s: The seconds of workers that it may use on one day; None for no limit.
    """

    url: str
    name: str = ""
    branch: str = "memory"
    team: str = ""
    readers: tuple[str, ...] = ()
    platform: str = ""
    budget_s: int | None = None


def name_of(url: str) -> str:
    """Return the name of a repository from its address: the last two parts of its path, without ``.git``."""
    path = url.removesuffix("/").removesuffix(".git").removesuffix("/")
    path = path.partition("://")[2].partition("/")[2] if "://" in path else path.rpartition(":")[2]
    parts = [part for part in path.split("/") if part]
    return "/".join(parts[-2:])


def add(connection: Connection, entry: Entry) -> str:
    """Add a repository, or change the name, team and readers of one that is listed; return its name.

    Args:
        connection: A connection of the role that owns the tables.
        entry: What is known of it.

    Raises:
        UsageError: The address, a name or a reader cannot be used, or another repository has the name.
    """
    name = entry.name or name_of(entry.url)
    _refuse_wrong(entry, name)
    readers = sorted({*entry.readers, *([entry.team] if entry.team else [])})
    with transaction(connection):
        connection.execute("LOCK TABLE hub.repository IN SHARE ROW EXCLUSIVE MODE")
        listed = "SELECT url, branch FROM hub.repository WHERE name = %s AND removed_at IS NULL"
        other = connection.execute(listed, (name,)).fetchone()
        if other is not None and other != (entry.url, entry.branch):
            raise UsageError(f"another repository is called {name}: {other[0]}", hint="--name NAME")
        row = connection.execute(
            "INSERT INTO hub.repository (name, url, branch, team, platform, budget_s) VALUES (%s, %s, %s, %s, %s, %s)"
            " ON CONFLICT (url, branch) WHERE removed_at IS NULL DO UPDATE SET name = excluded.name,"
            " team = excluded.team, platform = excluded.platform, budget_s = excluded.budget_s RETURNING id",
            (name, entry.url, entry.branch, entry.team, entry.platform, entry.budget_s),
        ).fetchone()
        assert row is not None, "the statement returns the row that it wrote"
        connection.execute("DELETE FROM hub.reader WHERE repository = %s", row)
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO hub.reader VALUES (%s, %s)", [(row[0], reader) for reader in readers])
        log(connection, "add", row[0], f"{name} {entry.url} readers: {', '.join(readers) or 'none'}")
    return name


def remove(connection: Connection, name: str) -> None:
    """Remove a repository: no one can read it from now on, and its memories become tombstones without text.

    Raises:
        NotFoundError: No repository has this name.
    """
    with transaction(connection):
        row = connection.execute(
            "UPDATE hub.repository SET removed_at = now(), policy = '', problem = ''"
            " WHERE name = %s AND removed_at IS NULL RETURNING id",
            (name,),
        ).fetchone()
        if row is None:
            raise NotFoundError(f"the hub has no repository {name}", hint="gitmem hub list")
        connection.execute("DELETE FROM hub.reader WHERE repository = %s", row)
        connection.execute("DELETE FROM hub.link WHERE repository = %s", row)
        bury(connection, row[0])
        log(connection, "remove", row[0], name)


def bury(connection: Connection, number: int, paths: Sequence[str] | None = None) -> int:
    """Make memories of a repository tombstones, all of them or those at some paths; return how many."""
    done = connection.execute(
        "UPDATE hub.memory SET deleted = true, key = '', kind = '', status = '', owner = '', title = '', fields = '{}',"
        " text = '', blob = '', digest = '' WHERE repository = %s AND NOT deleted"
        " AND (%s::text[] IS NULL OR path = ANY (%s))",
        (number, paths, paths),
    )
    return done.rowcount


def list_repositories(connection: Connection) -> list[Listed]:
    """Return the repositories of the hub, sorted by name; may be empty."""
    with connection.cursor(row_factory=class_row(Listed)) as cursor:
        return cursor.execute(_LISTED_SQL).fetchall()


def log(connection: Connection, action: str, number: int | None, detail: str) -> None:
    """Add a change to the audit log, as the role that this process connected with."""
    connection.execute(
        "INSERT INTO hub.audit (identity, action, repository, detail) VALUES (session_user, %s, %s, %s)",
        (action, number, detail),
    )


def refuse_wrong_platform(label: str) -> None:
    """Raise an error if a platform cannot have this label.

    Raises:
        UsageError: It cannot.
    """
    if label and (len(label) > PLATFORM_LENGTH or not _NAME.fullmatch(label)):
        raise UsageError(
            f"invalid platform label: {label[:80]!r}", hint="--platform LABEL, of letters, digits and /._-"
        )


def _refuse_wrong(entry: Entry, name: str) -> None:
    """Raise an error if a part of an entry cannot be used.

    Raises:
        UsageError: It cannot.
    """
    if len(entry.url) > URL_LENGTH or not _URL.fullmatch(entry.url):
        raise UsageError(
            f"this is not the address of a repository: {entry.url[:80]!r}",
            hint="https://HOST/PATH, ssh://HOST/PATH, USER@HOST:PATH, or an absolute folder",
        )
    if _SECRET_IN_URL.match(entry.url):
        raise UsageError("the address contains a password, which would be stored", hint="use git's credential helper")
    if len(name) > NAME_LENGTH or not _NAME.fullmatch(name):
        raise UsageError(f"invalid repository name: {name[:80]!r}", hint="--name NAME, of letters, digits and /._-")
    if not is_branch(entry.branch):
        raise UsageError(f"invalid branch name: {entry.branch[:80]!r}", hint="--branch memory")
    refuse_wrong_platform(entry.platform)
    for reader in (*entry.readers, *([entry.team] if entry.team else [])):
        if not reader.isprintable() or not 0 < len(reader) <= PRINCIPAL_LENGTH or reader != reader.strip():
            raise UsageError(f"invalid reader: {reader[:80]!r}", hint="--reader NAME")
