"""Inputs: the files of the code that a check reads, and a digest that differs whenever they do.

A digest needs no old commit, so shallow clones and rewritten histories work, and a checkout of another branch shows
the right statuses by itself (DESIGN, section 5).
"""

from __future__ import annotations

from bisect import bisect_left
from hashlib import sha256

from gitmem.globs import WILD, is_plain, matcher, normal
from gitmem.model import BUILTIN, Check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git.binary import Git

Entry = tuple[str, str, str]
# Marks what a folder's digest is made of apart from a path's, so that the two can never be equal.
_SEPARATOR = "\0"


class CodeTree:
    """The files of one commit of the code.

    Attributes:
        commit: The commit.
        tree: Its root tree.
    """

    def __init__(self, git: Git, commit: str) -> None:
        self.commit = commit
        self.tree = git.resolve(commit, "tree")
        self._entries = sorted(git.list_paths(self.tree), key=lambda e: e[2])
        self._paths = [path for _, _, path in self._entries]
        self._matched: dict[str, tuple[Entry, ...]] = {}

    def matched(self, glob: str) -> tuple[Entry, ...]:
        """Return mode, object name and path of every file that *glob* names, by path; may be empty."""
        found = self._matched.get(glob)
        if found is None:
            found = self._matched[glob] = self._match(glob)
        return found

    def _match(self, glob: str) -> tuple[Entry, ...]:
        pattern = normal(glob)
        prefix = pattern if is_plain(pattern) else pattern[: min(pattern.index(c) for c in WILD if c in pattern)]
        matches = matcher(glob)
        found = []
        for at in range(bisect_left(self._paths, prefix), len(self._paths)):
            if not self._paths[at].startswith(prefix):
                break
            if matches(self._paths[at]):
                found.append(self._entries[at])
        return tuple(found)


def digest(tree: CodeTree, inputs: Sequence[str], check: Check) -> str:
    """Return the digest of a check's inputs in one tree.

    Args:
        tree: The code.
        inputs: As the catalog keeps them: ``["tree"]`` where nothing is known of them, ``["paths", glob, ...]`` where
            they are declared, ``["builtin"]`` where the check itself says what it reads.
        check: The check.
    """
    if inputs[0] == "tree":
        return f"tree:{tree.tree}"
    if check.form == BUILTIN:
        if check.words[0] in ("exists", "absent"):
            # Only presence is read: a change of the file's content changes nothing.
            return "present" if tree.matched(check.words[1]) else "missing"
        return _of_entries(tree.matched(check.words[2]))
    files = {entry[2]: entry for glob in inputs[1:] for entry in tree.matched(glob)}
    if not files:
        # A misspelt or moved path would never change again: then nothing is known of the inputs.
        return f"tree:{tree.tree}"
    return _of_entries(tuple(files[path] for path in sorted(files)))


def _of_entries(entries: Sequence[Entry]) -> str:
    text = _SEPARATOR.join(f"{mode} {oid} {path}" for mode, oid, path in entries)
    return f"files:{sha256(text.encode('utf-8', 'surrogateescape')).hexdigest()[:40]}"
