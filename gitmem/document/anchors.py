"""Anchors: the former text of the lines that a memory refers to, so that a reference can be checked. Pure.

The field ``anchors`` has one text for each reference to lines (``path:3-5``): the reference, the blob of the file at
that time, and a hash of the lines without surrounding spaces. gitmem writes it; a reference without an anchor cannot be
checked.
"""

from __future__ import annotations

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# The field with the anchors.
FIELD = "anchors"
# Hex digits of the hash: 64 bits distinguish the lines of one file.
_DIGITS = 16
_HEX = frozenset("0123456789abcdef")
# Lines with fewer characters are only searched in their own file: `return None` is everywhere.
TELLING = 30


@frozen
class LineReference:
    """Lines of a file, from 1, including the last one."""

    path: str
    first: int
    last: int

    def __str__(self) -> str:
        """Return it in the form used in memories."""
        return f"{self.path}:{self.first}" + (f"-{self.last}" if self.last != self.first else "")


@frozen
class Anchor:
    """The content of a reference when it was written.

    Attributes:
        ref: The reference, as in the memory.
        blob: The blob of the file at that time.
        digest: The hash of the lines.
    """

    ref: LineReference
    blob: str
    digest: str


def parse_reference(text: str) -> LineReference | None:
    """Return the lines that a reference names; None for another kind of reference, such as a URL or a run id."""
    path, _, lines = text.rpartition(":")
    numbers = lines.split("-")
    if not path or "://" in path or len(numbers) > 2 or not all(n.isascii() and n.isdigit() for n in numbers):
        return None
    first, last = int(numbers[0][:9]), int(numbers[-1][:9])
    return LineReference(path.removeprefix("./"), first, last) if 1 <= first <= last else None


def line_references(fields: Mapping[str, Any]) -> list[LineReference]:
    """Return the references to lines among a memory's fields, in order."""
    refs = fields.get("refs")
    listed = [refs] if isinstance(refs, str) else refs if isinstance(refs, list) else []
    references = [parse_reference(ref) for ref in listed if isinstance(ref, str)]
    return [ref for ref in references if ref is not None]


def parse_anchor(text: str) -> Anchor | None:
    """Parse an anchor; None if the text is not an anchor."""
    named, _, rest = text.partition(" @ ")
    ref, words = parse_reference(named), rest.split(" ")
    if ref is None or len(words) != 2 or not all(word and set(word) <= _HEX for word in words):
        return None
    return Anchor(ref, words[0], words[1])


def format_anchor(anchor: Anchor) -> str:
    """Format an anchor; ``parse_anchor`` undoes it."""
    return f"{anchor.ref} @ {anchor.blob} {anchor.digest}"


def make_anchor(ref: LineReference, blob: str, content: bytes) -> Anchor | None:
    """Return the anchor of lines in a file; None if the file has fewer lines."""
    lines = lines_of(content)
    return Anchor(ref, blob, _digest(lines[ref.first - 1 : ref.last])) if ref.last <= len(lines) else None


def lines_of(content: bytes) -> list[str]:
    """Return the lines of a file without surrounding spaces."""
    text = content.decode("utf-8", "replace").rstrip("\n")
    return [line.strip() for line in text.split("\n")] if content else []


def count_lines(content: bytes) -> int:
    """Return the number of lines of a file, as editors count them."""
    return content.count(b"\n") + (content != b"" and not content.endswith(b"\n"))


def is_telling(lines: Sequence[str]) -> bool:
    """Return whether lines are long enough to be searched in other files."""
    return sum(map(len, lines)) >= TELLING


def find_lines(anchor: Anchor, lines: Sequence[str], was: Sequence[str] = ()) -> LineReference | None:
    """Return where anchored lines are in a file now, nearest to their former place; None if they are gone.

    Args:
        anchor: The anchor.
        lines: The file's lines, from ``lines_of``.
        was: The anchored lines; if unknown, every place is compared by its hash.
    """
    ref = anchor.ref
    count, first = ref.last - ref.first + 1, ref.first - 1
    starts = range(len(lines) - count + 1)
    if first in starts and _digest(lines[first : first + count]) == anchor.digest:
        return ref
    if was:
        places = [at for at in starts if lines[at] == was[0] and list(lines[at : at + count]) == list(was)]
    else:
        places = [at for at in starts if _digest(lines[at : at + count]) == anchor.digest]
    if not places:
        return None
    nearest = min(places, key=lambda at: (abs(at - first), at))
    return LineReference(ref.path, nearest + 1, nearest + count)


def _digest(lines: Sequence[str]) -> str:
    from hashlib import sha256  # 3 ms (measured), only if lines are compared

    return sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:_DIGITS]
