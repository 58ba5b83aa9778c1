"""Find the commits that introduced present texts: a memory's file, one verdict in a bucket, one line of another file.

A text passes from a commit to a parent that has it as well. A merge introduces what it keeps against the other side:
restoring an older text by merging an old commit is a change, and the merge is what changed it.
"""

from __future__ import annotations

import os
from itertools import islice

from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.git.history import list_ancestors
from gitmem.git.objects import oid_of
from gitmem.store import layout
from gitmem.store.verdicts.buckets import sections_of, unite_verdicts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from gitmem.git import Git
    from gitmem.git.history import Ancestor

    # A verdict's key and specification, as in a bucket; ``LINE`` and a line; empty for a memory.
    Name: TypeAlias = tuple[str, str]
    # A text by its path at the tip and its name.
    Place: TypeAlias = tuple[str, Name]

MEMORY: Name = ("", "")
LINE = ":line"  # no key has a colon
# Longer histories are not searched: their texts count as of unknown origin.
MOST_COMMITS = 1_000_000
# Commits that are compared with their parents at a time: new texts are in the newest ones.
_FIRST_BLOCK, _LARGEST_BLOCK = 32, 2048
# More paths are not named one by one: the length of a command line is limited.
_FEW_PATHS = 200


@frozen
class Origin:
    """Where a text comes from.

    Attributes:
        commits: The commits that introduced it, sorted: several if it was introduced on two sides of a merge.
        text: What it was found as: the content of a verdict, the object name of a memory.
    """

    commits: tuple[str, ...]
    text: bytes


@frozen
class Origins:
    """The origins of some texts.

    Attributes:
        by_place: The origin of each text that the tip has.
        parents: The parents of each introducing commit, as far as this clone has them.
        since: For each introducing commit the latest time in its history, epoch seconds.
    """

    by_place: Mapping[Place, Origin]
    parents: Mapping[str, tuple[str, ...]]
    since: Mapping[str, int]


def find_origins(git: Git, tip: str, places: Iterable[Place]) -> Origins:
    """Return the commits that introduced texts of a commit of a store; texts that it does not have are left out.

    Args:
        git: The repository.
        tip: The commit.
        places: The texts.

    Raises:
        ProcessError: The history cannot be read.
    """
    return _Search(git, tip).find(places)


def list_touched_paths(git: Git, old: str, new: str) -> set[str] | None:
    """Return the paths that differ between a commit and a parent anywhere between two commits.

    None if the first is not an ancestor of the second, so that no path is known to be untouched.
    """
    if not git.is_ancestor(old, new):
        return None
    search = _Search(git, new, without=old)
    pairs = [(ancestor.commit, parent) for ancestor in search.order for parent in ancestor.parents]
    return {path for changes in search.changes(pairs).values() for path in changes}


class _Search:
    def __init__(self, git: Git, tip: str, *, without: str = "") -> None:
        self._git = git
        self._tip = tip
        self.order = list_ancestors(git, tip, without=without, at_most=MOST_COMMITS)
        self._sections: dict[tuple[str, str], dict[Name, bytes]] = {}
        # What waits at each commit: the path there, the text and the place of each open text.
        self._open: dict[str, dict[Place, tuple[str, bytes]]] = {}
        self._found: dict[Place, set[str]] = {}
        self._cut: set[str] = set()  # the paths of files that hold several texts
        self._only: tuple[str, ...] = ()

    def find(self, places: Iterable[Place]) -> Origins:
        wanted_places = set(places)
        self._cut = {path for path, name in wanted_places if name != MEMORY}
        # A memory may have been moved; other files are only looked for at their paths.
        self._only = () if any(name == MEMORY for _, name in wanted_places) else tuple(sorted(self._cut))
        texts = self._texts_at_tip(wanted_places)
        self._open[self._tip] = {place: (place[0], text) for place, text in texts.items()}
        for block in self._blocks():
            changes = self.changes([(ancestor.commit, parent) for ancestor in block for parent in ancestor.parents])
            self._load(changes)
            for ancestor in block:
                for place, (path, text) in self._open.pop(ancestor.commit, {}).items():
                    passed = self._pass_on(ancestor, place[1], path, text, changes)
                    for parent, before in passed:
                        self._open.setdefault(parent, {})[place] = (before, text)
                    if not passed:
                        self._found.setdefault(place, set()).add(ancestor.commit)
        by_place = {place: Origin(tuple(sorted(self._found[place])), texts[place]) for place in self._found}
        wanted = {commit for commits in self._found.values() for commit in commits}
        return Origins(by_place, {a.commit: a.parents for a in self.order if a.commit in wanted}, self._since(wanted))

    def _since(self, wanted: Collection[str]) -> dict[str, int]:
        """Return the latest time in the history of each commit: a commit is not older than those it builds on."""
        latest: dict[str, int] = {}
        for ancestor in reversed(self.order):
            latest[ancestor.commit] = max([ancestor.at, *(latest.get(parent, 0) for parent in ancestor.parents)])
        return {commit: latest[commit] for commit in wanted}

    def _blocks(self) -> Iterator[list[Ancestor]]:
        at, size = 0, _FIRST_BLOCK
        while at < len(self.order) and self._open:
            yield self.order[at : at + size]
            at, size = at + size, min(size * 4, _LARGEST_BLOCK)

    def _texts_at_tip(self, places: Collection[Place]) -> dict[Place, bytes]:
        wanted = sorted({path for path, _ in places})
        listed = self._git.list_tree(self._tip, *(wanted if len(wanted) <= _FEW_PATHS else ())) if wanted else []
        oids = {entry.path: entry.oid for entry in listed}
        paths = {path for path in wanted if path in oids}
        self._read({oids[path]: path for path in paths & self._cut})
        texts = {place: self._text(oids[place[0]], *place) for place in places if place[0] in paths}
        return {place: text for place, text in texts.items() if text is not None}

    def changes(self, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], dict[str, tuple[str, str]]]:
        """Return the paths that differ between each commit and a parent, with the parent's object and the commit's.

        Either is empty where there is none. Source: git-diff-tree(1), --stdin and RAW OUTPUT FORMAT.
        """
        changes: dict[tuple[str, str], dict[str, tuple[str, str]]] = {pair: {} for pair in pairs}
        raw = (
            "--literal-pathspecs",
            "diff-tree",
            "--stdin",
            "--always",
            "-r",
            "-z",
            "--raw",
            "--no-abbrev",
            "--no-renames",
            "--no-ext-diff",
        )
        left = iter(changes)
        only = ("--", *self._only) if 0 < len(self._only) <= _FEW_PATHS else ()
        while part := list(islice(left, _LARGEST_BLOCK)):
            lines = "".join(f"{commit} {parent}\n" for commit, parent in part)
            words = iter(self._git.run(*raw, *only, input=lines.encode("ascii")).stdout.split(b"\0"))
            pairs_left = iter(part)
            here: dict[str, tuple[str, str]] = {}
            for word in words:
                if word.startswith(b":"):
                    _, _, old, new, status = word.decode("ascii").split(" ")
                    here[os.fsdecode(next(words))] = ("" if status == "A" else old, "" if status == "D" else new)
                elif word:
                    pair = next(pairs_left)
                    if pair[0] != word.decode("ascii").strip():
                        raise ProcessError(f"git cannot compare {pair[0]} with {pair[1]}", argv=list(raw))
                    here = changes[pair]
        return changes

    def _load(self, changes: Mapping[tuple[str, str], Mapping[str, tuple[str, str]]]) -> None:
        """Read the verdicts that parents had at the paths of open texts."""
        paths = {path for waiting in self._open.values() for path, _ in waiting.values() if path in self._cut}
        self._read(
            {old: path for change in changes.values() for path, (old, _) in change.items() if old and path in paths}
        )

    def _read(self, wanted: Mapping[str, str]) -> None:
        """Read verdict files: paths by object name."""
        missing = [oid for oid, path in wanted.items() if (oid, path) not in self._sections]
        for oid, content in self._git.read_blobs(missing, limit=layout.BUCKET_LIMIT):
            self._sections[oid, wanted[oid]] = _texts_in(content or b"", wanted[oid])

    def _text(self, oid: str, path: str, name: Name) -> bytes | None:
        """Return a text in a file: the object's name for a memory, the content of a verdict; None if it has none."""
        if name == MEMORY:
            return oid.encode("ascii") if oid else None
        if oid and (oid, path) not in self._sections:
            self._read({oid: path})
        return self._sections[oid, path].get(name) if oid else None

    def _pass_on(
        self,
        ancestor: Ancestor,
        name: Name,
        path: str,
        text: bytes,
        changes: Mapping[tuple[str, str], Mapping[str, tuple[str, str]]],
    ) -> list[tuple[str, str]]:
        """Return the parents that have a text as well, each with its path there; none if the commit introduced it."""
        same: list[tuple[str, str]] = []
        others: list[tuple[str, bytes | None]] = []
        for parent in ancestor.parents:
            changed = changes[ancestor.commit, parent]
            if path not in changed:
                same.append((parent, path))
                continue
            before = self._text(changed[path][0], path, name)
            moved = _moved_from(changed, path, text) if name == MEMORY and before is None else ""
            if before == text or moved:
                same.append((parent, moved or path))
            else:
                others.append((parent, before))
        is_kept = all(
            self._is_merged(name, path, text, before, (parent, other)) for parent, _ in same for other, before in others
        )
        return same if is_kept else []

    def _is_merged(self, name: Name, path: str, text: bytes, other: bytes | None, parents: tuple[str, str]) -> bool:
        """Return whether a merge by meaning keeps a text of one parent against that of another one.

        It does if only the first parent's side changed it, or if it is the later of two verdicts that both changed.
        """
        bases = {self._text_at(base, path, name) for base in self._git.merge_bases(*parents)} or {None}
        if bases == {other}:
            return True
        is_verdict = name != MEMORY and name[0] != LINE
        return is_verdict and text not in bases and other is not None and _is_later(text, other, name, path)

    def _text_at(self, commit: str, path: str, name: Name) -> bytes | None:
        content = self._git.read_blob(f"{commit}:{path}", limit=layout.BUCKET_LIMIT)
        if content is None:
            return None
        return self._text(oid_of(content, len(commit)), path, name)


def _texts_in(content: bytes, path: str) -> dict[Name, bytes]:
    """Return the texts in a file: verdicts, or lines."""
    if path.startswith("verdicts/"):
        return dict(sections_of(content, path))
    return {(LINE, line.decode("utf-8", "replace")): line for line in content.split(b"\n")}


def _moved_from(changed: Mapping[str, tuple[str, str]], path: str, text: bytes) -> str:
    """Return the path from which a commit moved an unchanged memory, as the split of a folder does; or empty."""
    name = path.rpartition("/")[2]
    removed = (old for old, (oid, new) in changed.items() if not new and oid.encode("ascii") == text)
    return next((old for old in sorted(removed) if old.rpartition("/")[2] == name), "")


def _is_later(text: bytes, other: bytes, name: Name, path: str) -> bool:
    """Return whether a verdict takes precedence over another one, as merging decides (``unite_verdicts``)."""
    return unite_verdicts(text, other, name=name, path=path) == text
