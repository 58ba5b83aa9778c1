"""Find the file that took over a part of a deleted file: git's rename detection only follows whole files.

Looks at the commit that deleted the file: of the files of the same type that it added or changed, the one that gained
the part took it over. If several did, it is the one with the same name; if there is none, the result is undetermined.
"""

from __future__ import annotations

import posixpath

from gitmem.git.git import parse_changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.git import Git
    from gitmem.git.renames import Renames

# Limits on the files of one commit that are read, and on the bytes of one; in a larger commit no part is followed.
MOST_FILES = 400
FILE_LIMIT = 1024 * 1024


class Splits:
    """The parts of deleted files; the files of a commit are read only once."""

    def __init__(self, git: Git, renames: Renames) -> None:
        self._git = git
        self._renames = renames
        self._files: dict[str, list[tuple[str, bytes, bytes]]] = {}

    def find(self, path: str, since: str, has: Callable[[str, bytes], bool]) -> str:
        """Return the file at the tip that took over a part of a file; empty if none or several did.

        Args:
            path: A file of the commit *since* that the tip does not have.
            since: That commit; empty if unknown, to search the whole history.
            has: Returns whether a file with this path and content contains the part.
        """
        commit = self._renames.find_deletions([path], since).get(path, "")
        if not commit:
            return ""
        paths = [new for new, before, after in self._changed(commit, path) if has(new, after) and not has(new, before)]
        same = [new for new in paths if posixpath.basename(new) == posixpath.basename(path)]
        there = paths[0] if len(paths) == 1 else same[0] if len(same) == 1 else ""
        return self._renames.now(there, commit) if there else ""

    def _changed(self, commit: str, path: str) -> list[tuple[str, bytes, bytes]]:
        """Return path, old content and new content of the files of the same type that a commit added or changed."""
        if commit not in self._files:
            self._files[commit] = self._read(commit)
        ending = posixpath.splitext(path)[1]
        return [file for file in self._files[commit] if posixpath.splitext(file[0])[1] == ending]

    def _read(self, commit: str) -> list[tuple[str, bytes, bytes]]:
        how = ("-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--no-ext-diff", "--diff-filter=AM")
        words = self._git.run("diff-tree", *how, f"{commit}^", commit, check=False).stdout.split(b"\0")
        rows = [(change.path, change.old_oid, change.oid) for change in parse_changes(words)]
        if len(rows) > MOST_FILES:
            return []
        oids = {oid for _, old, new in rows for oid in (old, new) if oid.strip("0")}
        read = self._git.read_blobs(oids, limit=FILE_LIMIT)
        contents = {oid: content for oid, content in read if content is not None}
        return [(name, contents.get(old, b""), contents[new]) for name, old, new in rows if new in contents]
