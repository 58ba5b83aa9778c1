"""Read a few loose objects directly: starting git takes 2.6 ms of CPU, and reading one takes 0.03 (measured).

What was written lately is loose: the newest commits of a memory branch, their trees and files. Whatever is packed,
borrowed, missing, damaged, large or numerous is left to the git binary, which also words the errors.
Layout: gitrepository-layout(5), objects; gitformat-loose(5); trees as in git's tree-walk.c.
"""

from __future__ import annotations

import os
from itertools import takewhile

from gitmem.git.repository import Unsure, is_oid, read_own

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# The most objects that one question reads here, the most bytes of one, packed or not, and how deep folders are.
FEW, LARGEST, DEEPEST = 64, 256 << 10, 20
_FOLDER = "040000"
_SHA1_DIGITS = 40
# Modes as git writes them into trees, and as it prints them; git tidies others up.
_MODES = {
    b"40000": _FOLDER,
    b"100644": "100644",
    b"100755": "100755",
    b"120000": "120000",
    b"160000": "160000",
}
# Mode, object name and path of an entry.
Entry = tuple[str, str, bytes]


class LooseObjects:
    """The loose objects of a repository; everything raises ``Unsure`` where only git can tell.

    Attributes:
        few: The most files that one question reads.
    """

    few = FEW

    def __init__(self, common: str) -> None:
        self._common = common

    def read_header(self, oid: str) -> tuple[str, int]:
        """Return an object's kind and size."""
        kind, size, _, _ = self._open(oid)
        return kind, size

    def read(self, oid: str, limit: int | None = None) -> tuple[str, int, bytes]:
        """Return an object's kind, size and content; no content if it is larger than *limit* bytes."""
        kind, size, start, inflater = self._open(oid)
        if limit is not None and size > limit:
            return kind, size, b""
        if size > LARGEST:
            raise Unsure
        import zlib

        try:
            content = start + (inflater.decompress(inflater.unconsumed_tail, size + 1) if len(start) <= size else b"")
        except zlib.error as err:
            raise Unsure from err
        if len(content) != size or not inflater.eof or inflater.unused_data or _name_of(kind, content, oid) != oid:
            raise Unsure
        return kind, size, content

    def _open(self, oid: str) -> tuple[str, int, bytes, Any]:
        """Return an object's kind, its size, the first bytes of its content, and what inflates the rest.

        Raises:
            NoRepositoryError: A pipe or a device is in its place, for which git would wait forever.
            Unsure: Only git can tell.
        """
        if not is_oid(oid):
            raise Unsure
        import zlib  # here, since many starts read no object

        path = f"{self._common}/objects/{oid[:2]}/{oid[2:]}"
        inflater = zlib.decompressobj()
        try:
            packed = read_own(path, LARGEST + 1)
            head, _, start = inflater.decompress(packed, 64).partition(b"\0")
        except (OSError, zlib.error) as err:
            raise Unsure from err
        kind, _, size = head.partition(b" ")
        if len(packed) > LARGEST or not size.isdigit() or kind not in (b"blob", b"tree", b"commit"):
            raise Unsure
        return kind.decode("ascii"), int(size), start, inflater

    def find_tree(self, name: str) -> str:
        """Return the object name of a commit's tree, or of a tree."""
        kind, _, content = self.read(name)
        if kind == "commit":
            return _links(content)[0]
        if kind != "tree":
            raise Unsure
        return name

    def read_folder(self, tree: str, path: str = "") -> list[Entry]:
        """Return the entries of a folder of a commit or tree, in git's order; none if there is no such folder."""
        oid = self.find_tree(tree)
        for name in os.fsencode(path).split(b"/") if path else ():
            entries = [entry for entry in self._entries(oid) if entry[2] == name]
            if not entries:
                return []
            if entries[0][0] != _FOLDER:
                raise Unsure
            oid = entries[0][1]
        return self._entries(oid)

    def find(self, tree: str, path: str) -> tuple[str, str] | None:
        """Return the mode and object name of the entry at a path of a commit or tree; None if there is none."""
        folder, _, name = path.rpartition("/")
        if not _is_plain(path):
            raise Unsure
        entries = [entry for entry in self.read_folder(tree, folder) if entry[2] == os.fsencode(name)]
        return (entries[0][0], entries[0][1]) if entries else None

    def list_files(self, tree: str, places: Sequence[str] = ()) -> list[Entry]:
        """Return the files, links and submodules at all levels of a commit or tree, in git's order.

        Args:
            tree: The commit or tree.
            places: Only these, and what is in these folders; all if there are none.
        """
        if not all(_is_plain(place.removesuffix("/")) for place in places):
            raise Unsure
        wanted = [os.fsencode(place) for place in places]
        left = [FEW]
        return list(self._walk(self.find_tree(tree), b"", wanted, left))

    def _walk(self, tree: str, above: bytes, wanted: Sequence[bytes], left: list[int]) -> Iterator[Entry]:
        left[0] -= 1
        if left[0] < 0 or above.count(b"/") > DEEPEST:
            raise Unsure
        for mode, oid, name in self._entries(tree):
            path = above + name
            inside = [
                prefix for prefix in wanted if path == prefix or path.startswith(prefix.removesuffix(b"/") + b"/")
            ]
            if mode != _FOLDER:
                if inside or not wanted:
                    yield mode, oid, path
            elif inside or not wanted:
                yield from self._walk(oid, path + b"/", (), left)
            elif below := [prefix for prefix in wanted if prefix.startswith(path + b"/")]:
                yield from self._walk(oid, path + b"/", below, left)

    def _entries(self, tree: str) -> list[Entry]:
        kind, _, content = self.read(tree)
        entries, at, width = [], 0, len(tree) // 2
        if kind != "tree":
            raise Unsure
        while at < len(content):
            end = content.find(b"\0", at)
            mode, _, name = content[at:end].partition(b" ")
            oid = content[end + 1 : end + 1 + width]
            if end < 0 or mode not in _MODES or not name or b"/" in name or len(oid) < width:
                raise Unsure
            entries.append((_MODES[mode], oid.hex(), name))
            at = end + 1 + width
        if len({name for _, _, name in entries}) < len(entries):
            raise Unsure
        return entries

    def is_ancestor(self, old: str, new: str) -> bool:
        """Return whether a commit is another one or an ancestor of it."""
        if any(os.path.lexists(f"{self._common}/{name}") for name in ("shallow", "info/grafts")):
            raise Unsure
        self._parents(old)
        if old == new:
            return True
        seen, left = {new}, [new]
        while left:
            if len(seen) > FEW:
                raise Unsure
            parents = self._parents(left.pop(0))
            if old in parents:
                return True
            left += [parent for parent in parents if parent not in seen]
            seen.update(parents)
        return False

    def _parents(self, commit: str) -> list[str]:
        kind, _, content = self.read(commit)
        if kind != "commit":
            raise Unsure
        return _links(content)[1:]


def is_cut_short(common: str, oid: str) -> bool:
    """Return whether an object is loose and its file ends too early: libgit2 1.9 never returns from it (measured)."""
    import zlib

    inflater = zlib.decompressobj()
    try:
        packed = read_own(f"{common}/objects/{oid[:2]}/{oid[2:]}", LARGEST + 1)
        if len(packed) > LARGEST:
            return False
        while packed and not inflater.eof:
            inflater.decompress(packed, LARGEST)
            packed = inflater.unconsumed_tail
    except (OSError, zlib.error):
        return False
    return not inflater.eof


def _name_of(kind: str, content: bytes, oid: str) -> str:
    """Return the name of an object, as long as another one: git checks those of commits and trees as well."""
    from gitmem.text.sha256 import sha1, sha256

    header = f"{kind} {len(content)}\0".encode("ascii")
    return (sha1 if len(oid) == _SHA1_DIGITS else sha256)(header + content).hexdigest()


def _links(commit: bytes) -> list[str]:
    """Return a commit's tree, then its parents: git takes only the first lines for them (commit.c)."""
    tree, *lines = commit.split(b"\n")
    links = [tree.removeprefix(b"tree "), *(line[7:] for line in takewhile(_names_parent, lines))]
    found = [link.decode("ascii", "replace") for link in links]
    if not all(map(is_oid, found)) or not tree.startswith(b"tree "):
        raise Unsure
    return found


def _names_parent(line: bytes) -> bool:
    return line.startswith(b"parent ")


def _is_plain(path: str) -> bool:
    """Return whether git would take a path as it is written (gitglossary(7), pathspec)."""
    return not path.startswith(":") and all(part not in ("", ".", "..") for part in path.split("/"))
