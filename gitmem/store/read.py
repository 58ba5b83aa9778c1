"""Read a store from the object database: names and sizes first, content only of allowed files.

One hostile entry is one problem; the other memories are still read.
"""

from __future__ import annotations

import os

from gitmem.errors import BusyError, ProcessError, RemoteError
from gitmem.frozen import frozen, replace
from gitmem.git import Git
from gitmem.git.git import TreeEntry
from gitmem.model import Problem
from gitmem.store import layout
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

LIMITS = {
    layout.MEMORY: layout.MEMORY_LIMIT,
    layout.VERDICT: layout.VERDICT_LIMIT,
    layout.BUCKET: layout.BUCKET_LIMIT,
    layout.POLICY: layout.POLICY_LIMIT,
}
# The most first parents tried if the tip's tree cannot be read at all (bad input 53: an empty name in a tree).
READABLE_WITHIN = 20


@frozen
class StoredFile:
    """A readable file of a store.

    Attributes:
        place: Its parsed path.
        path: Its path.
        oid: Its blob.
    """

    place: layout.StorePath
    path: str
    oid: str


@frozen
class Scan:
    """The differences between two states of a store (or everything, compared with nothing).

    Attributes:
        commit: The state that was read.
        files: Files that are new or changed, in path order.
        removed: Paths that are gone.
        problems: Entries that are not allowed; their paths are also in *removed*, since they are not read.
        added: New paths, as far as the difference shows.
        is_twice: Whether a path occurs twice in the difference, because it does in one of the trees.
    """

    commit: str
    files: tuple[StoredFile, ...]
    removed: tuple[str, ...]
    problems: tuple[Problem, ...]
    added: tuple[str, ...] = ()
    is_twice: bool = False


def scan_all(git: Git, commit: str) -> Scan:
    """Return everything in a store's tree.

    If the tip's tree itself cannot be read, the newest first parent with a readable one is used, and a problem says so.

    Raises:
        RemoteError: The clone is partial and its remote does not send the missing objects. This is not damage: an
            earlier tree would hide memories, and `doctor --fix` would write it on top of them.
        BusyError: git was stopped, or had not listed it in time. This is not damage either.
        ProcessError: None of them can be read.
    """
    try:
        return sort_entries(commit, git.list_tree(commit))
    except ProcessError as err:
        if git.repository.is_partial:
            reason = err.stderr.strip().removeprefix("fatal: ").split("\n")[0] or "git gave no reason"
            raise RemoteError(
                f"this partial clone lacks parts of the memory at {commit[:12]}, and cannot fetch them ({reason})",
                hint=(
                    "to fetch with the program that this repository's configuration names: gitmem trust --settings"
                    if git.fetch_programs() and not git.accepts_programs
                    else "try again when its remote is reachable, or clone without --filter"
                ),
            ) from err
        _refuse_transient(err, commit)
        first = err
    for back in range(1, READABLE_WITHIN):
        try:
            entries = git.list_tree(f"{commit}~{back}")
        except ProcessError as err:
            _refuse_transient(err, commit)
            continue
        reason = first.stderr.strip().removeprefix("fatal: ").split("\n")[0] or "git cannot read it"
        problem = Problem(
            "tree-unreadable",
            "",
            f"the tree of {commit[:12]} cannot be read ({reason}); showing {back} commit(s) earlier",
            hint="commit the tree that is shown on top: gitmem doctor --fix",
        )
        good = sort_entries(commit, entries)
        return Scan(commit, good.files, (), (problem, *good.problems))
    raise first


def _refuse_transient(err: ProcessError, commit: str) -> None:
    """Raise an error if git failed for a reason that says nothing about the tree.

    Raises:
        BusyError: It was stopped.
        ProcessError: It did not start; the error says why.
    """
    if err.status is None and not err.stderr:
        raise err
    if (err.status is not None and err.status < 0) or not err.stderr.strip():
        raise BusyError(
            f"git could not list the memory at {commit[:12]}: {err.message}",
            hint="run the command again when this machine has less to do",
        ) from err


def scan_changes(git: Git, old: str, new: str) -> Scan:
    """Return what changed in a store between two commits; equal folders are never opened.

    Raises:
        ProcessError: One of the trees cannot be read, or *old* no longer exists: scan all.
    """
    changes = git.diff_trees(old, new)
    # Decided by mode: a hostile entry may have the null object name, and is a problem of that entry.
    present = [c for c in changes if c.mode != "000000"]
    sizes = git.sizes(c.oid for c in present if c.mode != "160000")
    entries = [
        TreeEntry(c.mode, "commit" if c.mode == "160000" else "blob", c.oid, sizes.get(c.oid, -1), c.path)
        for c in present
    ]
    sorted_files = sort_entries(new, entries)
    served = {f.path for f in sorted_files.files}
    removed = tuple(display_path(c.path) for c in changes if c.path not in served)
    added = tuple(display_path(c.path) for c in changes if c.status == "A")
    is_twice = len({c.path for c in changes}) < len(changes)
    return Scan(new, sorted_files.files, removed, sorted_files.problems, added, is_twice)


def sort_entries(commit: str, entries: Iterable[TreeEntry]) -> Scan:
    """Split a tree's entries into readable files and problems."""
    files: list[StoredFile] = []
    problems: list[Problem] = []
    seen: set[str] = set()
    for entry in entries:
        if entry.path in seen:
            problems.append(
                Problem(
                    "duplicate-entry", display_path(entry.path), "the tree has this name twice; the first one is used"
                )
            )
            continue
        seen.add(entry.path)
        classified = _classify(entry if entry.path.isascii() else replace(entry, path=display_path(entry.path)))
        if isinstance(classified, Problem):
            problems.append(classified)
        elif classified is not None:
            files.append(classified)
    return Scan(commit, tuple(files), (), tuple(problems))


def _classify(entry: TreeEntry) -> StoredFile | Problem | None:
    """Return the file or problem for an entry, or None if it is known but not read."""
    place = layout.place_of(entry.path)
    if isinstance(place, str):
        return _misplaced(entry, "bad-name", place)
    if entry.type == "commit":
        return _misplaced(entry, "submodule", "a store cannot contain submodules", key=place.key)
    if entry.mode == "120000":
        return _misplaced(entry, "symlink", "a store cannot contain symbolic links", key=place.key)
    if entry.mode not in layout.REGULAR_MODES:
        return _misplaced(entry, "bad-mode", f"mode {entry.mode} is not that of a regular file", key=place.key)
    if place.what == layout.KNOWN:
        return None
    if entry.size < 0:
        return Problem(
            "missing-object",
            entry.path,
            "its content is missing from the object database",
            key=place.key,
            hint="fetch it again: git fetch origin, or see git fsck",
        )
    if entry.size > LIMITS[place.what]:
        message = f"{entry.size} bytes; the limit is {LIMITS[place.what]}"
        return Problem("too-large", entry.path, message, key=place.key, hint="split it, or link to long content")
    return StoredFile(place, entry.path, entry.oid)


def _misplaced(entry: TreeEntry, code: str, message: str, *, key: str = "") -> Problem:
    """Return the problem for an entry that a store cannot have, with the hint to delete it."""
    from shlex import quote  # 3 ms with `re`, only if there is a problem

    name = quote(display(display_path(entry.path)))
    hint = f"delete it from the memory branch: gitmem doctor --delete={name}"
    return Problem(code, entry.path, message, key=key, hint=hint)


def read_files(git: Git, files: Iterable[StoredFile]) -> Iterator[tuple[StoredFile, bytes | Problem]]:
    """Yield each file with its content, or with the problem that it cannot be read."""
    wanted = list(files)
    for stored, (_, content) in zip(wanted, git.read_blobs(f.oid for f in wanted), strict=True):
        if content is None:
            yield (
                stored,
                Problem(
                    "missing-object",
                    stored.path,
                    "its content is missing from the object database",
                    key=stored.place.key,
                ),
            )
        else:
            yield stored, content


def display_path(path: str) -> str:
    """Return a path of a tree as encodable text: bytes that are not UTF-8 become escapes.

    The catalog accepts only such text; otherwise one such name would block the whole store.
    """
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")
