"""The code at one commit: its files and folders by name, their texts, and what git ignores there."""

from __future__ import annotations

import copy
import os
import re
from functools import cache, cached_property

from gitmem.text.code.languages import is_code
from gitmem.text.globs import is_plain, matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from gitmem.commands.adopt.mainline import Mainline
    from gitmem.git import Git

# A larger file is data.
FILE_LIMIT = 1024 * 1024
# The most objects that one search names on its command line.
_MOST_OBJECTS = 20000
# Tests and examples, which define nothing of the program.
_TEST = re.compile(
    r"(^|/)(tests?|__tests__|specs?|e2e|examples?|samples?|demos?|docs?|fixtures?|mocks?|__mocks__|testdata|cookbook)/|"
    r"(^|/)(test_[^/]*|[^/]*(_test|\.test|\.spec|\.stories)\.[^/]*|conftest\.py)$",
    re.I,
)


class Code:
    """The tree of one commit. Paths have no trailing slash; the root is the empty path.

    Attributes:
        git: The repository.
        commit: The commit.
        contents: Texts by object name, shared by the trees of one repository.
        vocabulary: Words whose places may be asked for, shared likewise.
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
        self._line = line if line is not None and line.knows(commit) else None
        self._instead: dict[str, str] = {}
        self.vocabulary: set[str] = set()
        self._words_in: dict[str, frozenset[str]] = {}

    def at(self, commit: str, line: Mainline | None = None) -> Code:
        """Return the code at an earlier commit, which shares what was read and searched."""
        other = Code(self.git, commit, self.contents, later=self, line=line)
        other.vocabulary, other._words_in = self.vocabulary, self._words_in
        return other

    def with_text(self, path: str, text: str) -> Code:
        """Return the code with another text of one of its files; empty as if the file were missing."""
        # What is derived from the names of files is made once, for all such copies.
        assert self.by_name is not None, "a tree has names"
        other = copy.copy(self)
        other._instead = {**self._instead, path: text}
        return other

    @cached_property
    def files(self) -> Mapping[str, tuple[str, str]]:
        """Return the mode and object name of each file by path."""
        if self._later is None:
            return {path: (mode, oid) for mode, oid, path in self.git.list_paths(self.commit)}
        files = dict(self._later.files)
        argv = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", self._later.commit, self.commit)
        parts = self.git.run(*argv).stdout.split(b"\0")
        for change, name in zip(parts[::2], parts[1::2], strict=False):
            _, mode, _, oid, status = change.decode("ascii").split(" ")
            if status == "D":
                files.pop(os.fsdecode(name), None)
            else:
                files[os.fsdecode(name)] = mode, oid
        return files

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return every folder; the root is the empty path."""
        return frozenset({"", *folders_of(self.files)})

    @cached_property
    def _links(self) -> frozenset[str]:
        """Return symbolic links and submodules, whose content is unknown."""
        return frozenset(path for path, (mode, _) in self.files.items() if mode in ("120000", "160000"))

    @cached_property
    def by_name(self) -> Mapping[str, list[str]]:
        """Return the paths of files and folders by their last part."""
        found: dict[str, list[str]] = {}
        for path in (*self.files, *self.folders):
            found.setdefault(path.rpartition("/")[2], []).append(path)
        return found

    def has(self, path: str) -> bool:
        """Return whether there is a file or folder with this path."""
        if self._line is not None and self._later is not None:  # a link is taken to be as old as its files
            return self._line.has(self.commit, path) or self._later._is_below_link(path)
        return path in self.files or path in self.folders or self._is_below_link(path)

    def _is_below_link(self, path: str) -> bool:
        return bool(self._links) and any(path.startswith(f"{link}/") for link in self._links)

    def list_ending_with(self, path: str) -> list[str]:
        """Return the files and folders whose path ends with these parts, sorted."""
        if self._line is not None:
            return self._line.list_ending_with(self.commit, path)
        name = path.rpartition("/")[2]
        return sorted(one for one in self.by_name.get(name, ()) if one == path or one.endswith(f"/{path}"))

    def is_regular(self, path: str) -> bool:
        """Return whether a path is a regular file, not a link or a submodule."""
        return self.files.get(path, ("",))[0] in ("100644", "100755")

    def text(self, path: str) -> str:
        """Return the text of a file; empty if there is none, or it is too large."""
        return self.texts([path]).get(path, "")

    def texts(self, paths: Iterable[str]) -> dict[str, str]:
        """Return the texts of files by path, in order; those that are missing, too large or binary are left out."""
        wanted = {path: self.files[path][1] for path in paths if self.is_regular(path)}
        missing = [oid for oid in dict.fromkeys(wanted.values()) if oid not in self.contents]
        for oid, content in read_texts(self.git, missing):
            self.contents[oid] = content
        found = {path: self.contents[oid] for path, oid in wanted.items() if oid in self.contents}
        return {path: self._instead.get(path, text) for path, text in found.items()} if self._instead else found

    def files_naming(self, words: Iterable[str]) -> list[str]:
        """Return the own files that have one of some words, sorted.

        All words of the vocabulary are searched at once, and each text once, whatever the commit.
        """
        wanted = frozenset(words)
        if not wanted <= self.vocabulary:
            self.vocabulary |= wanted
            self._words_in.clear()
        if not self._words_in.keys() >= self._own_objects:
            self._search()
        found = {oid for oid in self._own_objects if not wanted.isdisjoint(self._words_in[oid])}
        return [path for path, oid in self.own_files.items() if oid in found or path in self._instead]

    @cached_property
    def _own_objects(self) -> frozenset[str]:
        return frozenset(self.own_files.values())

    def _search(self) -> None:
        unknown = sorted(self._own_objects - self._words_in.keys())
        either = "|".join(sorted(map(_as_pattern, self.vocabulary)))
        for start in range(0, len(unknown), _MOST_OBJECTS):
            part = unknown[start : start + _MOST_OBJECTS]
            found: dict[str, set[str]] = {oid: set() for oid in part}
            done = self.git.run("grep", "-o", "-z", "-I", "-w", "-E", "-e", either, *part, check=False)
            for line in done.stdout.decode("utf-8", "replace").split("\n"):
                oid, _, word = line.partition("\0")
                if oid in found:
                    found[oid].add(word)
            self._words_in.update({oid: frozenset(one) for oid, one in found.items()})

    @cached_property
    def own_files(self) -> Mapping[str, str]:
        """Return the object names of the files of code by path, sorted, without tests, examples and foreign code."""
        own = (path for path in sorted(self.files) if _is_own(path))
        return {path: self.files[path][1] for path in own if self.is_regular(path)}

    @cached_property
    def ignore_rules(self) -> Mapping[str, list[tuple[Callable[[str], bool], bool]]]:
        """Return the patterns of the ignore file in each folder, in order, each with whether it re-includes a path."""
        names = [path for path in self.by_name.get(".gitignore", ()) if path in self.files]
        return {
            path.rpartition("/")[0]: [rule for rule in map(_parse_rule, text.split("\n")) if rule is not None]
            for path, text in self.texts(names).items()
        }

    def is_ignored(self, path: str) -> bool:
        """Return whether git ignores a path, or a folder above it. Source: gitignore(5)."""
        ends = [*(at for at, letter in enumerate(path) if letter == "/"), len(path)]
        folders = sorted(folder for folder in self.ignore_rules if not folder or path.startswith(f"{folder}/"))
        rules = [(len(folder) + 1 if folder else 0, self.ignore_rules[folder]) for folder in folders]
        return any(_ignores(rules, path[:end]) for end in ends if end)


def _ignores(rules: Iterable[tuple[int, list[tuple[Callable[[str], bool], bool]]]], path: str) -> bool:
    """Return whether the last pattern that matches a path ignores it.

    Args:
        rules: Where the path begins below each folder with patterns, and those patterns, from the root down.
        path: The path from the root.
    """
    answer = False
    for start, patterns in rules:
        if start <= len(path):
            for matches, takes_back in patterns:
                if matches(path[start:]):
                    answer = not takes_back
    return answer


def folders_of(files: Iterable[str]) -> set[str]:
    """Return the folders that some files are in, without the root."""
    found: set[str] = set()
    for folder in {path.rpartition("/")[0] for path in files}:
        above = folder
        while above and above not in found:
            found.add(above)
            above = above.rpartition("/")[0]
    return found


def read_texts(git: Git, specs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield the text of each existing blob (``oid`` or ``commit:path``) that is neither too large nor binary."""
    names = [name for name in dict.fromkeys(specs) if "\n" not in name]
    for name, content in git.read_blobs(names, limit=FILE_LIMIT):
        if content is not None and b"\0" not in content[:8000]:
            yield name, content.decode("utf-8", "replace")


def _parse_rule(line: str) -> tuple[Callable[[str], bool], bool] | None:
    """Return a line's pattern, and whether it re-includes a path; None for a comment, or if it names nothing."""
    pattern = line.rstrip()
    bare = pattern.removeprefix("!").rstrip("/")
    if not bare or pattern.startswith("#"):
        return None
    glob = bare.lstrip("/") if "/" in bare else f"**/{bare}"
    # The glob of a plain path would also match what is below it.
    return (glob.__eq__ if is_plain(glob) else matcher(glob)), pattern.startswith("!")


@cache
def _is_own(path: str) -> bool:
    return is_code(path) and not _TEST.search(path)


def _as_pattern(word: str) -> str:
    """Return a word as an extended regular expression."""
    return re.sub(r"([.[\]{}()*+?^$|\\])", r"\\\1", word)
