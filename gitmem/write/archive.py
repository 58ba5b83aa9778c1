"""The archive: move forgotten and rotated memories there, and restore them.

``retired`` in a memory's frontmatter says when, by whom and why. A forgotten memory is a tombstone: an importer or a
merge cannot bring it back. A memory that the store itself rotated (A8) is not.
"""

from __future__ import annotations

from types import MappingProxyType

from gitmem.document.edit import REMOVE
from gitmem.document.parse import parse
from gitmem.document.times import format_time
from gitmem.frozen import frozen
from gitmem.write.draft import with_fields
from gitmem.write.place import KnownMemory, choose_paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy

    # Returns the texts of memories by path.
    TextsOf = Callable[[Catalog, Sequence[KnownMemory]], dict[str, str]]

# The reason for rotation by the store itself: nobody called the memory wrong.
ROTATED = "rotated"
# Why a memory was retired whose commit was amended or dropped: it may come back with another commit.
DROPPED = "the commit that stated it was amended or dropped"
# Why an imported decision is retired whose record is a draft, rejected or deprecated: a later import may restore it.
NOT_IN_FORCE = "its decision record is not in force"


@frozen
class ArchiveMoves:
    """Files that are moved into or out of the archive, as parts of one commit.

    Attributes:
        files: Text by new path.
        paths: The new path of each by its old one, which is removed.
        moves: Old and new path of each other file whose folder is split.
    """

    files: Mapping[str, str]
    paths: Mapping[str, str]
    moves: tuple[tuple[str, str], ...]


def rotate(texts_of: TextsOf, catalog: Catalog, policy: Policy, kind: str, *, added: int, now: int) -> ArchiveMoves:
    """Return the archive moves of the oldest memories of a kind, if the added ones exceed the limit (A8).

    Each time their number passes the limit, and then each further ``move``, the oldest ``move`` of them are archived,
    so a large import is not undone by the next write. Memories that have a check, are critical or are required by
    another stay.
    """
    settings = policy.rotation
    if not settings.limit or kind not in settings.kinds:
        return ArchiveMoves({}, {}, ())
    live = "m.kind = ? AND m.shadowed = 0 AND m.archived = 0 AND m.superseded = 0"
    count = catalog.row(f"SELECT count(*) FROM memory m WHERE {live}", (kind,))[0]
    times = _count_passed(count + added, settings.limit, settings.move) - _count_passed(
        count, settings.limit, settings.move
    )
    if times <= 0:
        return ArchiveMoves({}, {}, ())
    rows = catalog.rows(
        f"SELECT m.id, m.key, m.path, m.kind, m.title, m.archived FROM memory m WHERE {live}"
        " AND m.importance <> 'critical' AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.id = m.id)"
        " AND NOT EXISTS (SELECT 1 FROM link l JOIN memory s ON s.id = l.source"
        " WHERE l.relation = 'requires' AND l.target = m.key AND s.archived = 0)"
        " ORDER BY m.updated, m.key LIMIT ?",
        (kind, times * settings.move),
    )
    retired = {"when": format_time(now), "by": "gitmem", "why": ROTATED}
    return retire(texts_of, catalog, [KnownMemory(*row) for row in rows], retired)


def retire(
    texts_of: TextsOf,
    catalog: Catalog,
    known: Sequence[KnownMemory],
    retired: Mapping[str, str],
    reasons: Mapping[str, str] = MappingProxyType({}),
) -> ArchiveMoves:
    """Return the archive moves of memories, with when, by whom and why; *reasons* are those of some, by path."""

    def change(text: str, path: str) -> str:
        own = {"why": reasons[path]} if path in reasons else {}
        return with_fields(text, {"retired": {**retired, **own}}, path)

    return _moves(texts_of, catalog, known, change, archived=True)


def _count_passed(count: int, limit: int, move: int) -> int:
    """Return how often *count* passed the limit and each further step."""
    return max(0, -((limit - count) // move))


def is_rotated(fields: Mapping[str, Any]) -> bool:
    """Return whether the store itself retired a memory with this frontmatter."""
    retired = fields.get("retired")
    return isinstance(retired, dict) and retired.get("why") in (ROTATED, DROPPED, NOT_IN_FORCE)


def is_dropped(fields: Mapping[str, Any]) -> bool:
    """Return whether a memory was retired because its commit was amended or dropped."""
    retired = fields.get("retired")
    return isinstance(retired, dict) and retired.get("why") == DROPPED


def describe_retired(retired: Mapping[str, Any]) -> str:
    """Return when and why a memory was retired, as text to follow "was retired"; empty if unknown."""
    words = (("when", "on"), ("why", "because:"))
    return "".join(f" {word} {retired[name]}" for name, word in words if retired.get(name))


def plan_restore(texts_of: TextsOf, catalog: Catalog, known: Sequence[KnownMemory], *, now: int) -> ArchiveMoves:
    """Return the moves that restore retired memories; a rotated one then counts as new, so it is not rotated again."""

    def change(text: str, path: str) -> str:
        fresh = {"updated": format_time(now)} if is_rotated(parse(text, path=path).fields) else {}
        return with_fields(text, {"retired": REMOVE, **fresh}, path)

    return _moves(texts_of, catalog, known, change, archived=False)


def _moves(
    texts_of: TextsOf,
    catalog: Catalog,
    known: Sequence[KnownMemory],
    change: Callable[[str, str], str],
    *,
    archived: bool,
) -> ArchiveMoves:
    """Return moves into or out of the archive; *change* returns the new text and path of each memory."""
    texts = texts_of(catalog, known)
    groups: dict[str, list[KnownMemory]] = {}
    for one in known:
        groups.setdefault(one.path.removeprefix("archive/").split("/", 1)[0], []).append(one)
    files: dict[str, str] = {}
    paths: dict[str, str] = {}
    moves: dict[str, str] = {}
    for folder, members in groups.items():
        places, split = choose_paths(catalog, folder, [one.key for one in members], archived=archived)
        moves |= dict(split)
        for one in members:
            paths[one.path] = places[one.key]
            files.setdefault(places[one.key], change(texts[one.path], one.path))
    return ArchiveMoves(files, paths, tuple(moves.items()))
