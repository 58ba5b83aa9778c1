"""The names of the files at one commit, by folder and by their last part.

The tree of an earlier commit is the one of a later commit with the differences that git lists: whatever is asked of
it costs what the differences cost, not what all files do.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from functools import cache, cached_property

from gitmem.text.code.languages import is_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitmem.git import Git

    _Entry = tuple[str, str]

# The modes of regular files, and of links and submodules, whose content is unknown.
REGULAR, _ELSEWHERE = ("100644", "100755"), ("120000", "160000")
# Tests and examples, which define nothing of the program.
_SAMPLE = re.compile(
    r"(^|/)(tests?|__tests__|specs?|e2e|examples?|samples?|demos?|docs?|fixtures?|mocks?|__mocks__|testdata|cookbook)/|"
    r"(^|/)(test_[^/]*|[^/]*(_test|\.test|\.spec|\.stories)\.[^/]*|conftest\.py)$",
    re.I,
)


class Tree:
    """The files of one commit. Paths have no trailing slash; the root is the empty path."""

    def __init__(self, git: Git, commit: str, later: Tree | None = None) -> None:
        """Open a tree; in the past of *later*, whose files it lists by the differences, if at all."""
        self._git, self.commit, self._later = git, commit, later
        self._named: dict[str, list[str]] = {}

    @cached_property
    def files(self) -> Mapping[str, _Entry]:
        """Return the mode and object name of each file by path."""
        if self._later is None:
            return {path: (mode, oid) for mode, oid, path in self._git.list_paths(self.commit)}
        return _Changed(self._later.files, self.differences)

    @cached_property
    def differences(self) -> Mapping[str, _Entry | None]:
        """Return the files that differ from the later tree, with their mode and object name; None if missing here."""
        assert self._later is not None, "only a tree of the past differs"
        argv = ("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", self._later.commit, self.commit)
        parts = os.fsdecode(self._git.run(*argv).stdout).split("\0")
        changes = (change.split(" ") for change in parts[::2])
        return {
            path: None if change[4] == "D" else (change[1], change[3])
            for change, path in zip(changes, parts[1::2], strict=False)
        }

    @cached_property
    def _added(self) -> Sequence[str]:
        """Return the files that the later tree does not have, sorted."""
        assert self._later is not None, "only a tree of the past differs"
        later = self._later.files
        return sorted(path for path, entry in self.differences.items() if entry is not None and path not in later)

    @cached_property
    def _gone(self) -> Sequence[str]:
        """Return the files that only the later tree has, sorted."""
        return sorted(path for path, entry in self.differences.items() if entry is None)

    @cached_property
    def _sizes(self) -> Mapping[str, int]:
        """Return the number of files below each folder, at any depth."""
        sizes = {"": len(self.files)}
        for folder, number in Counter(path.rpartition("/")[0] for path in self.files).items():
            above = folder
            while above:
                sizes[above] = sizes.get(above, 0) + number
                above = above.rpartition("/")[0]
        return sizes

    def count_below(self, folder: str) -> int:
        """Return the number of files below a folder, at any depth; 0 if the folder does not exist."""
        if self._later is None:
            return self._sizes.get(folder, 0)
        return self._later.count_below(folder) + _count_below(self._added, folder) - _count_below(self._gone, folder)

    def has_folder(self, path: str) -> bool:
        """Return whether a path is a folder; the root always is."""
        return not path or self.count_below(path) > 0

    @cached_property
    def folders(self) -> frozenset[str]:
        """Return every folder; the root is the empty path."""
        if self._later is None:
            return frozenset(self._sizes)
        return frozenset(folder for folder in self._later.folders | folders_of(self._added) if self.has_folder(folder))

    @cached_property
    def _by_name(self) -> Mapping[str, list[str]]:
        """Return files and folders by their last part; of the past, those that the later tree does not have."""
        by_name: dict[str, list[str]] = {}
        new = (*self.files, *self.folders) if self._later is None else (*self._added, *folders_of(self._added))
        for path in new:
            by_name.setdefault(path.rpartition("/")[2], []).append(path)
        return by_name

    def named(self, name: str) -> list[str]:
        """Return the paths of files and folders whose last part is a name."""
        if name not in self._named:
            paths = self._by_name.get(name, [])
            if self._later is not None:
                older = (path for path in self._later.named(name) if path in self.files or self.has_folder(path))
                paths = list(dict.fromkeys((*older, *paths)))
            self._named[name] = paths
        return self._named[name]

    def files_named(self, *names: str) -> list[str]:
        """Return the files whose last part is one of some names."""
        return [path for name in names for path in self.named(name) if path in self.files]

    @cached_property
    def links(self) -> frozenset[str]:
        """Return symbolic links and submodules, whose content is unknown."""
        if self._later is None:
            return frozenset(path for path, (mode, _) in self.files.items() if mode in _ELSEWHERE)
        entries = self.differences.items()
        new = (path for path, entry in entries if entry is not None and entry[0] in _ELSEWHERE)
        return (self._later.links - self.differences.keys()).union(new)

    @cached_property
    def has_submodules(self) -> bool:
        """Return whether it has folders whose content is in other repositories."""
        return any(mode == "160000" for mode, _ in self.files.values())

    @cached_property
    def _own(self) -> Mapping[str, str]:
        """Return the object names of the own files by path: code, without tests, examples and foreign code.

        In the past, only those that differ from the later tree.
        """
        entries = self.files if self._later is None else self.differences
        return {
            path: entry[1]
            for path in entries
            if (entry := entries[path]) is not None and entry[0] in REGULAR and _is_own(path)
        }

    @cached_property
    def _own_by_text(self) -> Mapping[str, list[str]]:
        """Return these files by the object name of their text."""
        by_text: dict[str, list[str]] = {}
        for path, oid in self._own.items():
            by_text.setdefault(oid, []).append(path)
        return by_text

    @cached_property
    def _own_by_stem(self) -> Mapping[str, list[str]]:
        """Return these files by their name without its ending."""
        by_stem: dict[str, list[str]] = {}
        for path in self._own:
            by_stem.setdefault(re.split(r"[/.]", path)[-2:][0], []).append(path)
        return by_stem

    def list_own_texts(self) -> frozenset[str]:
        """Return the object names of the texts of the own files; in the past, only of those that differ."""
        return frozenset(self._own.values())

    def list_own_with_text(self, oids: Iterable[str]) -> list[str]:
        """Return the own files with one of some texts, given by object name, sorted."""
        wanted = list(oids)
        older = self._later.list_own_with_text(wanted) if self._later is not None else ()
        return self._unchanged_and(older, (path for oid in wanted for path in self._own_by_text.get(oid, ())))

    def list_own_with_stem(self, stem: str) -> list[str]:
        """Return the own files whose name without its ending is *stem*, sorted."""
        older = self._later.list_own_with_stem(stem) if self._later is not None else ()
        return self._unchanged_and(older, self._own_by_stem.get(stem, ()))

    def list_own_with_part(self, part: str) -> list[str]:
        """Return the own files whose path contains a text, sorted."""
        older = self._later.list_own_with_part(part) if self._later is not None else ()
        return self._unchanged_and(older, (path for path in self._own if part in path))

    def _unchanged_and(self, older: Iterable[str], own: Iterable[str]) -> list[str]:
        """Return own files: those of the later tree that do not differ, and those of this one."""
        unchanged = (path for path in older if path not in self.differences)
        return sorted({*unchanged, *own})

    def is_own(self, path: str) -> bool:
        """Return whether a path is one of the own files."""
        return self.files.get(path, ("",))[0] in REGULAR and _is_own(path)


class _Changed(Mapping[str, tuple[str, str]]):
    """Files with changes to some of them, without a copy of the others."""

    def __init__(self, later: Mapping[str, _Entry], changes: Mapping[str, _Entry | None]) -> None:
        self._later, self._changes = later, changes

    def __getitem__(self, path: str) -> _Entry:
        entry = self._changes[path] if path in self._changes else self._later[path]
        if entry is None:
            raise KeyError(path)
        return entry

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and (
            self._changes[path] is not None if path in self._changes else path in self._later
        )

    def __iter__(self) -> Iterator[str]:
        yield from (path for path in self._later if self._changes.get(path, path) is not None)
        yield from (path for path, entry in self._changes.items() if entry is not None and path not in self._later)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def folders_of(files: Iterable[str]) -> set[str]:
    """Return the folders that some files are in, without the root."""
    folders: set[str] = set()
    for folder in {path.rpartition("/")[0] for path in files}:
        above = folder
        while above and above not in folders:
            folders.add(above)
            above = above.rpartition("/")[0]
    return folders


def _count_below(paths: Sequence[str], folder: str) -> int:
    """Return how many of some sorted paths are below a folder."""
    if not folder:
        return len(paths)
    # "0" is the character after "/".
    return bisect_left(paths, f"{folder}0") - bisect_left(paths, f"{folder}/")


def is_sample(path: str) -> bool:
    """Return whether a file is a test, an example or a document, and so no part of the program."""
    return _SAMPLE.search(path) is not None


@cache
def _is_own(path: str) -> bool:
    return is_code(path) and not is_sample(path)
