"""Read objects in bulk, with libgit2 if it can open the repository's format, else with the git binary.

Both give the same results, and only ``open_objects`` chooses. libgit2 refuses SHA-256, reftable and partial clones
(measured with 1.9.7; a partial clone made by git 2.39 can be opened, but missing objects cannot be fetched). It reads
in this process and runs no program. Nothing is written here: `store.commit` writes.
"""

from __future__ import annotations

import os

from gitmem.errors import GitmemError, NotFoundError, ProcessError
from gitmem.frozen import frozen
from gitmem.git import Git, tree_limits
from gitmem.git.loose_objects import is_cut_short

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

# A tree can contain one subtree a thousand times at each level, so a few objects can stand for more files than any
# memory has.
MOST_CHANGES = 2_000_000
# How many folders are compared before files are counted: real changes touch fewer, and this many take some 0.1 s.
FEW_FOLDERS = 5_000
_FOLDER = "040000"


@frozen
class PathEntry:
    """The entry at one path of a tree.

    Attributes:
        mode: Six octal digits, as git prints them.
        oid: Its object name.
    """

    mode: str
    oid: str


# By path, the entry before and the entry after; None if there is none. Never a folder.
Changes = dict[str, tuple["PathEntry | None", "PathEntry | None"]]


class Objects:
    """The objects of one repository, read with the git binary; ``LibgitObjects`` gives the same results."""

    def __init__(self, git: Git) -> None:
        self.git = git

    def diff(self, old: str | None, new: str | None) -> Changes:
        """Return the differences between two commits or trees (None is an empty one); equal folders are not read.

        Raises:
            NotFoundError: An object is missing, or is not a tree.
            GitmemError: There are too many differences.
        """
        empty = "" if old and new else empty_tree(self.git)
        try:
            changes = self.git.diff_trees(old or empty, new or empty)
        except ProcessError as err:
            raise _unreadable(err.stderr.strip().removeprefix("fatal: ")) from err
        _refuse_too_many(len(changes))
        return {c.path: (_entry(c.old_mode, c.old_oid), _entry(c.mode, c.oid)) for c in changes}

    def find(self, tree: str, path: str) -> PathEntry | None:
        """Return the entry at a path of a commit or tree, which may be a folder; None if there is none."""
        result = self.git.run("--literal-pathspecs", "ls-tree", "-z", "--full-tree", tree, "--", path, check=False)
        for line in result.stdout.split(b"\0"):
            head, _, name = line.partition(b"\t")
            if line and os.fsdecode(name) == path:
                mode, _, oid = head.decode("ascii").split(" ")
                return PathEntry(mode, oid)
        return None

    def read(self, oids: Iterable[str], *, limit: int) -> dict[str, bytes]:
        """Return the contents of blobs by name; missing ones, and those larger than *limit* bytes, are left out."""
        read = self.git.read_blobs(dict.fromkeys(oids), limit=limit)
        return {name: content for name, content in read if content is not None}


class LibgitObjects(Objects):
    """The objects of one repository, read with libgit2 in this process."""

    def __init__(self, git: Git, opened: Any) -> None:
        super().__init__(git)
        self._repository = opened

    def diff(self, old: str | None, new: str | None) -> Changes:
        """Return the differences between two commits or trees, by object names; ``diff_to_tree`` reads every folder.

        Source: 1.7 ms against 136 ms at 100,000 files.
        """
        changes: Changes = {}
        left = [("", self._tree(old), self._tree(new))]
        opened = 0
        while left:
            prefix, before, after = left.pop()
            opened += 1
            if opened == FEW_FOLDERS:
                self._refuse_bombs(old, new)
            were, are = _entries(before), _entries(after)
            for name in were.keys() | are.keys():
                was, now = were.get(name), are.get(name)
                if was == now:
                    continue
                path = prefix + os.fsdecode(name)
                files = [entry if entry and entry.mode != _FOLDER else None for entry in (was, now)]
                folders = [self._tree(entry.oid) if entry and entry.mode == _FOLDER else None for entry in (was, now)]
                if any(files):
                    changes[path] = (files[0], files[1])
                if folders != [None, None]:
                    left.append((f"{path}/", folders[0], folders[1]))
            _refuse_too_many(len(changes) + len(left) + opened)
        return changes

    def _refuse_bombs(self, *trees: str | None) -> None:
        try:
            tree_limits.need_bounded(self.git, [tree for tree in trees if tree], MOST_CHANGES)
        except ProcessError as err:
            raise NotFoundError(err.message, hint=err.hint) from err

    def find(self, tree: str, path: str) -> PathEntry | None:
        """Return the entry at a path of a commit or tree, which may be a folder; None if there is none."""
        import pygit2

        try:
            return _of(self._tree(tree)[path])
        except (KeyError, ValueError):
            return None
        except (OSError, pygit2.GitError) as err:  # damaged, or the device failed: this is not the same as missing
            raise _unreadable(f"{tree}: {err}") from err

    def read(self, oids: Iterable[str], *, limit: int) -> dict[str, bytes]:
        """Return the contents of blobs by name; missing ones, and those larger than *limit* bytes, are left out."""
        return {oid: content for oid in dict.fromkeys(oids) for content in self._read(oid, limit)}

    def _read(self, oid: str, limit: int) -> Iterator[bytes]:
        import pygit2

        try:
            self._need_whole(oid)
            kind, size = self._repository.odb.read_header(oid)
            if kind == pygit2.enums.ObjectType.BLOB and size <= limit:
                yield self._repository.odb.read(oid)[1]
        except (KeyError, ValueError, OSError, pygit2.GitError):
            return  # missing or damaged, or the device failed

    def _tree(self, name: str | None) -> Any:
        import pygit2

        if name is None:
            return None
        try:
            self._need_whole(name)
            opened = self._repository[name]
            if isinstance(opened, pygit2.Commit):
                self._need_whole(str(opened.tree_id))
            return opened.peel(pygit2.Tree)
        except (KeyError, ValueError, OSError, pygit2.GitError) as err:
            raise _unreadable(f"{name}: {err}") from err

    def _need_whole(self, name: str) -> None:
        if is_cut_short(self.git.repository.common, name):
            raise KeyError(name)


def empty_tree(git: Git) -> str:
    """Return the name of the empty tree, which every git knows."""
    return git.run("hash-object", "-t", "tree", "--stdin", input=b"").stdout.decode("ascii").strip()


def oid_of(content: bytes, length: int) -> str:
    """Return the name of a blob: SHA-1 if names have 40 digits, SHA-256 if they have 64 (git-hash-object(1))."""
    import hashlib  # 2.6 ms (measured), and most readers of objects name none

    algorithm = hashlib.sha256 if length == 64 else hashlib.sha1
    return algorithm(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def open_objects(git: Git) -> Objects:
    """Return access to a repository's objects: with libgit2 if it can open the format, else with the git binary."""
    if git.repository.is_partial:
        return Objects(git)
    import pygit2  # 114 ms (measured): only commands that touch many memories call this
    from pygit2.enums import RepositoryOpenFlag

    try:
        return LibgitObjects(git, pygit2.Repository(git.repository.common, RepositoryOpenFlag.NO_SEARCH))
    except (KeyError, ValueError, OSError, pygit2.GitError):
        return Objects(git)


def _entries(tree: Any) -> dict[bytes, PathEntry]:
    # Of two entries with the same name the first counts, as when a store is read (``store.read``).
    entries: dict[bytes, PathEntry] = {}
    for entry in () if tree is None else tree:
        entries.setdefault(entry.raw_name, _of(entry))
    return entries


def _of(one: Any) -> PathEntry:
    return PathEntry(f"{int(one.filemode):06o}", str(one.id))


def _entry(mode: str, oid: str) -> PathEntry | None:
    return None if mode == "000000" else PathEntry(mode, oid)


def _unreadable(why: str) -> NotFoundError:
    hint = "see what is missing: git fsck; or fetch it again: git fetch"
    return NotFoundError(f"a tree of the store cannot be read: {why}", hint=hint)


def _refuse_too_many(number: int) -> None:
    if number > MOST_CHANGES:
        raise GitmemError(f"the trees differ in more than {MOST_CHANGES} files, too many for a memory branch")
