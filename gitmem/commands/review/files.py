"""The files that a change of the memory branch touches, sorted by what they are: sizes first, then content.

What may be in a store and what not is said by ``store.read``, as for every reader.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.git.binary import TreeEntry
from gitmem.git.objects import open_objects
from gitmem.store import layout
from gitmem.store.buckets import sections_of
from gitmem.store.read import display_path, sorted_out

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.git.binary import Git
    from gitmem.git.objects import Changes, Objects, PathEntry
    from gitmem.model import Problem

# What is looked at of one change: more is not a change that anybody reviews. The first ones by path are looked at, and
# what was not is an error. 20,000 memories of 2 KB take some 20 s (measured).
MOST_FILES = 20_000
MOST_BYTES = 48 * 1024 * 1024
# A file that is not a memory is scanned for secrets and hidden characters up to this size.
OTHER_LIMIT = layout.MEMORY_LIMIT


@frozen
class File:
    """One path that differs.

    Attributes:
        path: The path, as text.
        place: What it is on the branch; None where nothing of a store may be there.
        before, after: Its blob on either side; empty where there is none that may be read.
        problem: Why what is there now may not be read, or None.
        is_there: Whether anything is there now.
        was_there: Whether anything lay there before.
        is_part: Whether it is one verdict of a bucket; the bucket itself is a file of the change as well.
    """

    path: str
    place: layout.StorePath | None
    before: str
    after: str
    problem: Problem | None
    is_there: bool
    was_there: bool
    is_part: bool = False


@frozen
class FileChanges:
    """What differs between two states.

    Attributes:
        files: The paths that differ, in their order.
        contents: The content of each blob that is looked at.
        left: How many paths were left out because there are too many, or they are too large.
    """

    files: tuple[File, ...]
    contents: dict[str, bytes]
    left: int = 0

    def before(self, file: File) -> bytes | None:
        """Return what a file held."""
        return self.contents.get(file.before)

    def after(self, file: File) -> bytes | None:
        """Return what a file holds."""
        return self.contents.get(file.after)


def read_files(git: Git, base: str, head: str) -> FileChanges:
    """Return what differs between two commits of the store; an empty name is nothing.

    Raises:
        GitmemError: A tree cannot be read.
    """
    objects = open_objects(git)
    changes = objects.diff(base or None, head)
    names = sorted(changes)
    before = _sorted(git, changes, names[:MOST_FILES], side=0)
    after = _sorted(git, changes, names[:MOST_FILES], side=1)
    files = []
    for name in names[:MOST_FILES]:
        path = display_path(name)
        place = layout.place_of(path)
        old, new = changes[name]
        files.append(
            File(
                path,
                place if isinstance(place, layout.StorePath) else None,
                before[0].get(path, ""),
                after[0].get(path, ""),
                after[1].get(path),
                is_there=new is not None,
                was_there=old is not None,
            )
        )
    return _within_bounds(git, objects, files, len(names) - len(files))


def _sorted(
    git: Git, changes: Changes, names: Iterable[str], *, side: int
) -> tuple[dict[str, str], dict[str, Problem]]:
    """Return the blobs that may be read on one side, by path, and the problems of those that may not."""
    entries: dict[str, PathEntry] = {name: entry for name in names if (entry := changes[name][side]) is not None}
    sizes = git.sizes(entry.oid for entry in entries.values() if entry.mode != "160000")
    scan = sorted_out(
        "",
        [
            TreeEntry(e.mode, "commit" if e.mode == "160000" else "blob", e.oid, sizes.get(e.oid, -1), name)
            for name, e in entries.items()
        ],
    )
    blobs = {file.path: file.oid for file in scan.files}
    # What is known and not read by others (a workflow), and what may not be there, is scanned where it is small.
    for name, e in entries.items():
        if e.mode in layout.REGULAR_MODES and 0 <= sizes.get(e.oid, -1) <= OTHER_LIMIT:
            blobs.setdefault(display_path(name), e.oid)
    return blobs, {problem.path: problem for problem in scan.problems}


def _within_bounds(git: Git, objects: Objects, files: list[File], left: int) -> FileChanges:
    """Return the first files by path whose content is not more than is looked at."""
    sizes = git.sizes(dict.fromkeys(oid for file in files for oid in (file.before, file.after) if oid))
    total, kept = 0, list[File]()
    for file in files:
        total += sum(sizes.get(oid, 0) for oid in (file.before, file.after) if oid)
        if total > MOST_BYTES:
            break
        kept.append(file)
    oids = (oid for file in kept for oid in (file.before, file.after) if oid)
    # What is larger than a memory may be was left out by its place already, if it is not a bucket.
    found = FileChanges(tuple(kept), objects.read(oids, limit=layout.BUCKET_LIMIT), left + len(files) - len(kept))
    parts = [part for file in kept if file.place and file.place.what == layout.BUCKET for part in _parts(file, found)]
    return FileChanges((*kept, *parts), found.contents, found.left)


def _parts(bucket: File, found: FileChanges) -> Iterator[File]:
    """Yield the verdicts of a bucket that differ as files, and add their texts to the contents."""
    was, now = (dict(sections_of(side or b"", bucket.path)) for side in (found.before(bucket), found.after(bucket)))
    for key, spec in sorted(was.keys() | now.keys()):
        texts = [side.get((key, spec)) for side in (was, now)]
        if texts[0] == texts[1]:
            continue
        names = ["" if text is None else f"{bucket.path} {key} {spec} {end}" for end, text in enumerate(texts)]
        found.contents.update((name, text) for name, text in zip(names, texts, strict=True) if text is not None)
        place = layout.StorePath(layout.VERDICT, key=key, spec=spec)
        there, before = texts[1] is not None, texts[0] is not None
        yield File(bucket.path, place, names[0], names[1], None, is_there=there, was_there=before, is_part=True)
