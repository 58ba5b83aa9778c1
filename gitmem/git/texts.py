"""Compare and merge texts by line with libgit2, in memory: no repository, file or process, and no markers in the text.

Source: libgit2, merge_file.c and xdiff, through ``pygit2.Repository.merge_file_from_index`` (25 µs a text, measured).
"""

from __future__ import annotations

from functools import cache

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

# Put in front of every line during the merge, so that no line looks like a marker of libgit2, and every line contains a
# letter and is not treated as filler between two conflicts.
_SHIELD = "x"
_OURS, _MIDDLE, _THEIRS = "<<<<<<<", "=======", ">>>>>>>"


@frozen
class TextPart:
    """One part of a merged text.

    Attributes:
        text: The merged text; empty for a conflict.
        ours: Our lines of a conflict.
        theirs: Their lines of a conflict.
        is_conflict: Whether both sides changed the same lines.
    """

    text: str = ""
    ours: str = ""
    theirs: str = ""
    is_conflict: bool = False


@frozen
class Hunk:
    """A change of some lines.

    Attributes:
        start: The first old line, from 0.
        end: The line after the last old one.
        lines: The new lines.
    """

    start: int
    end: int
    lines: tuple[str, ...]


def diff_lines(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    """Return the changes between two lists of lines, in order."""
    import pygit2  # 114 ms (measured), and only if texts are merged

    # Numbers are compared, so that a line may hold anything.
    numbers: dict[str, int] = {}
    was, now = (
        "".join(f"{numbers.setdefault(line, len(numbers))}\n" for line in lines).encode("ascii") for lines in (old, new)
    )
    hunks = []
    for hunk in pygit2.Patch.create_from(was, now, context_lines=0).hunks:
        # Where nothing is removed or added, git counts from the line before.
        start = hunk.old_start - (hunk.old_lines > 0)
        first = hunk.new_start - (hunk.new_lines > 0)
        hunks.append(Hunk(start, start + hunk.old_lines, tuple(new[first : first + hunk.new_lines])))
    return hunks


def merge_texts(base: str, ours: str, theirs: str) -> tuple[TextPart, ...]:
    """Return the parts of a merged text in order; a single part without a conflict if it merged cleanly.

    A last line without a line feed gets one. The result does not depend on which side is which: with repeated lines,
    libgit2 finds other common parts when they are swapped (from nothing to ``a b a`` and to ``b a a``), so the sides
    are always merged in one order.
    """
    if ours in (base, theirs) or theirs == base:
        return (TextPart(theirs if ours == base else ours),)
    if theirs < ours:
        swapped = merge_texts(base, theirs, ours)
        return tuple(TextPart(part.text, part.theirs, part.ours, part.is_conflict) for part in swapped)
    merged = _merger()(_shielded(base), _shielded(ours), _shielded(theirs))
    pieces: list[TextPart] = []
    sides: dict[str, list[str]] = {"": []}
    where = ""
    for line in merged.split("\n")[:-1]:
        if line.startswith(_OURS):
            pieces.append(TextPart("".join(sides[""])))
            where, sides = "ours", {"ours": [], "theirs": []}
        elif line.startswith(_MIDDLE):
            where = "theirs"
        elif line.startswith(_THEIRS):
            pieces.append(TextPart(ours="".join(sides["ours"]), theirs="".join(sides["theirs"]), is_conflict=True))
            where, sides = "", {"": []}
        else:
            sides[where].append(f"{line[1:]}\n")
    pieces.append(TextPart("".join(sides[""])))
    return tuple(piece for piece in pieces if piece.text or piece.is_conflict) or (TextPart(),)


def _shielded(text: str) -> bytes:
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return "".join(f"{_SHIELD}{line}\n" for line in lines).encode("utf-8")


@cache
def _merger() -> Callable[[bytes, bytes, bytes], str]:
    """Return the function that merges texts: with a repository in memory whose objects are these texts."""
    import pygit2  # 114 ms (measured), and only if texts are merged
    from pygit2.enums import FileMode, ObjectType

    class Texts(pygit2.OdbBackend):
        """An object database with three texts."""

        def __init__(self) -> None:
            super().__init__()
            self.held: dict[Any, bytes] = {}

        def read_cb(self, oid: Any) -> tuple[int, bytes]:
            return ObjectType.BLOB, self.held[oid]

        def read_header_cb(self, oid: Any) -> tuple[int, int]:
            return ObjectType.BLOB, len(self.held[oid])

        def exists_cb(self, oid: Any) -> bool:
            return oid in self.held

    texts, odb, repository = Texts(), pygit2.Odb(), pygit2.Repository()
    odb.add_backend(texts, 1)
    repository.set_odb(odb)

    def merge(*sides: bytes) -> str:
        names = [pygit2.hash(text) for text in sides]
        texts.held = dict(zip(names, sides, strict=True))
        was, mine, yours = (pygit2.IndexEntry("text", name, FileMode.BLOB) for name in names)
        try:
            return str(repository.merge_file_from_index(was, mine, yours).contents)
        except RuntimeError:  # pygit2 cannot convert an empty result
            return ""

    return merge
