"""The code at one commit: its files and folders by name, their texts, and what git ignores there."""

from __future__ import annotations

import copy
from functools import cached_property

from gitmem.commands.adopt.tree import REGULAR, Tree
from gitmem.commands.adopt.vocabulary import FILE_LIMIT, Occurrences
from gitmem.text.globs import is_plain, matcher, quick_matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gitmem.commands.adopt.mainline import Mainline
    from gitmem.git import Git

# The answer for a longer path is not remembered.
_LONG = 300


class Code:
    """The tree of one commit. Paths have no trailing slash; the root is the empty path.

    Attributes:
        git: The repository.
        commit: The commit.
        tree: The names of its files and folders.
        contents: Texts by object name, shared by the trees of one repository.
        occurrences: Which texts have the words whose places may be asked for, shared likewise.
    """

    def __init__(
        self,
        git: Git,
        commit: str,
        contents: dict[str, str] | None = None,
        *,
        later: Code | None = None,
        line: Mainline | None = None,
    ) -> None:
        """Open a tree; in the past of *later*, whose files it lists by the differences, if at all, given their line."""
        self.git = git
        self.commit = commit
        self.contents = {} if contents is None else contents
        self._later = later
        self.tree: Tree = Tree(git, commit, later.tree if later is not None else None)
        self._line = line if line is not None and line.knows(commit) else None
        self._instead: dict[str, str] = {}
        # The paths that were looked up, each with whether git ignores it itself.
        self._ignored: dict[str, bool] = {}
        # The round of `occurrences` in which the own files were read.
        self._rounds_read = 0
        self.occurrences: Occurrences = later.occurrences if later is not None else Occurrences(git)

    def at(self, commit: str, line: Mainline | None = None) -> Code:
        """Return the code at an earlier commit, which shares what was read and searched."""
        return Code(self.git, commit, self.contents, later=self, line=line)

    def with_text(self, path: str, text: str) -> Code:
        """Return the code with another text of one of its files; empty as if the file were missing."""
        other = copy.copy(self)
        other._instead = {**self._instead, path: text}
        return other

    @property
    def files(self) -> Mapping[str, tuple[str, str]]:
        """Return the mode and object name of each file by path."""
        return self.tree.files

    def list_other_texts(self) -> list[tuple[str, str]]:
        """Return the regular files of code of the past whose text differs from the later one, with their objects."""
        entries = self.tree.differences.items()
        return [(path, entry[1]) for path, entry in entries if entry is not None and entry[0] in REGULAR]

    def has(self, path: str) -> bool:
        """Return whether there is a file or folder with this path."""
        if self._line is not None and self._later is not None:  # a link is taken to be as old as its files
            return self._line.has(self.commit, path) or self._later._is_below_link(path)
        return path in self.files or self.tree.has_folder(path) or self._is_below_link(path)

    def _is_below_link(self, path: str) -> bool:
        links = self.tree.links
        return bool(links) and any(path.startswith(f"{link}/") for link in links)

    def list_ending_with(self, path: str) -> list[str]:
        """Return the files and folders whose path ends with these parts, sorted."""
        if self._line is not None:
            return self._line.list_ending_with(self.commit, path)
        name = path.rpartition("/")[2]
        return sorted(
            path_named for path_named in self.tree.named(name) if path_named == path or path_named.endswith(f"/{path}")
        )

    def is_regular(self, path: str) -> bool:
        """Return whether a path is a regular file, not a link or a submodule."""
        return self.files.get(path, ("",))[0] in REGULAR

    def text(self, path: str) -> str:
        """Return the text of a file; empty if there is none, or it is too large."""
        return self.texts([path]).get(path, "")

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of files by path, in order; those that are missing, too large or binary are left out."""
        files = self.files
        entries = ((path, files[path]) for path in paths if path in files)
        wanted = {path: oid for path, (mode, oid) in entries if mode in REGULAR}
        missing = [oid for oid in dict.fromkeys(wanted.values()) if oid not in self.contents]
        for oid, content in read_texts(self.git, missing):
            self.contents[oid] = content
        texts = {path: self.contents[oid] for path, oid in wanted.items() if oid in self.contents}
        return {path: self._instead.get(path, text) for path, text in texts.items()} if self._instead else texts

    def files_naming(self, words: Iterable[str]) -> list[str]:
        """Return the own files that have one of some words, sorted.

        All words that are expected are searched at once, and each text once, whatever the commit.
        """
        wanted = frozenset(words)
        self.occurrences.expect(wanted)
        self.read_own()
        paths = set(self.tree.list_own_with_text(self.occurrences.having(wanted)))
        return sorted(paths.union(path for path in self._instead if self.tree.is_own(path)))

    def read_own(self) -> None:
        """Search the texts of the own files; in the past, those that differ."""
        if self._rounds_read != self.occurrences.rounds:
            if self._later is not None:
                self._later.read_own()
            self.occurrences.read(frozenset(self.tree.list_own_texts()))
            self._rounds_read = self.occurrences.rounds

    @cached_property
    def ignore_rules(self) -> Mapping[str, _Rules]:
        """Return the patterns of the ignore file in each folder."""
        files = self.texts(self.tree.files_named(".gitignore")).items()
        return {path.rpartition("/")[0]: _Rules(text) for path, text in files}

    def is_ignored(self, path: str) -> bool:
        """Return whether git ignores a path, or a folder above it. Source: gitignore(5)."""
        ends = [*(at for at, letter in enumerate(path) if letter == "/"), len(path)]
        folders = sorted(folder for folder in self.ignore_rules if not folder or path.startswith(f"{folder}/"))
        rules = [(len(folder) + 1 if folder else 0, self.ignore_rules[folder]) for folder in folders]
        for end in filter(None, ends):
            start = path[:end]
            if start not in self._ignored:
                if end > _LONG:
                    return any(_ignores(rules, path[:other]) for other in ends if other >= end)
                self._ignored[start] = _ignores(rules, start)
            if self._ignored[start]:
                return True
        return False

    def is_ignored_somewhere(self, path: str) -> bool:
        """Return whether git ignores a folder of this name below others: `packages/*/lib`, for `lib/main.js`."""
        first = path.partition("/")[0]
        return any(rules.names_below(first) for rules in self.ignore_rules.values())


class _Rules:
    """The patterns of an ignore file."""

    def __init__(self, text: str) -> None:
        # Each glob, in order, with whether it re-includes a path.
        self._globs = [rule for rule in map(_parse_rule, text.split("\n")) if rule is not None]

    @cached_property
    def _may_match(self) -> Callable[[str], bool]:
        return quick_matcher(glob for glob, _ in self._globs)

    @cached_property
    def _matchers(self) -> list[tuple[Callable[[str], bool], bool]]:
        # The glob of a plain path would also match what is below it.
        return [(glob.__eq__ if is_plain(glob) else matcher(glob), takes_back) for glob, takes_back in self._globs]

    def names_below(self, name: str) -> bool:
        """Return whether a pattern with a wildcard ignores a name in some folders, but not everywhere."""
        return any(
            not takes_back and glob.endswith(f"/{name}") and "*" in glob.removeprefix("**/")
            for glob, takes_back in self._globs
        )

    def last_answer(self, path: str) -> bool | None:
        """Return whether the last pattern that matches a path below the folder ignores it; None if none matches."""
        if not self._globs or not self._may_match(path):
            return None
        return next((not takes_back for matches, takes_back in reversed(self._matchers) if matches(path)), None)


def _ignores(rules: Iterable[tuple[int, _Rules]], path: str) -> bool:
    """Return whether the last pattern that matches a path ignores it.

    Args:
        rules: Where the path begins below each folder with patterns, and those patterns, from the root down.
        path: The path from the root.
    """
    answers = (rule.last_answer(path[start:]) for start, rule in rules if start <= len(path))
    return next((answer for answer in reversed(list(answers)) if answer is not None), False)


def read_texts(git: Git, specs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the text of each existing blob (``oid`` or ``commit:path``) that is neither too large nor binary."""
    names = [name for name in dict.fromkeys(specs) if "\n" not in name]
    for name, content in git.read_blobs(names, limit=FILE_LIMIT):
        if content is not None and b"\0" not in content[:8000]:
            yield name, content.decode("utf-8", "replace")


def _parse_rule(line: str) -> tuple[str, bool] | None:
    """Return a line's glob, and whether it re-includes a path; None for a comment, or if it names nothing."""
    pattern = line.rstrip()
    bare = pattern.removeprefix("!").rstrip("/")
    if not bare or pattern.startswith("#"):
        return None
    glob = bare.lstrip("/") if "/" in bare else f"**/{bare}"
    return glob, pattern.startswith("!")
