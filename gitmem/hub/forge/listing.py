"""Add the repositories of an organisation that have a memory branch."""

from __future__ import annotations

import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gitmem.errors import ForgeError, GitmemError, NoRepositoryError
from gitmem.frozen import frozen, replace
from gitmem.hub import mirror, registry
from gitmem.hub.forge.organisation import TOKEN, iter_listed
from gitmem.hub.registry import EVERYONE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.hub.database import Connection
    from gitmem.hub.forge.organisation import Organisation, Remote
    from gitmem.hub.registry import Entry

# Remotes that are asked at once whether they have a memory branch.
JOBS = 8
_LISTED_SQL = """
SELECT r.url, r.name, r.team, r.platform, r.budget_s,
  ARRAY (SELECT principal FROM hub.reader p WHERE p.repository = r.id)
FROM hub.repository r WHERE r.removed_at IS NULL AND r.branch = %s AND r.url = ANY (%s)
"""
_BELOW = """
SELECT name FROM hub.repository WHERE removed_at IS NULL AND url LIKE %s AND NOT (url = ANY (%s))
ORDER BY name COLLATE "C"
"""


@frozen
class Added:
    """What happened to a repository of a listing.

    Attributes:
        name: Its name.
        has_memory: Whether it has a memory branch; the hub has it then.
        is_new: Whether it is new, or has other readers than before.
        problem: Why it cannot be read, or was not added; or empty.
    """

    name: str
    has_memory: bool = False
    is_new: bool = True
    problem: str = ""


def list_remotes(of: Organisation, token: str) -> list[Remote]:
    """Return the repositories of an organisation, sorted by name.

    Raises:
        ForgeError: The forge cannot be reached, or refuses.
    """
    if not token:
        raise ForgeError("the forge's listing needs a token", hint=f"export {TOKEN}=…")
    try:
        return sorted(iter_listed(of, of.client(token)), key=lambda remote: remote.name)
    except ForgeError as err:
        hint = f"check the token in {TOKEN}, and that it may list {of.path}" if err.status in (401, 403, 404) else ""
        raise ForgeError(err.message, status=err.status, hint=hint or err.hint) from err


def add_all(connection: Connection, of: Organisation, remotes: list[Remote], like: Entry) -> Iterator[Added]:
    """Add the repositories that have a memory branch, and yield what happened to each.

    One that the hub has keeps what a person set; only readers that an earlier listing gave it follow the forge.

    Args:
        connection: A connection of the role that owns the tables.
        of: The organisation.
        remotes: Its repositories.
        like: What is common to all: their branch, team, readers and work. Without readers, everyone may read public
            ones, and those whom the forge lets read it any other.
    """
    rows = connection.execute(_LISTED_SQL, (like.branch, [remote.url for remote in remotes]))
    known = {row[0]: _Known(*row[1:]) for row in rows}
    with tempfile.TemporaryDirectory(prefix="gitmem-") as folder, ThreadPoolExecutor(JOBS) as pool:
        sources = [
            mirror.Source(remote.url, like.branch, Path(folder, f"{nth}.git")) for nth, remote in enumerate(remotes)
        ]
        for one, problem in zip(remotes, pool.map(_problem, sources), strict=True):
            if problem is not None:
                yield Added(one.name, problem=problem)
                continue
            entry = _entry(of, one, like, known.get(one.url))
            if entry is None:
                yield Added(known[one.url].name, has_memory=True, is_new=False)
                continue
            try:
                name = registry.add(connection, entry)
            except GitmemError as err:
                yield Added(one.name, problem=err.message)
            else:
                yield Added(name, has_memory=True)


@frozen
class _Known:
    """What the hub has of a repository of a listing."""

    name: str
    team: str
    platform: str
    budget_s: int | None
    readers: list[str]


def _entry(of: Organisation, remote: Remote, like: Entry, known: _Known | None) -> Entry | None:
    """Return what to add or to change of a repository; None if it is as it should be."""
    own = f"@{of.group_of(remote.name)}"
    if like.readers or known is None:
        readers = like.readers or ((EVERYONE,) if remote.is_public else (own,))
        return replace(like, url=remote.url, name=remote.name, readers=readers)
    wanted = EVERYONE if remote.is_public else own
    extra = {*known.readers} - {known.team}
    if extra == {wanted} or extra not in ({EVERYONE}, {own}):
        return None
    more = {"platform": known.platform, "budget_s": known.budget_s}
    return replace(like, url=remote.url, name=known.name, team=known.team, readers=(wanted,), **more)


def _problem(source: mirror.Source) -> str | None:
    """Return why a remote has no memory that can be read: empty if it has no such branch; None if it has."""
    try:
        mirror.find_tips(source)
    except NoRepositoryError:
        return ""
    except GitmemError as err:
        return err.message
    return None


def find_unlisted(connection: Connection, of: Organisation, remotes: list[Remote]) -> list[str]:
    """Return the names of the hub's repositories of an organisation that its listing does not have, sorted."""
    start = f"{of.site}/{of.path}/".replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return [row[0] for row in connection.execute(_BELOW, (f"{start}%", [remote.url for remote in remotes]))]
