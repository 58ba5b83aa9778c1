"""What memories require of other repositories (``payments/api:port``), and how suspicion crosses along it.

A repository's own suspicion is computed from its catalog when it is read. What crosses is computed for each reader, by
the same rule, from what that reader may read: who cannot read a repository learns nothing of it by requiring its
memories, not even that they exist.
"""

from __future__ import annotations

from itertools import pairwise

from gitmem.document.builtin_checks import value_of
from gitmem.document.elsewhere import SEPARATOR, Foundation
from gitmem.frozen import frozen
from gitmem.hub.database import transaction
from gitmem.index.catalog import state
from gitmem.index.catalog.required_elsewhere import list_required_elsewhere
from gitmem.model import FAILED, SUSPECT
from gitmem.statuses import DEPTH, suspicion_chains

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.hub.database import Connection
    from gitmem.index.catalog import Catalog

# Of one repository, no more memories of others and no more links are stored; the first in alphabetical order are.
TARGETS_AT_MOST, LINKS_AT_MOST = 1_000, 10_000
# Failed memories from which suspicion crosses, and memories on one level of its way.
FAILED_AT_MOST, LEVEL_AT_MOST = 1_000, 5_000

_ROOTS = f"""
WITH asked AS MATERIALIZED (SELECT DISTINCT r.id, r.name, l.target
  FROM hub.link l JOIN hub.repository r ON r.name = l.elsewhere WHERE l.elsewhere <> '')
SELECT a.name, t.key, a.id, CASE t.status WHEN '{SUSPECT}' THEN t.fields -> 'why' ELSE '[]'::jsonb END
FROM asked a CROSS JOIN LATERAL (
  SELECT key, status, fields FROM hub.memory WHERE repository = a.id AND key = a.target AND NOT deleted OFFSET 0) t
WHERE t.fields ->> 'hidden' = '' AND (t.status = '{FAILED}' OR t.status = '{SUSPECT}' AND EXISTS (
  SELECT FROM hub.memory f WHERE f.repository = a.id AND f.key = t.fields -> 'why' ->> -1 AND f.status = '{FAILED}'))
ORDER BY 1, 2 LIMIT {FAILED_AT_MOST}
"""
# OFFSET 0 keeps the planner from reading all memories or links instead of looking up a few by their indexes.
# Two ways by which links are found, since no index serves both.
_DEPENDENTS = f"""
WITH asked AS MATERIALIZED (SELECT a.name, a.key, o.id
  FROM unnest(%s::text[], %s::text[]) AS a (name, key) JOIN hub.repository o ON o.name = a.name),
found AS MATERIALIZED (SELECT l.repository, l.source, a.name, a.key
    FROM asked a CROSS JOIN LATERAL (
      SELECT repository, source FROM hub.link WHERE elsewhere = a.name AND target = a.key OFFSET 0) l
  UNION SELECT l.repository, l.source, a.name, a.key
    FROM asked a JOIN hub.link l ON l.elsewhere = '' AND l.target = a.key AND l.repository = a.id)
SELECT r.name, m.key, r.id, m.path, m.status, m.kind, m.title, a.name, a.key
FROM found a JOIN hub.repository r ON r.id = a.repository JOIN hub.memory m ON m.repository = r.id AND m.key = a.source
WHERE m.fields ->> 'hidden' = '' ORDER BY r.name, m.key, m.path LIMIT {LEVEL_AT_MOST}
"""


@frozen
class Link:
    """A memory requires another one.

    Attributes:
        source: Its key.
        elsewhere: The name of the repository of the other one; empty for its own.
        target: The key of the other one.
    """

    source: str
    elsewhere: str
    target: str


@frozen
class Suspicion:
    """Why a memory is suspect because of another repository.

    Attributes:
        chain: The memories between it and the failed one, that one last: keys, or REPOSITORY:KEY of another repository.
        reads: The keys of the memories of other repositories in it, by the number of the repository.
    """

    chain: tuple[str, ...]
    reads: Mapping[int, tuple[str, ...]]


@frozen
class Dependent:
    """A memory that rests on one of another repository.

    Attributes:
        repository_id: The number of its repository.
        name: The name of its repository.
        key: Its key.
        kind: Its kind.
        title: Its title.
        status: Its status by its own repository.
        chain: The memories between it and that one, that one last by its key, others as REPOSITORY:KEY.
    """

    repository_id: int
    name: str
    key: str
    kind: str
    title: str
    status: str
    chain: tuple[str, ...]


def find_links(catalog: Catalog) -> list[Link]:
    """Return what a repository's memories require of others, and what rests on these within ``DEPTH`` links, sorted."""
    level = sorted({target for _, target in list_required_elsewhere(catalog)})[:TARGETS_AT_MOST]
    known, links = set(level), set()
    for _ in range(DEPTH):
        requirers = state.requirers_of(catalog, tuple(level)) if level else {}
        closed = state.list_closed(catalog, requirers)
        for key, causes in requirers.items():
            links |= {_link(key, cause) for cause in causes if key not in closed}
        level = sorted(requirers.keys() - known - closed)
        known |= {*level}
    return sorted(links, key=lambda link: (link.source, link.elsewhere, link.target))[:LINKS_AT_MOST]


def _link(source: str, cause: str) -> Link:
    name, apart, key = cause.partition(SEPARATOR)
    return Link(source, name, key) if apart else Link(source, "", cause)


def replace_links(connection: Connection, number: int, links: Iterable[Link]) -> None:
    """Store the links of a repository instead of those that it had."""
    connection.execute("DELETE FROM hub.link WHERE repository = %s", (number,))
    with connection.cursor() as cursor:
        rows = [(number, link.source, link.elsewhere, link.target) for link in links]
        cursor.executemany("INSERT INTO hub.link VALUES (%s, %s, %s, %s)", rows)


def find_suspicions(connection: Connection) -> dict[tuple[int, str], Suspicion]:
    """Return why memories are suspect because of other repositories, by repository and path.

    Args:
        connection: A transaction that sees what a reader may: nothing depends on anything else.
    """
    failed: set[str] = set()
    needed: dict[str, set[str]] = {}
    numbers: dict[str, int] = {}
    for name, key, number, why in connection.execute(_ROOTS):
        numbers[name] = number
        chain = [f"{name}{SEPARATOR}{one}" for one in (key, *why)]
        failed.add(chain[-1])
        for requirer, cause in pairwise(chain):
            needed.setdefault(cause, set()).add(requirer)
    if not failed:
        return {}
    walk = _Walk(connection, needed, numbers)
    chains = suspicion_chains(failed, requirers=walk.requirers)
    return {
        (place.repository_id, place.path): walk.suspicion(reference, chain)
        for reference, chain in chains.items()
        # Its own repository knows of the others, or that it fails.
        if (place := walk.places.get(reference)) and place.status not in (FAILED, SUSPECT)
    }


def find_dependents(connection: Connection, name: str, keys: Iterable[str]) -> list[Dependent]:
    """Return the memories of other repositories that rest on some of one, nearest first, then by name.

    Args:
        connection: A transaction that sees what a reader may.
        name: The repository of the memories that they rest on.
        keys: The keys of these.
    """
    own, walk = name + SEPARATOR, _Walk(connection, {}, {})
    chains = suspicion_chains({own + key for key in keys}, requirers=walk.requirers)
    dependents = []
    for reference, chain in sorted(chains.items(), key=lambda item: (len(item[1]), item[0])):
        place = walk.places.get(reference)
        if place is not None and not reference.startswith(own):
            there, _, key = reference.partition(SEPARATOR)
            causes = tuple(reference.removeprefix(own) for reference in chain)
            dependents.append(Dependent(place.repository_id, there, key, place.kind, place.title, place.status, causes))
    return dependents


@frozen
class _Place:
    """Where a memory is, its status by its own repository, and what it says."""

    repository_id: int
    path: str
    status: str
    kind: str
    title: str


class _Walk:
    """The way of suspicion along links that a reader may see.

    Attributes:
        places: The memories on it, by REPOSITORY:KEY.
        numbers: The numbers of their repositories, by name.
    """

    def __init__(self, connection: Connection, needed: Mapping[str, set[str]], numbers: dict[str, int]) -> None:
        """Begin; *needed* has links that are known beforehand, from the required memory to those that require it."""
        self._connection, self._needed, self.numbers = connection, needed, numbers
        self.places: dict[str, _Place] = {}

    def requirers(self, level: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
        """Return for each memory that requires one of these which of them it requires."""
        requirers: dict[str, set[str]] = {}
        for cause in level:
            for requirer in self._needed.get(cause, ()):
                requirers.setdefault(requirer, set()).add(cause)
        names, keys = zip(*(one.split(SEPARATOR, 1) for one in level), strict=True)
        rows = self._connection.execute(_DEPENDENTS, ([*names], [*keys]))
        for name, key, *place, other, target in rows:
            reference, cause = f"{name}{SEPARATOR}{key}", f"{other}{SEPARATOR}{target}"
            self.places.setdefault(reference, _Place(*place))
            self.numbers[name] = place[0]
            requirers.setdefault(reference, set()).add(cause)
        return {key: tuple(sorted(causes - {key})) for key, causes in requirers.items() if causes - {key}}

    def suspicion(self, reference: str, chain: Sequence[str]) -> Suspicion:
        """Return a suspicion as readers of a memory see it."""
        own = reference.partition(SEPARATOR)[0] + SEPARATOR
        keys: dict[str, tuple[str, ...]] = {}
        for one in chain:
            name, _, key = one.partition(SEPARATOR)
            keys[name] = (*keys.get(name, ()), key)
        reads = {self.numbers[name]: listed for name, listed in keys.items() if name + SEPARATOR != own}
        return Suspicion(tuple(reference.removeprefix(own) for reference in chain), reads)


def read_stated(connection: Connection, number: int) -> tuple[dict[str, Foundation], str]:
    """Return what the facts state with which those of a repository compare, by reference, and a fingerprint of it.

    Only of repositories that all of its readers may read: the verdicts are for all of them.

    Args:
        connection: A connection of the role that owns the tables.
        number: The number of the repository.
    """
    with transaction(connection):
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        rows = connection.execute("SELECT reference, status, verify FROM hub.stated WHERE repository = %s", (number,))
        foundations = {
            reference: Foundation(status, value_of(verify), is_shared=True) for reference, status, verify in rows
        }
        printed = connection.execute("SELECT print FROM hub.stated_print WHERE repository = %s", (number,)).fetchone()
    return foundations, printed[0] if printed else ""
