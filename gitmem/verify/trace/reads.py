"""Reads: what a run read of the code, as one line of text in its verdict, and its state on any tree. Pure.

A read is a path in the code after one of four marks::

    =path   the entry at the path: a file's content and mode, a link, a folder, or nothing
    /path   the names in a folder, and the type of each
    ~path   the names of all files below a folder, and which are links (what git's index has without contents)
    *path   all files below a folder

The whole tree has no mark: if a run read all of it, or if its reads are unknown, the text is empty.
"""

from __future__ import annotations

import os
from bisect import bisect_left

from gitmem.text.sha256 import sha256
from gitmem.verify.code_files import SUBMODULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    Entry = tuple[str, str, str]

AT, LIST, NAMES, BELOW = "=", "/", "~", "*"
MARKS = (AT, LIST, NAMES, BELOW)
# The first word of the text: another format has another number, and readers that do not know it treat it as unknown.
FORMAT = "1"
# For a check that behaves differently when it is traced: it is not traced again, and its reads are unknown.
UNTRACEABLE = "!"
# Characters of a text; with tools, undeclared reads and reasons it fits into a verdict file (``layout.VERDICT_LIMIT``).
LIMIT = 6000
MISSING = "missing"
FOLDER = "folder"
LINK = "120000"
# Bytes of a path: PATH_MAX of Linux (limits.h).
LONGEST = 4096
_SEPARATOR = "\0"

_PRINTABLE = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$&'()*+,-./:;<=>?@[]^_`{|}~")
_HEX = frozenset(b"0123456789ABCDEF")


def format_reads(reads: Iterable[str]) -> str:
    """Format reads as one line of printable ASCII, sorted."""
    return " ".join([FORMAT, *sorted(map(_escape, reads))])


def parse_reads(text: str) -> tuple[str, ...] | None:
    """Parse a text into reads, the reverse of ``format_reads``; None if it is malformed, so that nothing is known."""
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
    return "".join(chr(byte) if byte in _PRINTABLE else f"%{byte:02X}" for byte in os.fsencode(read))


def _unescape(word: str) -> str | None:
    """Return the read that a word encodes; None if it is malformed."""
    if not word.startswith(MARKS) or not word.isascii():
        return None
    plain, *escaped = word.encode("ascii").split(b"%")
    if not _PRINTABLE.issuperset(plain):
        return None
    for part in escaped:
        if len(part) < 2 or not _HEX.issuperset(part[:2]) or not _PRINTABLE.issuperset(part[2:]):
            return None
    return os.fsdecode(b"".join((plain, *(bytes((int(part[:2], 16),)) + part[2:] for part in escaped))))


def _is_valid(mark: str, path: str) -> bool:
    if path == "":
        return mark in (LIST, NAMES)
    parts = path.split("/")
    return len(path) <= LONGEST and "\0" not in path and not any(part in ("", ".", "..") for part in parts)


class Places:
    """The files of one tree, to be looked up by path."""

    def __init__(self, entries: Sequence[Entry], paths: Sequence[str]) -> None:
        self._entries = entries
        self._paths = paths
        self._states: dict[str, str] = {}
        self._digests: dict[str, str] = {}

    def find(self, path: str) -> Entry | None:
        """Return the entry at a path: a file, a link or a submodule."""
        at = bisect_left(self._paths, path)
        return self._entries[at] if at < len(self._paths) and self._paths[at] == path else None

    def is_folder(self, path: str) -> bool:
        """Return whether a path is a folder with files in it."""
        if path == "":
            return True
        at = bisect_left(self._paths, f"{path}/")
        return at < len(self._paths) and self._paths[at].startswith(f"{path}/")

    def blocker(self, path: str) -> Entry | None:
        """Return the file, link or submodule that a parent of a path is; None if no parent is one."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            found = self.find("/".join(parts[:depth]))
            if found is not None:
                return found
        return None

    def children(self, folder: str) -> dict[str, str]:
        """Return the names in a folder with their modes; the mode of a folder is empty."""
        prefix = f"{folder}/" if folder else ""
        found: dict[str, str] = {}
        at = bisect_left(self._paths, prefix)
        while at < len(self._paths) and self._paths[at].startswith(prefix):
            name, slash, _ = self._paths[at][len(prefix) :].partition("/")
            found[name] = "" if slash else self._entries[at][0]
            # Skip everything in the folder: "0" is the character after "/".
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
        """Return the state of a read on this tree; the text is different whenever the state is."""
        found = self._states.get(read)
        if found is None:
            found = self._states[read] = self._read_state(read[0], read[1:])
        return found

    def _read_state(self, mark: str, path: str) -> str:
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
        """Return a digest of a text of reads and of their states on this tree; None if the text is malformed.

        Args:
            text: The reads, in the form of ``format_reads``.
            attributes: Files that decide how others are checked out; always included.
            is_claim: Whether another clone made the verdict; then an empty set of reads is rejected.
        """
        found = self._digests.get(text)
        if found is None:
            reads = parse_reads(text)
            if reads is None or (is_claim and not reads):
                return None
            lines = [f"{read} {self.state_of(read)}" for read in reads]
            found = _hash([*lines, *(" ".join(entry) for entry in attributes)])
            if reads:  # an empty set is not cached, since it is rejected for claims
                self._digests[text] = found
        return found


def _type(mode: str) -> str:
    """Return the type of an entry as a folder listing shows it (readdir(3), d_type); a submodule is an empty folder."""
    return "d" if mode in ("", SUBMODULE) else "l" if mode == LINK else "f"


def _hash(lines: Iterable[str]) -> str:
    return sha256(_SEPARATOR.join(lines).encode("utf-8", "surrogateescape")).hexdigest()[:40]


def fold(reads: Iterable[str], places: Places) -> str:
    """Format reads, shortened: a folder replaces everything in it. Empty if the result is the whole tree.

    The result always covers all reads. It covers more than them only if the text would be too long otherwise: then
    folders replace some of their files.
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
    """Remove reads that others imply: folders of files that were read, and names that a listing shows to be missing."""
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
        # A single missing path is kept exactly; several are replaced by their first missing part.
        kept.update(gone if len(gone) == 1 else [AT + first])
    return {read for read in kept if not (read[0] == LIST and not places.is_folder(read[1:]) and AT + read[1:] in kept)}


def folders_above(path: str) -> list[str]:
    """Return the folders above a path, the topmost first."""
    parts = path.split("/")
    return ["/".join(parts[:depth]) for depth in range(1, len(parts))]


def _first_missing(path: str, places: Places) -> str:
    """Return the first part of a path that is missing, or that is below something that is not a folder."""
    for parent in folders_above(path):
        if not places.is_folder(parent):
            return parent if places.find(parent) is None else path
    return path


def _fold_whole(reads: set[str], places: Places) -> set[str]:
    """Replace the reads of folders that were listed and read completely by one read of everything below."""
    whole = {read[1:] for read in reads if read[0] == BELOW}
    # The deepest first: a folder is complete once its subfolders are.
    for folder in sorted((read[1:] for read in reads if read[0] == LIST), key=lambda p: -p.count("/") - bool(p)):
        prefix = f"{folder}/" if folder else ""
        names = places.children(folder)
        read_all = (AT + prefix + name in reads if mode else prefix + name in whole for name, mode in names.items())
        if names and all(read_all):
            whole.add(folder)
    return _fold_folders(reads, whole)


def _fold_folders(reads: set[str], folders: set[str]) -> set[str]:
    """Replace all reads at or below these folders by one read of everything below the outermost folder."""
    kept = set()
    for read in reads:
        places = ("", *folders_above(read[1:]), read[1:])
        kept.add(next((BELOW + place for place in places if place in folders), read))
    return kept


def _fold_fullest(reads: set[str], excess: int) -> set[str]:
    """Replace the reads in the folders with most text by reads of the folders, until *excess* characters are saved."""
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
    return _fold_folders(reads, folders)
