"""Find the lines of each field in a frontmatter, and its comments."""

from __future__ import annotations

from gitmem.document.yaml import flat
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@frozen
class Extent:
    """The lines of one field.

    Attributes:
        name: The field.
        start: Its first line, from 0.
        stop: The line after its last one; empty lines and comments below a field are not part of it.
        suffix: The comment after a one-line value, with the space before it; or empty.
        comments: The comments inside a value of several lines, from their ``#``.
    """

    name: str
    start: int
    stop: int
    suffix: str = ""
    comments: tuple[str, ...] = ()


@frozen
class _Piece:
    """A scalar or bracket: its start and end (line and column, from 0), and whether it is a block scalar."""

    line: int
    column: int
    end_line: int
    end_column: int
    is_block: bool


def extents_of(text: str) -> list[Extent] | None:
    """Return the extent of every field in file order; None if fields do not have lines of their own.

    Args:
        text: A valid frontmatter, with line feeds as its only line breaks.
    """
    fields = flat.parse(text)
    if fields is not None:
        return _flat_extents(text, list(fields))
    starts, pieces = _layout(text)
    if starts is None:
        return None
    lines = text.split("\n")
    stops = [start for _, start in starts[1:]] + [len(lines)]
    return [
        _extent(name, start, [piece for piece in pieces if start <= piece.line < stop], lines)
        for (name, start), stop in zip(starts, stops, strict=True)
    ]


def has_comments(text: str) -> bool:
    """Return whether a valid frontmatter contains a comment."""
    _, pieces = _layout(text)
    lines = text.split("\n")
    return any(_comment_at(number, line, pieces) >= 0 for number, line in enumerate(lines))


def _flat_extents(text: str, names: list[str]) -> list[Extent]:
    """Return the extents in a text that the quick reader understands: only fields begin at the margin."""
    starts: list[int] = []
    stops: list[int] = []
    for number, line in enumerate(text.split("\n")):
        if line[:1] in (" ", "-"):
            stops[-1] = number + 1
        elif line and line[0] != "#":
            starts.append(number)
            stops.append(number + 1)
    return [Extent(*found) for found in zip(names, starts, stops, strict=True)]


def _layout(text: str) -> tuple[list[tuple[str, int]] | None, list[_Piece]]:
    """Return each field's name and first line (None for a mapping in brackets or an indented one), and the pieces."""
    from gitmem.document.yaml import strict

    starts: list[tuple[str, int]] = []
    pieces: list[_Piece] = []
    depth = 0
    is_value = has_lines = False
    for event in strict.events(text):
        kind = type(event).__name__
        if kind == "ScalarEvent" or (kind.endswith("StartEvent") and getattr(event, "flow_style", False)):
            pieces.append(_piece(event))
        if depth == 0 and kind == "MappingStartEvent":
            has_lines = not event.flow_style and event.start_mark.column == 0
        if depth == 1 and kind == "ScalarEvent":
            if not is_value:
                starts.append((event.value, event.start_mark.line))
            is_value = not is_value
        if kind in ("MappingStartEvent", "SequenceStartEvent"):
            depth += 1
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            depth -= 1
            is_value = is_value and depth != 1
            # A bracket has a width; the end of a block has none.
            if event.end_mark.index > event.start_mark.index:
                pieces.append(_piece(event))
    return starts if has_lines else None, pieces


def _piece(event: Any) -> _Piece:
    start, end = event.start_mark, event.end_mark
    is_block = getattr(event, "style", None) in ("|", ">")
    # The end mark of a block scalar is the beginning of the next line.
    end_line = end.line - 1 if is_block and end.column == 0 else end.line
    return _Piece(start.line, start.column, end_line, end.column, is_block)


def _extent(name: str, start: int, pieces: list[_Piece], lines: list[str]) -> Extent:
    last = max(pieces, key=lambda piece: (piece.end_line, piece.line))
    stop = 1 + last.end_line
    # Empty lines after a block are part of it if its header says `+`, and so is space beyond its indentation.
    is_kept = last.is_block and "+" in lines[last.line][last.column :]
    while not is_kept and not lines[stop - 1].strip("" if last.is_block else " \t"):
        stop -= 1
    columns = [_comment_at(number, lines[number], pieces) for number in range(start, stop)]
    if stop == start + 1:
        before = lines[start][: columns[0]].rstrip(" \t") if columns[0] >= 0 else lines[start]
        return Extent(name, start, stop, suffix=lines[start][len(before) :])
    comments = (lines[start + offset][column:] for offset, column in enumerate(columns) if column >= 0)
    return Extent(name, start, stop, comments=tuple(comments))


def _comment_at(number: int, line: str, pieces: list[_Piece]) -> int:
    """Return the column where a comment begins in a line, or -1.

    After the last piece of a line, there can only be punctuation, space and a comment.
    """
    behind = 0
    for piece in pieces:
        if piece.line < number <= piece.end_line and (piece.is_block or number < piece.end_line):
            return -1
        if piece.line == number:
            is_open = piece.end_line > number and not piece.is_block
            behind = len(line) if is_open else max(behind, piece.column if piece.is_block else piece.end_column)
        elif piece.end_line == number and not piece.is_block:
            behind = max(behind, piece.end_column)
    return line.find("#", behind)
