"""Cut a document into its sections: what ``pull`` keeps of it, and ``import --chunk`` makes a memory of."""

from __future__ import annotations

from gitmem.commands.adopt.statements import HEADING
from gitmem.commands.adopt.statements import split as split_statements
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The longest part in characters: what a reader, or an embedding model, can take in at once.
TEXT_AT_MOST = 6_000


@frozen
class Chunk:
    """A part of a file.

    Attributes:
        name: The definition's name, or the headings above it.
        first: Its first line, from 1.
        last: Its last line.
        text: Its text.
    """

    name: str
    first: int
    last: int
    text: str


def prose_chunks(text: str, path: str = "") -> list[Chunk]:
    """Return the sections of a document, in order; a long one is split between paragraphs."""
    lines = text.split("\n")
    headings = [one for one in split_statements(text) if one.kind == HEADING] if not path.endswith(".txt") else []
    starts = [(1, ""), *((one.line, one.section) for one in headings)]
    ends = [start - 1 for start, _ in starts[1:]] + [len(lines)]
    found = []
    for (start, name), end in zip(starts, ends, strict=True):
        section = lines[start - 1 : end]
        at = start - 1
        for part in _paragraphs(section):
            chunk = cut_lines(name, part, at)
            found += [chunk] if chunk.text.strip() else []
            at += len(part)
    return found


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of a section in parts of limited length, split at blank lines."""
    part: list[str] = []
    size = 0
    for line in lines:
        if size > TEXT_AT_MOST and not line.strip():
            yield part
            part, size = [], 0
        part.append(line)
        size += len(line) + 1
    yield part


def cut_lines(name: str, lines: list[str], at: int) -> Chunk:
    """Return some lines as a chunk, without blank lines at the ends."""
    first, end = 0, len(lines)
    while first < end and not lines[first].strip():
        first += 1
    while end > first and not lines[end - 1].strip():
        end -= 1
    return Chunk(name, at + first + 1, at + max(end, first + 1), "\n".join(lines[first:end]))
