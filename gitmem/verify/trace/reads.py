"""Reads: what a run was seen to read of the code, as a line of text in its verdict, and what that is on any tree. Pure.

A read is a path of the code behind one of four marks::

    =path   what is at the path: a file's content and mode, a link, a folder, or nothing
    /path   which names a folder has, and what each is
    ~path   the names of all files below a folder, and which are links (what git's index says without their content)
    *path   all files below a folder

The whole tree has no mark: a run that read it, or of which nobody knows what it read, has an empty text.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from gitmem.text.sha256 import sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Entry = tuple[str, str, str]

AT, LIST, NAMES, BELOW = "=", "/", "~", "*"
MARKS = (AT, LIST, NAMES, BELOW)
# The first word of the text: another form has another number, and counts as unknown to who does not know it.
FORMAT = "1"
# Of a check that does otherwise when it is traced: it is not traced again, and what it reads is unknown.
UNTRACEABLE = "!"
# Characters of a text; with tools, undeclared reads and reasons it fits into a verdict file (``layout.VERDICT_LIMIT``).
LIMIT = 6000
MISSING = "missing"
FOLDER = "folder"
LINK, SUBMODULE = "120000", "160000"
# Bytes of a path, PATH_MAX of Linux (limits.h).
LONGEST = 4096
_SEPARATOR = "\0"

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&'()*+,-./:;<=>?@[]^_`{|}~")
_HEX = frozenset(b"0123456789ABCDEF")


def format_reads(reads: Iterable[str]) -> str:
    """Return reads as one line of printable ASCII, in one order."""
    return " ".join([FORMAT, *sorted(map(_escape, reads))])


def parse_reads(text: str) -> tuple[str, ...] | None:
    """Return the reads of a text, the reverse of ``format_reads``; None where it is not one: nothing is known then."""
    first, *words = text.split(" ")
    if first != FORMAT or len(text) > LIMIT:
        return None
    reads = []
    for word in words:
        read = _unescape(word)
        if read is None or not _is_valid(read[0], read[1:]):
            return None
        reads.append(read)
    return tuple(reads)


def _escape(read: str) -> str:
    return "".join(chr(byte) if byte in _PLAIN else f"%{byte:02X}" for byte in os.fsencode(read))


def _unescape(word: str) -> str | None:
    """Return the read that a word of a text is; None where it is none."""
    if not word.startswith(MARKS) or not word.isascii():
        return None
    plain, *escaped = word.encode("ascii").split(b"%")
    if not _PLAIN.issuperset(plain):
        return None
    for part in escaped:
        if len(part) < 2 or not _HEX.issuperset(part[:2]) or not _PLAIN.issuperset(part[2:]):
            return None
    return os.fsdecode(b"".join((plain, *(bytes((int(part[:2], 16),)) + part[2:] for part in escaped))))


def _is_valid(mark: str, path: str) -> bool:
    if path == "":
        return mark in (LIST, NAMES)
    parts = path.split("/")
    return len(path) <= LONGEST and "\0" not in path and not any(part in ("", ".", "..") for part in parts)


class Places:
    """The files of one tree, which know what is at a path."""

    def __init__(self, entries: Sequence[Entry], paths: Sequence[str]) -> None:
        """Take the files.

        Args:
            entries: Mode, object name and path of each file, sorted by path.
            paths: Their paths.
        """
        self._entries = entries
        self._paths = paths
        self._told: dict[str, str] = {}
        self._digests: dict[str, str] = {}

    def find(self, path: str) -> Entry | None:
        """Return the entry at a path: a file, a link or a submodule."""
        at = bisect_left(self._paths, path)
        return self._entries[at] if at < len(self._paths) and self._paths[at] == path else None

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a folder that has files."""
        if path == "":
            return True
        at = bisect_left(self._paths, f"{path}/")
        return at < len(self._paths) and self._paths[at].startswith(f"{path}/")

    def blocker(self, path: str) -> Entry | None:
        """Return the entry above a path that is not a folder: nothing is below it, or what a link leads to."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            found = self.find("/".join(parts[:depth]))
            if found is not None:
                return found
        return None

    def children(self, folder: str) -> dict[str, str]:
        """Return the names in a folder with their mode; empty for a folder among them."""
        prefix = f"{folder}/" if folder else ""
        found: dict[str, str] = {}
        at = bisect_left(self._paths, prefix)
        while at < len(self._paths) and self._paths[at].startswith(prefix):
            name, slash, _ = self._paths[at][len(prefix) :].partition("/")
            found[name] = "" if slash else self._entries[at][0]
            # Past all that is in the folder: "0" is the character behind "/".
            at = bisect_left(self._paths, f"{prefix}{name}0", at) if slash else at + 1
        return found

    def below(self, folder: str) -> Iterator[Entry]:
        """Yield the entries below a folder, or the one at that path, by path."""
        single = self.find(folder) if folder else None
        if single is not None:
            yield single
            return
        prefix = f"{folder}/" if folder else ""
        for at in range(bisect_left(self._paths, prefix), len(self._paths)):
            if not self._paths[at].startswith(prefix):
                return
            yield self._entries[at]

    def state_of(self, read: str) -> str:
        """Return what a read finds here: another text whenever it is something else."""
        found = self._told.get(read)
        if found is None:
            found = self._told[read] = self._look(read[0], read[1:])
        return found

    def _look(self, mark: str, path: str) -> str:
        entry = self.find(path) if path else None
        if entry is not None:
            return f"{entry[0]} {entry[1]}"
        if not self.is_folder(path):
            blocker = self.blocker(path)
            return MISSING if blocker is None else f"{MISSING} {' '.join(blocker)}"
        if mark == AT:
            return FOLDER
        if mark == LIST:
            return _hash(f"{_type(mode)} {name}" for name, mode in self.children(path).items())
        if mark == NAMES:
            return _hash(f"{_type(mode)} {name}" for mode, _, name in self.below(path))
        return _hash(" ".join(entry) for entry in self.below(path))

    def digest(self, text: str, attributes: Sequence[Entry], *, is_claim: bool = False) -> str | None:
        """Return a digest of what the reads of a text find here, and of the text; None where it is none.

        Args:
            text: The reads, as ``format_reads`` has them.
            attributes: Files that decide how the others look: always read.
            is_claim: Whether somebody else says it: then there must be something that was read.
        """
        found = self._digests.get(text)
        if found is None:
            reads = parse_reads(text)
            if reads is None or (is_claim and not reads):
                return None
            lines = [f"{read} {self.state_of(read)}" for read in reads]
            found = _hash([*lines, *(" ".join(entry) for entry in attributes)])
            if reads:  # a claim to have read nothing must not find it
                self._digests[text] = found
        return found


def _type(mode: str) -> str:
    """Return what a listing tells of a name (readdir(3), d_type): a submodule is an empty folder where it is."""
    return "d" if mode in ("", SUBMODULE) else "l" if mode == LINK else "f"


def _hash(lines: Iterable[str]) -> str:
    return sha256(_SEPARATOR.join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:40]


def fold(reads: Iterable[str], places: Places) -> str:
    """Return the text of reads made short: a folder for all that is in it; empty where that is the whole tree.

    What is folded is never less than what was read. Nothing is lost as long as all of a folder was read; only where
    the text is too long do folders stand for some of their files.
    """
    found = _drop_implied(set(reads), places)
    found = _fold_whole(found, places)
    text = format_reads(found)
    while len(text) > LIMIT:
        found = _fold_fullest(found, len(text) - LIMIT)
        if BELOW in found:
            return ""
        text = format_reads(found)
    return "" if BELOW in found else text


def _drop_implied(reads: set[str], places: Places) -> set[str]:
    """Leave out what others say as well: folders of files that are read, and what a listing shows to be missing."""
    kept = set()
    above: set[str] = set()
    for read in reads:
        path = read[1:]
        if path and (places.find(path) is not None or (read[0] != AT and places.is_folder(path))):
            above.update(folders_above(path))
    missing: dict[str, list[str]] = {}
    for read in reads:
        mark, path = read[0], read[1:]
        if mark != AT or places.find(path) is not None:
            kept.add(read)
        elif path and places.is_folder(path):
            if path not in above and LIST + path not in reads:
                kept.add(read)
        elif path:
            missing.setdefault(_first_missing(path, places), []).append(read)
    for first, gone in missing.items():
        if places.blocker(first + "/") is None and LIST + first.rpartition("/")[0] in reads:
            continue
        # One thing that is missing may come to be beside others; many are told by the folder they would be in.
        kept.update(gone if len(gone) == 1 else [AT + first])
    return {read for read in kept if not (read[0] == LIST and not places.is_folder(read[1:]) and AT + read[1:] in kept)}


def folders_above(path: str) -> list[str]:
    """Return the folders above a path, the highest first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _first_missing(path: str, places: Places) -> str:
    """Return the first part of a path that is missing, or that is below something that is not a folder."""
    for parent in folders_above(path):
        if not places.is_folder(parent):
            return parent if places.find(parent) is None else path
    return path


def _fold_whole(reads: set[str], places: Places) -> set[str]:
    """Put one read of all below a folder for a folder whose every file and listing was read."""
    whole = {read[1:] for read in reads if read[0] == BELOW}
    # The deepest first: a folder is whole once those in it are.
    for folder in sorted((read[1:] for read in reads if read[0] == LIST), key=lambda p: -p.count("/") - bool(p)):
        prefix = f"{folder}/" if folder else ""
        names = places.children(folder)
        read_all = (AT + prefix + name in reads if mode else prefix + name in whole for name, mode in names.items())
        if names and all(read_all):
            whole.add(folder)
    return _put_folders(reads, whole)


def _put_folders(reads: set[str], folders: set[str]) -> set[str]:
    """Put one read of all below a folder for all reads of it and in it; the outermost of several stands."""
    kept = set()
    for read in reads:
        places = ("", *folders_above(read[1:]), read[1:])
        kept.add(next((BELOW + place for place in places if place in folders), read))
    return kept


def _fold_fullest(reads: set[str], excess: int) -> set[str]:
    """Put one read of all below a folder for everything in the folders that have most, as many as it takes."""
    sizes: dict[str, int] = {}
    for read in reads:
        parent = read[1:].rpartition("/")[0]
        sizes[parent] = sizes.get(parent, 0) + len(read) + 1
    folders: set[str] = set()
    for folder in sorted(sizes, key=lambda path: (path == "", -sizes[path], path)):
        folders.add(folder)
        excess -= sizes[folder] - len(folder) - 2
        if excess <= 0:
            break
    return _put_folders(reads, folders)
