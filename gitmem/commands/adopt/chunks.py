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
# The longest where no blank line comes, and where no outer line comes: 12,000 characters of any script fit a memory.
OUTLINE_AT_MOST, LINES_AT_MOST = 8_000, 12_000


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
    """Return the sections of a document, in order; a long one is split between paragraphs or lines."""
    lines = text.split("\n")
    headings = (
        [statement for statement in split_statements(text) if statement.kind == HEADING]
        if not path.endswith(".txt")
        else []
    )
    starts = [(1, ""), *((heading.line, heading.section) for heading in headings)]
    ends = [start - 1 for start, _ in starts[1:]] + [len(lines)]
    chunks = []
    for (start, name), end in zip(starts, ends, strict=True):
        section = lines[start - 1 : end]
        at = start - 1
        for part in _paragraphs(section):
            chunk = cut_lines(name, part, at)
            chunks += [chunk] if chunk.text.strip() else []
            at += len(part)
    return chunks


def _paragraphs(lines: list[str]) -> Iterator[list[str]]:
    """Yield the lines of a section in parts of limited length.

    A part ends at a blank line; where none comes, before a line that is not indented, as an outline has; and before
    any line that makes it longer than a memory of any script can be.
    """
    part: list[str] = []
    size = 0
    for line in lines:
        is_blank, is_outer = not line.strip(), not line[:1].isspace()
        is_long = size > TEXT_AT_MOST and (is_blank or (is_outer and size > OUTLINE_AT_MOST))
        if part and (is_long or size + len(line) > LINES_AT_MOST):
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
