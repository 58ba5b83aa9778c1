"""Who wrote a line: the oldest commit of the first-parent line since which a document has it, through renames.

That is what ``git blame -w`` finds, but for lines that only moved, and it costs one walk of the history for all
documents. For a line that a merge brought, ``git blame`` finds the commit on the merged branch.
"""

from __future__ import annotations

import os
import re
from posixpath import basename

from gitmem.commands.adopt.code import read_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.adopt.mainline import FileChange, Mainline
    from gitmem.git import Git

_HEAD = re.compile(rb"^([0-9a-f]{40,64}) \d+ (\d+)")
# The newest versions of a document that are read; older lines are looked up with git blame.
MOST_VERSIONS = 120


class Writers:
    """The writers of the lines of documents at a commit."""

    def __init__(self, git: Git, commit: str, line: Mainline, documents: Iterable[str]) -> None:
        self._git, self._commit, self._line = git, commit, line
        self._documents = list(documents)
        # The lines of documents without white space, by commit and path.
        self._lines: dict[tuple[str, str], list[str]] = {}
        self._sets: dict[tuple[str, str], frozenset[str]] = {}
        # What each document was called before the commit that added it under its name.
        self._older_names: dict[tuple[str, str], str] = {}
        self._blames: dict[tuple[str, str, str], Mapping[int, tuple[str, str]]] = {}

    def find(self, path: str, number: int) -> tuple[str, str]:
        """Return the commit that wrote a line, and the document's name then; an empty commit if git cannot tell."""
        if not self._lines:
            self._line.expect(self._documents)
            self._read((path, change) for path in self._documents for change in self._line.changes(path))
        changes = self._line.changes(path)
        lines = self._lines_at(changes[0].commit, path) if changes else []
        text = lines[number - 1] if number <= len(lines) else ""
        if not text:
            return self._blame(self._commit, path).get(number, ("", path))
        return self._trace(text, number, path, changes)

    def _trace(self, text: str, number: int, path: str, changes: Sequence[FileChange]) -> tuple[str, str]:
        wrote = changes[0]
        for change in changes[1:]:
            if change.number - wrote.number > 0 and text not in self._set_at(change.commit, path):
                return self._on_branch(wrote, path, text, number)
            wrote = change
            if len(changes) > MOST_VERSIONS and change is changes[MOST_VERSIONS - 1]:
                break
        if wrote.status != "A":  # the walk or the versions ended before the document began
            return self._blame(wrote.commit, path).get(self._number_at(wrote.commit, path, text, number), ("", path))
        old = self._name_before(wrote, path)
        older = self._line.changes(old, after=wrote.number) if old else []
        if older and text in self._set_at(older[0].commit, old):
            return self._trace(text, number, old, older)
        return self._on_branch(wrote, path, text, number)

    def _on_branch(self, wrote: FileChange, path: str, text: str, number: int) -> tuple[str, str]:
        """Return the commit that wrote a line; of a merged branch, the commit on it."""
        if wrote.commit not in self._line.merges:
            return wrote.commit, path
        lines = self._blame(wrote.commit, path, f"^{wrote.commit}^1")
        return lines.get(self._number_at(wrote.commit, path, text, number), (wrote.commit, path))

    def _number_at(self, commit: str, path: str, text: str, number: int) -> int:
        """Return the number of the line with a text at a commit, the nearest to a number; 0 if there is none."""
        same = [at for at, line in enumerate(self._lines_at(commit, path), 1) if line == text]
        return min(same, key=lambda at: abs(at - number), default=0)

    def _name_before(self, wrote: FileChange, path: str) -> str:
        """Return the old name of a document that a commit renamed; empty if it is new."""
        key = wrote.commit, path
        if key not in self._older_names:
            self._older_names[key] = self._find_name_before(wrote, path)
        return self._older_names[key]

    def _find_name_before(self, wrote: FileChange, path: str) -> str:
        gone = [
            path_removed
            for path_removed in self._line.list_removed(wrote.number)
            if _is_similar_name(path_removed, path)
        ]
        if not gone:
            return ""
        argv = ("diff-tree", "-r", "-z", "-M50", "--diff-filter=R", "--name-status", "--no-commit-id")
        result = self._git.run(
            "--literal-pathspecs", *argv, f"{wrote.commit}^1", wrote.commit, "--", path, *gone, check=False
        )
        parts = [os.fsdecode(part) for part in result.stdout.split(b"\0")]
        return next((old for old, new in zip(parts[1::3], parts[2::3], strict=False) if new == path), "")

    def _read(self, versions: Iterable[tuple[str, FileChange]]) -> None:
        """Read the newest versions of documents."""
        specs: dict[str, tuple[str, str]] = {}
        counts: dict[str, int] = {}
        for path, change in versions:
            counts[path] = counts.get(path, 0) + 1
            if counts[path] <= MOST_VERSIONS:
                specs[f"{change.commit}:{path}"] = change.commit, path
        for name, text in read_texts(self._git, specs):
            self._lines[specs[name]] = ["".join(line.split()) for line in text.split("\n")]

    def _lines_at(self, commit: str, path: str) -> list[str]:
        if (commit, path) not in self._lines:
            self._lines[commit, path] = []
            self._read([(path, change) for change in self._line.changes(path) if change.commit == commit])
        return self._lines[commit, path]

    def _set_at(self, commit: str, path: str) -> frozenset[str]:
        if (commit, path) not in self._sets:
            self._sets[commit, path] = frozenset(self._lines_at(commit, path))
        return self._sets[commit, path]

    def _blame(self, commit: str, path: str, *since: str) -> Mapping[int, tuple[str, str]]:
        """Return the writer of each line of a document at a commit, and its name then; boundaries are left out."""
        key = commit, path, " ".join(since)
        if key not in self._blames:
            result = self._git.run("blame", "-w", "--porcelain", commit, *since, "--", path, check=False)
            self._blames[key] = _parse_blame(result.stdout, path, is_whole=not since)
        return self._blames[key]


def _is_similar_name(one: str, other: str) -> bool:
    """Return whether a document may have been renamed so: the same name, or the same ending."""
    return basename(one) == basename(other) or one.rpartition(".")[2] == other.rpartition(".")[2]


def _parse_blame(output: bytes, path: str, *, is_whole: bool) -> dict[int, tuple[str, str]]:
    lines_by_number: dict[int, tuple[str, str]] = {}
    names: dict[str, str] = {}
    ends: set[str] = set()
    commit, number = "", 0
    for line in output.split(b"\n"):
        if line.startswith(b"\t"):
            if is_whole or commit not in ends:
                lines_by_number[number] = commit, names.get(commit, path)
        elif head := _HEAD.match(line):
            commit, number = head[1].decode("ascii"), int(head[2])
        elif line.startswith(b"filename "):
            names[commit] = os.fsdecode(line[9:])
        elif line == b"boundary":
            ends.add(commit)
    return lines_by_number
