"""The code at one commit: its files and folders by name, their texts, and what git ignores there."""

from __future__ import annotations

import copy
import os
import re
from collections import Counter
from functools import cache, cached_property

from gitmem.commands.adopt.vocabulary import FILE_LIMIT, Occurrences
from gitmem.text.code.languages import is_code
from gitmem.text.globs import is_plain, matcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Set

    from gitmem.commands.adopt.mainline import Mainline
    from gitmem.git import Git

# The answer for a longer path is not remembered.
_LONG = 300
# The modes of regular files.
_REGULAR = ("100644", "100755")
# Tests and examples, which define nothing of the program.
_SAMPLE = re.compile(
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
        self._line = line if line is not None and line.knows(commit) else None
        self._instead: dict[str, str] = {}
        # The round of `occurrences` in which the own files were read.
        self._rounds_read = 0
        self.occurrences: Occurrences = later.occurrences if later is not None else Occurrences(git)

    def at(self, commit: str, line: Mainline | None = None) -> Code:
        """Return the code at an earlier commit, which shares what was read and searched."""
        return Code(self.git, commit, self.contents, later=self, line=line)

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
        for path, entry in self._differences.items():
            if entry is None:
                files.pop(path, None)
            else:
                files[path] = entry
        return files

    @cached_property
    def _differences(self) -> Mapping[str, tuple[str, str] | None]:
        """Return the files that differ from the later code, with their mode and object name; None if missing here."""
        assert self._later is not None, "only code of the past differs"
        argv = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", self._later.commit, self.commit)
        parts = self.git.run(*argv).stdout.split(b"\0")
        found: dict[str, tuple[str, str] | None] = {}
        for change, name in zip(parts[::2], parts[1::2], strict=False):
            _, mode, _, oid, status = change.decode("ascii").split(" ")
            found[os.fsdecode(name)] = None if status == "D" else (mode, oid)
        return found

    @cached_property
    def folders(self) -> Set[str]:
        """Return every folder; the root is the empty path."""
        return self._sizes.keys()

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """Return the number of files below each folder, at any depth."""
        if self._later is None:
            return _count({"": 0}, self.files, 1)
        sizes = _count(dict(self._later._sizes), self._added, 1)
        sizes = _count(sizes, (path for path, entry in self._differences.items() if entry is None), -1)
        return {folder: size for folder, size in sizes.items() if size or not folder}

    @property
    def _added(self) -> list[str]:
        """Return the files that the later code does not have."""
        return [path for path in self._differences if self._later is None or path not in self._later.files]

    @cached_property
    def _links(self) -> frozenset[str]:
        """Return symbolic links and submodules, whose content is unknown."""
        return frozenset(path for path, (mode, _) in self.files.items() if mode in ("120000", "160000"))

    @cached_property
    def has_submodules(self) -> bool:
        """Return whether it has folders whose content is in other repositories."""
        return any(mode == "160000" for mode, _ in self.files.values())

    @cached_property
    def by_name(self) -> Mapping[str, list[str]]:
        """Return the paths of files and folders by their last part."""
        found: dict[str, list[str]] = {}
        later = self._later
        if later is None:
            for path in (*self.files, *self.folders):
                found.setdefault(path.rpartition("/")[2], []).append(path)
            return found
        found.update(later.by_name)
        gone = {path for path, entry in self._differences.items() if entry is None} | (later.folders - self.folders)
        new = (*self._added, *(self.folders - later.folders))
        for name in {path.rpartition("/")[2] for path in (*gone, *new)}:
            found[name] = [path for path in found.get(name, ()) if path not in gone]
        for path in new:
            found[path.rpartition("/")[2]].append(path)
        return found

    def list_other_texts(self) -> list[tuple[str, str]]:
        """Return the regular files of code of the past whose text differs from the later one, with their objects."""
        entries = self._differences.items()
        return [(path, entry[1]) for path, entry in entries if entry is not None and entry[0] in _REGULAR]

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
        return self.files.get(path, ("",))[0] in _REGULAR

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

        All words that are expected are searched at once, and each text once, whatever the commit.
        """
        wanted = frozenset(words)
        self.occurrences.expect(wanted)
        if self._rounds_read != self.occurrences.rounds:
            self.occurrences.read(self._own_paths.keys())
            self._rounds_read = self.occurrences.rounds
        paths = {path for oid in self.occurrences.having(wanted) for path in self._own_paths.get(oid, ())}
        return sorted(paths.union(path for path in self._instead if path in self.own_files))

    @cached_property
    def _own_paths(self) -> Mapping[str, list[str]]:
        """Return the own files by the object name of their text."""
        found: dict[str, list[str]] = {}
        for path, oid in self.own_files.items():
            found.setdefault(oid, []).append(path)
        return found

    @cached_property
    def own_files(self) -> Mapping[str, str]:
        """Return the object names of the files of code by path, sorted, without tests, examples and foreign code."""
        if self._later is None:
            own = (path for path in sorted(self.files) if _is_own(path))
            return {path: self.files[path][1] for path in own if self.is_regular(path)}
        found = dict(self._later.own_files)
        for path, entry in self._differences.items():
            found.pop(path, None)
            if entry is not None and entry[0] in _REGULAR and _is_own(path):
                found[path] = entry[1]
        return dict(sorted(found.items()))

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
        for end in filter(None, ends):
            start = path[:end]
            if start not in self._ignored:
                if end > _LONG:
                    return any(_ignores(rules, path[:other]) for other in ends if other >= end)
                self._ignored[start] = _ignores(rules, start)
            if self._ignored[start]:
                return True
        return False

    @cached_property
    def _ignored(self) -> dict[str, bool]:
        """Return the paths that were looked up, each with whether git ignores it itself."""
        return {}


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


def _count(sizes: dict[str, int], paths: Iterable[str], step: int) -> dict[str, int]:
    """Count files in all folders above them: add *step* for each."""
    for folder, number in Counter(path.rpartition("/")[0] for path in paths).items():
        above = folder
        sizes[""] += step * number
        while above:
            sizes[above] = sizes.get(above, 0) + step * number
            above = above.rpartition("/")[0]
    return sizes


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


def is_sample(path: str) -> bool:
    """Return whether a file is a test, an example or a document, and so no part of the program."""
    return _SAMPLE.search(path) is not None


@cache
def _is_own(path: str) -> bool:
    return is_code(path) and not is_sample(path)
