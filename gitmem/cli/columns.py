"""Text in the columns of a terminal: lines broken at words, with what hangs below indented. Pure."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

# Columns that the names of a list may take before their text begins on the next line.
NAMES = 30


def width_of(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def breaks(text: str, width: int, hang: int | None = None) -> list[tuple[int, int]]:
    """Return where the lines of one line of text begin and end, for a terminal of so many columns.

    A word that no line has room for stays whole, and on the line that it is on: a path or an address can then still be
    copied, for the terminal itself goes on with it at the next line's first column.

    Args:
        text: One line.
        width: Columns; at least 2.
        hang: Columns that are left free before every line but the first: by default two more than the first line has.
    """
    lead = len(text) - len(text.lstrip(" "))
    hang = min(lead + 2 if hang is None else hang, width // 2)
    found: list[tuple[int, int]] = []
    start, end, indent = 0, lead, 0
    for first, last in _words(text):
        is_within = indent + width_of(text[start:last]) <= width
        if end > lead and not is_within and width_of(text[first:last]) <= width - hang:
            found.append((start, end))
            start, indent = first, hang
        end = last
    return [*found, (start, end)]


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the words of a text begin and end."""
    start = 0
    for word in text.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1


def fill(text: str, width: int, *, hang: int | None = None) -> list[str]:
    """Return one line of text as lines of at most *width* columns."""
    spans = breaks(text, width, hang)
    lead = len(text) - len(text.lstrip(" "))
    indent = " " * min(lead + 2 if hang is None else hang, width // 2)
    return [f"{indent if number else ''}{text[start:end]}" for number, (start, end) in enumerate(spans)]


def paragraphs(text: str, width: int, *, indent: int = 0) -> list[str]:
    """Return a text of paragraphs, lists and indented code in lines of at most *width* columns."""
    lines: list[str] = []
    for block in text.strip("\n").split("\n\n"):
        lines += [""] if lines else []
        for piece in _pieces(block):
            lines += _shown(piece, width, indent)
    return lines


def _shown(piece: str, width: int, indent: int) -> list[str]:
    lead = " " * indent
    if piece.startswith("    "):
        return [f"{lead}{line}" for line in shell(piece.strip(), width - indent, lead=2)]
    hang = indent + (2 if piece.startswith("- ") else 0)
    return fill(f"{lead}{piece}", width, hang=hang)


def _pieces(block: str) -> Iterator[str]:
    """Yield the paragraph, or the items and lines of code, of a block; each is one line."""
    piece = ""
    for line in block.split("\n"):
        if line.startswith("    "):
            yield from filter(None, (piece, line))
            piece = ""
        elif line.startswith("- ") and piece:
            yield piece
            piece = line
        else:
            piece = f"{piece} {line.strip()}".strip() if piece else line
    if piece:
        yield piece


def shell(line: str, width: int, *, lead: int = 0) -> list[str]:
    """Return a command in lines of at most *width* columns that a shell takes for the same command.

    It is broken at spaces outside quotes, or where there are none, within a double-quoted or plain word.
    """
    spaces, indent, start = [*_outside_quotes(line)], " " * lead, 0
    lines: list[str] = []
    while len(indent) + len(line) - start > width:
        room = width - len(indent) - 2
        fits = [at for at in spaces if start < at <= start + room]
        # An option stays with its value where that leaves half a line.
        options = [at for at in fits if line[at + 1] == "-" and at - start >= room // 3]
        cut = max(options or fits, default=0)
        if cut:
            lines.append(f"{indent}{line[start:cut]} \\")
            start, indent = cut + 1, " " * (lead + 4)
        else:  # nothing may be put before the next line, for it is the rest of a word
            lines.append(f"{indent}{line[start : start + room + 1]}\\")
            start, indent = start + room + 1, ""
    return [*lines, f"{indent}{line[start:]}"]


def _outside_quotes(line: str) -> Iterator[int]:
    """Yield where a command has a space that separates words."""
    quote = ""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == " ":
            yield at


def in_columns(rows: Iterable[tuple[str, str]], width: int, *, lead: int = 2) -> list[str]:
    """Return names with their texts beside them, as far as the names leave room for a text."""
    every = list(rows)
    most = min(NAMES, width * 2 // 5)
    fits = [len(name) for name, _ in every if len(name) + lead + 2 <= most]
    column = max(fits, default=0) + lead + 2
    lines: list[str] = []
    for name, about in every:
        if len(name) + lead + 2 > column or not about:
            lines += fill(" " * lead + name, width)
            lines += fill(" " * column + about, width, hang=column) if about else []
        else:
            lines += fill(f"{' ' * lead}{name}".ljust(column) + about, width, hang=column)
    return lines
