"""Three-way merge of two states of a store, memory by memory, in whatever folder each side has it.

A change by only one side is taken over, even if it cannot be read. A memory is identified by its key, so it may move
between split folders, kinds and the archive. A missing file never means deletion; a memory that one side retired stays
retired. The result does not depend on the order of the sides. Nothing is written here.
"""

from __future__ import annotations

from functools import partial

from gitmem.frozen import frozen
from gitmem.git.objects import PathEntry, oid_of
from gitmem.policy.kinds import KINDS
from gitmem.store import layout
from gitmem.store.commit import CommitPlan
from gitmem.store.merge.lineage import Lineage
from gitmem.store.merge.memories import Version, unite
from gitmem.store.merge.policy import FileVersion, unite_policies
from gitmem.store.read import LIMITS
from gitmem.store.verdicts.buckets import unite_buckets, unite_verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.git.objects import Changes, Objects
    from gitmem.store.merge.history import History
    from gitmem.store.merge.memories import MemoryEdit

    Files = dict[str, PathEntry]

# Criss-cross histories have several common ancestors. They are merged themselves, up to this depth and number; beyond
# that the first one is used (git's own recursive strategy has no bound).
BASES_DEEP, BASES_MANY = 3, 8
_REGULAR_FILE = "100644"
# The most memories named in the trailers of a merge.
TRAILERS = 50


@frozen
class StoreState:
    """A state of a store: a tree, and unwritten differences from it.

    Attributes:
        tree: A commit or tree; None for an empty one.
        overlay: The entries that replace those of the tree, by path; None for a removed one.
        contents: New contents in the overlay by object name.
    """

    tree: str | None
    overlay: Mapping[str, PathEntry | None]
    contents: Mapping[str, bytes]


@frozen
class Conflict:
    """A file that a person must resolve.

    Attributes:
        key: The memory's key; the path for another file.
        path: Its path in the result.
        fields: The conflicting fields.
    """

    key: str
    path: str
    fields: tuple[str, ...]


@frozen
class MergeResult:
    """The result of a merge.

    Attributes:
        state: The resulting state, on top of the first side's tree.
        conflicts: The files that a person must resolve, by path.
        is_page_old: Whether both sides wrote the status page, which is rebuilt, not merged.
    """

    state: StoreState
    conflicts: tuple[Conflict, ...]
    is_page_old: bool = False


def plain(tree: str | None) -> StoreState:
    """Return the state of a commit."""
    return StoreState(tree, {}, {})


def merge(
    objects: Objects,
    ours: str,
    theirs: str,
    *,
    who: Callable[[str, str], str],
    edits: Callable[[str, str], Sequence[MemoryEdit]] = lambda commit, key: (),
) -> MergeResult:
    """Merge two commits of a store, which need not share any history.

    Args:
        objects: The object database.
        ours: One commit; the result is expressed as differences from it.
        theirs: The other.
        who: Returns the last author of a path in the history of one of the two commits.
        edits: Returns the changes of a memory, by its key, in the history of one of the two commits alone.

    Raises:
        NotFoundError: A tree of the commits or of their common ancestors cannot be read.
    """
    base = _base(objects, ours, theirs, depth=0)
    lineage = Lineage(objects, ours, theirs)
    sides = tuple(
        MergeSide(partial(who, commit), partial(edits, commit), lineage.history, commit) for commit in (ours, theirs)
    )
    return _Merge(objects, base, plain(ours), plain(theirs), sides).run()


def _base(objects: Objects, one: str, other: str, *, depth: int) -> StoreState:
    """Return the state that both sides descend from: several common ancestors are merged."""
    bases = objects.git.merge_bases(one, other)
    if not bases:
        return plain(None)
    state = plain(bases[0])
    for nth, base in enumerate(bases[1:BASES_MANY] if depth < BASES_DEEP else (), start=1):
        before = _base(objects, bases[nth - 1], base, depth=depth + 1)
        state = _Merge(objects, before, state, plain(base), (UNKNOWN, UNKNOWN)).run().state
    return state


def plan_of(merged: MergeResult, theirs: str, subject: str) -> CommitPlan:
    """Return the merge commit: the overlay on our tree, with their commit as its second parent."""
    state = merged.state
    new = [(path, entry) for path, entry in sorted(state.overlay.items()) if entry is not None]
    keys = [conflict.key for conflict in merged.conflicts]
    contents = state.contents
    return CommitPlan(
        subject + (f", {len(keys)} to settle" if keys else ""),
        writes=tuple((path, contents[entry.oid]) for path, entry in new if entry.oid in contents),
        entries=tuple((path, entry.mode, entry.oid) for path, entry in new if entry.oid not in contents),
        deletes=tuple(sorted(path for path, entry in state.overlay.items() if entry is None)),
        merged=theirs,
        trailers=tuple(("Gitmem-Conflict", key) for key in keys[:TRAILERS]),
    )


@frozen
class MergeSide:
    """What is known of one side's history.

    Attributes:
        who: Returns the last author of a path.
        edits: Returns the changes of a memory, by its key.
        history: Returns the history of a memory on both sides, by its key and its paths; None if it is unknown.
        commit: The side's commit.
    """

    who: Callable[[str], str]
    edits: Callable[[str], Sequence[MemoryEdit]]
    history: Callable[[str, Iterable[str]], History | None] = lambda key, paths: None
    commit: str = ""


UNKNOWN = MergeSide(lambda _: "", lambda _: ())


class _Merge:
    """A merge in progress."""

    def __init__(
        self,
        objects: Objects,
        base: StoreState,
        ours: StoreState,
        theirs: StoreState,
        sides: tuple[MergeSide, ...],
    ) -> None:
        self._objects, self._ours = objects, ours
        self._left, self._right = (_changes(objects, base, side) for side in (ours, theirs))
        self._sides = sides
        self._contents = {**base.contents, **ours.contents, **theirs.contents}
        self._overlay: dict[str, PathEntry | None] = dict(ours.overlay)
        self._made: dict[str, bytes] = dict(ours.contents)
        self._conflicts: list[Conflict] = []
        self._is_page_old = False

    def run(self) -> MergeResult:
        """Merge and return the result."""
        memories, others = self._sort_paths()
        self._split = self._split_folders()
        self._read(memories, others)
        for key, sides in memories.items():
            self._memory(key, *sides)
        for path, (was, one, other) in others.items():
            self._put(path, one, self._other(path, was, one, other))
        state = StoreState(self._ours.tree, self._overlay, self._made)
        conflicts = tuple(sorted(self._conflicts, key=lambda conflict: conflict.path))
        return MergeResult(state, conflicts, self._is_page_old)

    def _sort_paths(self) -> tuple[dict[str, tuple[Files, Files, Files]], dict[str, tuple[PathEntry | None, ...]]]:
        """Return the files of each memory before and on both sides, and of every other changed path."""
        memories: dict[str, tuple[Files, Files, Files]] = {}
        others: dict[str, tuple[PathEntry | None, ...]] = {}
        for path in sorted(self._left.keys() | self._right.keys()):
            was = (self._left.get(path) or self._right[path])[0]
            sides = [was, *(changes[path][1] if path in changes else was for changes in (self._left, self._right))]
            place = layout.find_memory(path)
            if place is not None and any(map(_is_regular, sides)):
                files = memories.setdefault(place.key, ({}, {}, {}))
                for known, entry in zip(files, sides, strict=True):
                    # A link replacing a memory is not a memory: that side has lost it.
                    if entry is not None and _is_regular(entry):
                        known[path] = entry
            else:
                others[path] = tuple(sides)
        return memories, others

    def _split_folders(self) -> set[str]:
        """Return the folders (archived ones with ``archive/``) that a side has split; none of their files stay flat."""
        new = [path for changes in (self._left, self._right) for path, (_, now) in changes.items() if now is not None]
        return {path.rsplit("/", 2)[0] for path in new if (place := layout.find_memory(path)) and place.split}

    def _read(self, memories: Mapping[str, Any], others: Mapping[str, Any]) -> None:
        """Read all changes of both sides at once; files that are too large for their type are left out."""
        wanted: list[tuple[PathEntry | None, ...]] = [
            tuple(entry for files in sides for entry in files.values())
            for sides in memories.values()
            if sides[1] != sides[2] and sides[0] not in sides[1:]
        ]
        wanted += [sides for sides in others.values() if sides[1] != sides[2] and sides[0] not in sides[1:]]
        oids = {entry.oid for entries in wanted for entry in entries if entry is not None and _is_regular(entry)}
        self._contents |= self._objects.read(oids - self._contents.keys(), limit=max(LIMITS.values()))

    # One memory

    def _memory(self, key: str, was: Files, ours: Files, other: Files) -> None:
        if not ours or not other:
            result = ours or other  # a missing file never means deletion
        elif other in (ours, was):
            result = ours
        elif ours == was:
            result = other
        else:
            result = self._merge_memory(key, was, ours, other)
        result = {self._split_path(path): entry for path, entry in sorted(result.items())}
        for path in ours.keys() - result.keys():
            self._put(path, ours[path], None)
        for path, entry in result.items():
            self._put(path, ours.get(path), entry)

    def _merge_memory(self, key: str, was: Files, ours: Files, other: Files) -> Files:
        """Return the files of a memory that both sides changed; of several with its key, the effective one."""
        paths = [_effective_path(files) for files in (was, ours, other)]
        mine, yours = ours[paths[1]], other[paths[2]]
        old = was[paths[0]] if paths[0] else None
        is_forgotten = _is_archived(paths[1]) != _is_archived(paths[2])
        if mine.oid == yours.oid:
            entry, path = mine, self._path(paths, "")
        elif old is not None and mine.oid == old.oid:
            entry, path = yours, self._path(paths, "")
        elif old is not None and yours.oid == old.oid:
            entry, path = mine, self._path(paths, "")
        else:
            entry, path = self._unite(key, paths, old, mine, yours, is_forgotten=is_forgotten)
        result = {}
        for left in sorted((ours.keys() | other.keys()) - {paths[1], paths[2]}):
            sides = _by_side(was.get(left), ours.get(left), other.get(left))
            if sides is not None:
                result[left] = sides
        return {**result, path: entry}

    def _unite(
        self,
        key: str,
        paths: list[str],
        old: PathEntry | None,
        mine: PathEntry,
        yours: PathEntry,
        *,
        is_forgotten: bool,
    ) -> tuple[PathEntry, str]:
        contents = [None if entry is None else self._contents.get(entry.oid) for entry in (old, mine, yours)]
        base, one, other = contents
        if one is None or other is None:
            # Too large for a memory, or missing: the readable one counts, else always the same side.
            self._conflicts.append(Conflict(key, self._path(paths, ""), ("unreadable",)))
            entry = mine if other is None and one is not None else yours if one is None and other is not None else None
            return entry or max(mine, yours, key=lambda side: side.oid), self._path(paths, "")
        versions = [
            Version(
                content,
                partial(side.who, path),
                partial(side.edits, key),
                partial(side.history, key, [path for path in paths if path]),
                side.commit,
            )
            for content, side, path in zip((one, other), self._sides, paths[1:], strict=True)
        ]
        if base is not None and len(base) > layout.MEMORY_LIMIT:
            base = None
        united = unite(base, versions[0], versions[1], path=paths[1], is_forgotten=is_forgotten)
        path = self._path(paths, united.kind, is_live=united.is_live)
        if united.conflicts:
            self._conflicts.append(Conflict(key, path, united.conflicts))
        return self._new(united.content, mine, yours), path

    def _path(self, paths: list[str], kind: str, *, is_live: bool = False) -> str:
        """Return the path of a memory on both sides, from its previous path and both current ones, or a live one."""
        was, *sides = (_place(path) if path else None for path in paths)
        one, other = sides
        assert one is not None and other is not None
        if is_live:
            archived = False
        elif was is not None:
            archived = one.archived if other.archived == was.archived else other.archived
        else:
            archived = one.archived or other.archived
        if was is not None and one.folder == was.folder:
            folder = other.folder
        elif was is not None and other.folder == was.folder:
            folder = one.folder
        else:
            known = KINDS[kind].folder if kind in KINDS else ""
            folder = known if known in (one.folder, other.folder) else max(one.folder, other.folder)
        return layout.memory_path(folder, one.key, split=one.split or other.split, archived=archived)

    def _split_path(self, path: str) -> str:
        """Return a path in a folder that a side has split as a path of the split folder."""
        place = _place(path)
        if place.split or path.rsplit("/", 1)[0] not in self._split:
            return path
        return layout.memory_path(place.folder, place.key, split=True, archived=place.archived)

    # Everything else

    def _other(
        self, path: str, was: PathEntry | None, ours: PathEntry | None, other: PathEntry | None
    ) -> PathEntry | None:
        if other in (ours, was):
            return ours
        if ours == was:
            return other if other is None or self._is_free(path, other) else ours
        if ours is None or other is None:
            return ours or other
        contents = [self._contents.get(e.oid) if e and _is_regular(e) else None for e in (was, ours, other)]
        place = layout.place_of(path)
        what = place.what if isinstance(place, layout.StorePath) else ""
        if contents[1] is None or contents[2] is None or what not in (layout.VERDICT, layout.BUCKET, layout.POLICY):
            self._is_page_old |= path == layout.STATUS_PATH
            is_page = path == layout.README_PATH and (contents[1] or b"").startswith(layout.PAGE_MARK.encode())
            if what == layout.KNOWN and path not in layout.PAGES and not is_page:
                self._conflicts.append(Conflict(path, path, ("file",)))
            return max(ours, other, key=lambda entry: (_is_regular(entry), entry.oid))
        if what == layout.VERDICT:
            assert isinstance(place, layout.StorePath)
            name = (place.key, place.spec)
            return self._new(unite_verdicts(contents[1], contents[2], name=name, path=path), ours, other)
        if what == layout.BUCKET:
            return self._new(unite_buckets(contents[0], contents[1], contents[2], path=path), ours, other)
        sides = [FileVersion(c, s.who(path)) for c, s in zip(contents[1:], self._sides, strict=True) if c is not None]
        content, has_two = unite_policies(contents[0], sides[0], sides[1])
        if has_two:
            self._conflicts.append(Conflict(path, path, ("file",)))
        return self._new(content, ours, other)

    def _is_free(self, path: str, entry: PathEntry) -> bool:
        """Return whether an entry that does not belong to a store may stay: it never replaces a store's file.

        A file ``facts`` would conflict with the folder, and ``facts/a.md/x`` with a memory.
        """
        place = layout.place_of(path)
        if isinstance(place, layout.StorePath) and _is_regular(entry):
            return True
        parts = path.split("/")
        if any(part.lower() in ("", ".", "..", ".git") for part in parts):
            return False  # git never writes such a name; the history keeps it
        tree = self._ours.tree
        above = ["/".join(parts[:n]) for n in range(1, len(parts))]
        if tree is None:
            return True
        there = [self._objects.find(tree, oid) for oid in above]
        below = self._objects.find(tree, path)
        is_blocked = any(entry is not None and entry.mode != "040000" for entry in there)
        return not is_blocked and (below is None or below.mode != "040000")

    # What comes of it

    def _new(self, content: bytes, one: PathEntry, other: PathEntry) -> PathEntry:
        """Return the entry for a content that may be new."""
        oid = oid_of(content, len(one.oid))
        if oid not in (one.oid, other.oid):
            self._made[oid] = content
        return PathEntry(one.mode if one.mode == other.mode else _REGULAR_FILE, oid)

    def _put(self, path: str, before: PathEntry | None, entry: PathEntry | None) -> None:
        if before != entry:
            self._overlay[path] = entry


def _changes(objects: Objects, base: StoreState, side: StoreState) -> Changes:
    """Return the differences between two states."""
    changes = objects.diff(base.tree, side.tree) if base.tree != side.tree else {}
    for path in base.overlay.keys() | side.overlay.keys():
        ends = []
        for nth, state in enumerate((base, side)):
            if path in state.overlay:
                ends.append(state.overlay[path])
            elif path in changes:
                ends.append(changes[path][nth])
            else:
                ends.append(objects.find(state.tree, path) if state.tree else None)
        changes.pop(path, None)
        if ends[0] != ends[1]:
            changes[path] = (ends[0], ends[1])
    return changes


def _is_regular(entry: PathEntry | None) -> bool:
    return entry is not None and entry.mode in layout.REGULAR_MODES


def _place(path: str) -> layout.StorePath:
    place = layout.find_memory(path)
    assert place is not None, "only paths of memories have metadata"
    return place


def _is_archived(path: str) -> bool:
    return path.startswith("archive/")


def _effective_path(files: Iterable[str]) -> str:
    """Return the effective file of several with one key (``index.catalog.update.settle_keys``), or an empty string."""
    return min(files, key=lambda path: (_is_archived(path), path), default="")


def _by_side(was: PathEntry | None, one: PathEntry | None, other: PathEntry | None) -> PathEntry | None:
    if one == was:
        return other
    if other in (was, one):
        return one
    return max((entry for entry in (one, other) if entry is not None), key=lambda entry: entry.oid, default=None)
