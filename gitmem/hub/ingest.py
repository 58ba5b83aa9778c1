"""Bring the memories of repositories into the database: one repository's problem is a line, and the others go on."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import monotonic

from gitmem.errors import GitmemError, NotFoundError
from gitmem.frozen import frozen
from gitmem.hub import mirror
from gitmem.hub.database import REFUSALS, Connections, connected, in_words, transaction
from gitmem.hub.links import find_links, replace_links
from gitmem.hub.memory_rows import COLUMNS, iter_rows, values_of
from gitmem.hub.registry import bury
from gitmem.text import display, list_some
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from gitmem.hub.database import Connection
    from gitmem.index.catalog import Catalog

# Two wait for remotes while one parses, on a machine of two cores.
JOBS = 3
# Seconds until the database is asked for pushes again without a notification.
POLL_S = 5.0
_DUE = """
SELECT id, name, url, branch, commit, problem FROM hub.repository
WHERE removed_at IS NULL AND (%(names)s::text[] IS NULL OR name = ANY (%(names)s)) ORDER BY synced_at NULLS FIRST, id
"""
_LIST = ", ".join(COLUMNS)
_SET = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS if name != "path")
_REPLACE = f"ON CONFLICT (repository, path) DO UPDATE SET {_SET}, deleted = false"
# Memories that are named in a problem.
NAMES = 3


# What a webhook asks for is done by this very sync.
_BEGUN = "UPDATE hub.repository SET pushed_at = NULL WHERE id = ANY (%s) AND pushed_at IS NOT NULL"
_PUSHED = """
SELECT name FROM hub.repository WHERE removed_at IS NULL AND pushed_at IS NOT NULL
  AND (%(names)s::text[] IS NULL OR name = ANY (%(names)s)) ORDER BY pushed_at LIMIT 100
"""


@frozen
class Synced:
    """What happened to one repository.

    Attributes:
        name: Its name.
        changed: How many memories are new or changed.
        removed: How many are gone.
        problem: Why it could not be read; or empty.
    """

    name: str
    changed: int = 0
    removed: int = 0
    problem: str = ""


@frozen
class _Due:
    """A repository to sync, as the database knows it."""

    number: int
    name: str
    url: str
    branch: str
    commit: str
    problem: str


def sync(url: str, folder: Path, names: Sequence[str] = (), *, jobs: int = JOBS) -> Iterator[Synced]:
    """Yield what happened to each repository, the longest unsynced first, as each is done.

    Args:
        url: The database, for the role that owns the tables.
        folder: The folder of the mirrors.
        names: Only these repositories; all if empty.
        jobs: How many at once.

    Raises:
        NotFoundError: The hub has no repository of one of the names.
        GitmemError: The database cannot be reached.
    """
    with connected(url) as connection:
        rows = connection.execute(_DUE, {"names": list(names) or None})
        due = [_Due(*row) for row in rows]
        _sweep(folder, connection)
        connection.execute(_BEGUN, ([one.number for one in due],))
    if missing := sorted({*names} - {one.name for one in due}):
        raise NotFoundError(f"the hub has no repository {missing[0]}", hint="gitmem hub list")
    with closing(Connections(url)) as connections, ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda repository: _sync_one(connections, folder, repository), due)


def wait_for_push(url: str, names: Sequence[str], limit_s: float) -> list[str]:
    """Return the names of repositories that were pushed to, as soon as there are any; empty after a time.

    Args:
        url: The database, for the role that owns the tables.
        names: Only these repositories; all if empty.
        limit_s: Seconds.

    Raises:
        GitmemError: The database cannot be reached.
    """
    end = monotonic() + limit_s
    with connected(url) as connection:
        connection.execute("LISTEN gitmem_hub_push")
        while True:
            found = [str(row[0]) for row in connection.execute(_PUSHED, {"names": list(names) or None})]
            left = end - monotonic()
            if found or left <= 0:
                return found
            # A pooler loses notifications: the database is also asked without one.
            for _ in connection.notifies(timeout=min(left, POLL_S), stop_after=1):
                pass


def _sweep(folder: Path, connection: Connection) -> None:
    """Delete the mirrors of repositories that were removed from the hub, on whichever machine that was done.

    Numbers are never used twice, and one that is larger than all that are known here is of a repository just added.
    """
    listed = connection.execute("SELECT id, removed_at IS NULL FROM hub.repository").fetchall()
    kept = {number for number, is_kept in listed if is_kept}
    newest = max((number for number, _ in listed), default=0)
    for mirror_folder in folder.glob("*.git"):
        number = int(mirror_folder.stem) if mirror_folder.stem.isdecimal() else newest + 1
        if number <= newest and number not in kept:
            shutil.rmtree(mirror_folder, ignore_errors=True)


def _sync_one(connections: Connections, folder: Path, due: _Due) -> Synced:
    """Sync one repository; what is wrong with it is recorded and returned, but not what is wrong with the database."""
    source = mirror.Source(due.url, due.branch, folder / f"{due.number}.git")
    try:
        tips = mirror.find_tips(source)
        is_known = tips.memory == due.commit and not due.problem
        found = None if is_known else mirror.fetch(source)
    except GitmemError as err:
        with connections.connected() as connection:
            return Synced(due.name, problem=_note_problem(connection, due, err.message))
    with connections.connected() as connection:
        # The workers learn of new code also if the memories cannot be written.
        done = "now()" if found is None else "synced_at"
        connection.execute(
            f"UPDATE hub.repository SET code = %s, code_branch = %s, synced_at = {done} WHERE id = %s",
            (tips.code, tips.code_branch, due.number),
        )
        if found is None:
            return Synced(due.name)
        commit, catalog = found
        with closing(catalog):
            try:
                return Synced(due.name, *write(connection, due.number, commit, catalog))
            except REFUSALS as err:
                return _write_others(connection, due, commit, catalog, in_words(err).message)


def _note_problem(connection: Connection, due: _Due, problem: str) -> str:
    """Record why a repository could not be read as a whole; return it in one line."""
    line = display(redact(" ".join(problem.split())))[:500]  # PostgreSQL refuses NUL, which git may print
    connection.execute("UPDATE hub.repository SET problem = %s, problem_at = now() WHERE id = %s", (line, due.number))
    return line


def _write_others(connection: Connection, due: _Due, commit: str, catalog: Catalog, why: str) -> Synced:
    """Write the memories that the database does not refuse; the next sync tries the others again."""
    refused = _find_refused(connection, due.number, catalog)
    counts = (0, 0)
    try:
        counts = write(connection, due.number, commit, catalog, without=refused)
        why = f"{len(refused)} memories cannot be stored ({list_some(refused, NAMES)}): {why}"
    except REFUSALS as err:  # not a memory, but what else a repository has
        why = in_words(err).message
    return Synced(due.name, *counts, problem=_note_problem(connection, due, why))


def _find_refused(connection: Connection, number: int, catalog: Catalog) -> list[str]:
    """Return the paths of the memories that the database refuses; each is tried alone, and nothing is kept."""
    values = ", ".join(["%s"] * len(COLUMNS))
    refused = []
    for row in iter_rows(catalog):
        try:
            with connection.transaction(force_rollback=True):
                connection.execute(
                    f"INSERT INTO hub.memory (repository, {_LIST}, seq) VALUES ({number}, {values}, 0) {_REPLACE}",
                    values_of(row),
                )
        except REFUSALS:
            refused.append(row.path)
    return refused


def write(
    connection: Connection, number: int, commit: str, catalog: Catalog, *, without: Collection[str] = ()
) -> tuple[int, int]:
    """Make the memories of a repository those of a catalog; return how many changed and how many went.

    One transaction: a reader sees all of a commit or nothing of it, but for the paths in *without*. Rows that did not
    change are not written, so that followers have nothing to do for them.
    """
    with transaction(connection):
        state = connection.execute(
            "SELECT removed_at FROM hub.repository WHERE id = %s FOR UPDATE", (number,)
        ).fetchone()
        if state is None or state[0] is not None:
            return 0, 0  # it was removed meanwhile
        paths = "SELECT path, digest FROM hub.memory WHERE repository = %s AND NOT deleted"
        known: dict[str, bytes] = dict(connection.execute(paths, (number,)))
        changed = _copy(connection, known, catalog, without)
        if changed:
            connection.execute(
                f"INSERT INTO hub.memory (repository, {_LIST}, seq) SELECT {number}, {_LIST}, 0 FROM incoming"
                f" {_REPLACE}"
            )
        removed = bury(connection, number, list(known)) if known else 0
        replace_links(connection, number, find_links(catalog))
        connection.execute(
            "UPDATE hub.repository SET commit = %s, language = %s, policy = %s, synced_at = now(), problem = '',"
            " problem_at = NULL WHERE id = %s",
            (commit, catalog.language, catalog.meta("policy"), number),
        )
    return changed, removed


def _copy(connection: Connection, known: dict[str, bytes], catalog: Catalog, without: Collection[str]) -> int:
    """Copy the rows that differ from the known ones to a temporary table; what stays in *known* is gone."""
    connection.execute(f"CREATE TEMPORARY TABLE incoming ON COMMIT DROP AS SELECT {_LIST} FROM hub.memory LIMIT 0")
    changed = 0
    with connection.cursor() as cursor, cursor.copy(f"COPY incoming ({_LIST}) FROM STDIN") as copy:
        for row in iter_rows(catalog):
            if row.path not in without and known.pop(row.path, None) != row.digest:
                copy.write_row(values_of(row))
                changed += 1
    return changed
