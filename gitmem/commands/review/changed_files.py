"""The files in a change of the memory branch, sorted by type: sizes first, then content.

``store.read`` decides what is allowed in a store, as for every reader.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.git.git import TreeEntry
from gitmem.git.objects import open_objects
from gitmem.store import layout
from gitmem.store.read import display_path, sort_entries
from gitmem.store.verdicts.buckets import sections_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from gitmem.git import Git
    from gitmem.git.objects import Changes, Objects, PathEntry
    from gitmem.model import Problem

# The limits of one change: a larger one cannot be reviewed. The first files by path are read, and the omission
# is an error. 20,000 memories of 2 KB take about 20 s (measured).
MOST_FILES = 20_000
MOST_BYTES = 48 * 1024 * 1024
# Files other than memories are scanned for secrets and hidden characters up to this size.
OTHER_LIMIT = layout.MEMORY_LIMIT


@frozen
class File:
    """One changed path.

    Attributes:
        path: The path, as text.
        place: Its parsed path; None if a store has no files there.
        before, after: Its blob on either side; empty if there is no readable one.
        problem: Why the present entry must not be read, or None.
        is_there: Whether it exists now.
        was_there: Whether it existed before.
        is_part: Whether it is one verdict of a bucket; the bucket itself is also a file of the change.
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
    """The differences between two states.

    Attributes:
        files: The changed paths, in order.
        contents: The content of each blob that was read.
        left: The number of paths left out because there are too many, or they are too large.
    """

    files: tuple[File, ...]
    contents: dict[str, bytes]
    left: int = 0

    def before(self, file: File) -> bytes | None:
        """Return a file's content before the change."""
        return self.contents.get(file.before)

    def after(self, file: File) -> bytes | None:
        """Return a file's content after the change."""
        return self.contents.get(file.after)


def read_files(git: Git, base: str, head: str) -> FileChanges:
    """Return the differences between two commits of the store; an empty name means an empty store.

    Raises:
        GitmemError: A tree cannot be read.
    """
    objects = open_objects(git)
    changes = objects.diff(base or None, head)
    names = sorted(changes)
    before = _classify(git, changes, names[:MOST_FILES], side=0)
    after = _classify(git, changes, names[:MOST_FILES], side=1)
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


def _classify(
    git: Git, changes: Changes, names: Iterable[str], *, side: int
) -> tuple[dict[str, str], dict[str, Problem]]:
    """Return the readable blobs on one side, by path, and the problems of the others."""
    entries: dict[str, PathEntry] = {name: entry for name in names if (entry := changes[name][side]) is not None}
    sizes = git.sizes(entry.oid for entry in entries.values() if entry.mode != "160000")
    scan = sort_entries(
        "",
        [
            TreeEntry(e.mode, "commit" if e.mode == "160000" else "blob", e.oid, sizes.get(e.oid, -1), name)
            for name, e in entries.items()
        ],
    )
    blobs = {file.path: file.oid for file in scan.files}
    # Files that other readers skip (a workflow), or that are not allowed, are scanned if they are small.
    for name, e in entries.items():
        if e.mode in layout.REGULAR_MODES and 0 <= sizes.get(e.oid, -1) <= OTHER_LIMIT:
            blobs.setdefault(display_path(name), e.oid)
    return blobs, {problem.path: problem for problem in scan.problems}


def _within_bounds(git: Git, objects: Objects, files: list[File], left: int) -> FileChanges:
    """Return the first files by path up to the limit on content."""
    sizes = git.sizes(dict.fromkeys(oid for file in files for oid in (file.before, file.after) if oid))
    total, included = 0, list[File]()
    for file in files:
        total += sum(sizes.get(oid, 0) for oid in (file.before, file.after) if oid)
        if total > MOST_BYTES:
            break
        included.append(file)
    oids = (oid for file in included for oid in (file.before, file.after) if oid)
    # Oversized files are already left out by their type, except for buckets.
    changes = FileChanges(
        tuple(included), objects.read(oids, limit=layout.BUCKET_LIMIT), left + len(files) - len(included)
    )
    parts = [
        part for file in included if file.place and file.place.what == layout.BUCKET for part in _parts(file, changes)
    ]
    return FileChanges((*included, *parts), changes.contents, changes.left)


def _parts(bucket: File, file_changes: FileChanges) -> Iterator[File]:
    """Yield the changed verdicts of a bucket as files, and add their texts to the contents."""
    was, now = (
        dict(sections_of(side or b"", bucket.path))
        for side in (file_changes.before(bucket), file_changes.after(bucket))
    )
    for key, spec in sorted(was.keys() | now.keys()):
        texts = [side.get((key, spec)) for side in (was, now)]
        if texts[0] == texts[1]:
            continue
        names = ["" if text is None else f"{bucket.path} {key} {spec} {end}" for end, text in enumerate(texts)]
        file_changes.contents.update((name, text) for name, text in zip(names, texts, strict=True) if text is not None)
        place = layout.StorePath(layout.VERDICT, key=key, spec=spec)
        there, before = texts[1] is not None, texts[0] is not None
        yield File(bucket.path, place, names[0], names[1], None, is_there=there, was_there=before, is_part=True)
