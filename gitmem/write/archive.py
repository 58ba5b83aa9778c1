"""The archive: move forgotten and rotated memories there, and restore them.

``retired`` in a memory's frontmatter says when, by whom and why. A forgotten memory is a tombstone: an importer or a
merge cannot bring it back. A memory that the store itself rotated is not.
"""

from __future__ import annotations

from types import MappingProxyType

from gitmem.document.edit import REMOVE
from gitmem.document.fields import ROTATED
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

# Why a memory was retired whose commit was amended or dropped: it may come back with another commit.
DROPPED = "the commit that stated it was amended or dropped"
# Why an imported decision is retired whose record is a draft, rejected or deprecated: a later import may restore it.
NOT_IN_FORCE = "its decision record is not in force"

# The live memories of a kind that were not imported, and those of them that may rotate.
_WRITTEN = "m.kind = ? AND m.shadowed = 0 AND m.archived = 0 AND m.superseded = 0 AND m.imported = 0"
_ROTATING = (
    f"{_WRITTEN} AND m.importance <> 'critical' AND NOT EXISTS (SELECT 1 FROM fact f WHERE f.id = m.id)"
    " AND NOT EXISTS (SELECT 1 FROM link l JOIN memory s ON s.id = l.source"
    " WHERE l.relation = 'requires' AND l.target = m.key AND s.archived = 0)"
)


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


@frozen
class Rotation:
    """A kind near its rotation, or past it.

    Attributes:
        kind: The kind.
        count: The number of its live memories that may rotate.
        limit: The number that may stay.
        moves: How many the write that exceeds the limit archives.
    """

    kind: str
    count: int
    limit: int
    moves: int

    def __str__(self) -> str:
        """Return what will be moved, why, and how to keep it."""
        which = "the write that exceeds it" if self.count <= self.limit else "the next write of this kind"
        return (
            f"{self.count} live memories of kind {self.kind}; the limit is {self.limit}: {which} moves the "
            f"{self.moves} oldest to the archive, where recall --all finds them; to keep all: gitmem policy "
            "set rotation.limit 0"
        )


def list_rotations(catalog: Catalog, policy: Policy) -> list[Rotation]:
    """Return the kinds near or past their rotation, by kind."""
    rotations = (find_rotation(catalog, policy, kind) for kind in sorted(policy.rotation.kinds))
    return [rotation for rotation in rotations if rotation is not None]


def find_rotation(catalog: Catalog, policy: Policy, kind: str, *, added: int = 0) -> Rotation | None:
    """Return how near a kind is to its rotation, with *added* new ones; None below 98 percent of the limit."""
    limit, move, kinds = policy.rotation.limit, policy.rotation.move, policy.rotation.kinds
    if not limit or kind not in kinds:
        return None
    # The cheap count first: it is enough for nearly every write.
    for which in (_WRITTEN, _ROTATING):
        count: int = catalog.row(f"SELECT count(*) FROM memory m WHERE {which}", (kind,))[0] + added
        if count < limit - limit // 50:
            return None
    # A sync may bring any number: the writes after it move so many each until few enough are left. At least two where
    # two are too many, or writes that add one could not catch up.
    excess = max(count - added, limit) + 1 - limit
    return Rotation(kind, count, limit, max(move, min(excess, 2)))


def rotate(texts_of: TextsOf, catalog: Catalog, rotation: Rotation | None, *, now: int) -> ArchiveMoves:
    """Return the archive moves of the oldest memories of a kind that exceeds its limit with what is written.

    Imported memories, and those that have a check, are critical or are required by another, neither count nor move.
    The choice depends on the store alone, so that two clones with the same memories archive the same ones.
    """
    if rotation is None or rotation.count <= rotation.limit:
        return ArchiveMoves({}, {}, ())
    rows = catalog.rows(
        f"SELECT m.id, m.key, m.path, m.kind, m.title, m.archived FROM memory m WHERE {_ROTATING}"
        " ORDER BY m.updated, m.key LIMIT ?",
        (rotation.kind, rotation.moves),
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
    for known_memory in known:
        groups.setdefault(known_memory.path.removeprefix("archive/").split("/", 1)[0], []).append(known_memory)
    files: dict[str, str] = {}
    paths: dict[str, str] = {}
    moves: dict[str, str] = {}
    for folder, members in groups.items():
        places, split = choose_paths(catalog, folder, [member.key for member in members], archived=archived)
        moves |= dict(split)
        for known_memory in members:
            paths[known_memory.path] = places[known_memory.key]
            files.setdefault(places[known_memory.key], change(texts[known_memory.path], known_memory.path))
    return ArchiveMoves(files, paths, tuple(moves.items()))
