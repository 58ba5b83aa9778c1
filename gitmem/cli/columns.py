"""Wrap text to the columns of a terminal, at words, with indented continuation lines. Pure."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

# The word with which a command begins.
PROGRAM = "gitmem"
# The widest name in a list whose text begins on the same line.
NAMES = 30


def width_of(text: str) -> int:
    """Return how many columns a text takes."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def breaks(text: str, width: int, hang: int | None = None) -> list[tuple[int, int]]:
    """Return the start and end of each line when one line of text is wrapped to *width* columns.

    A command is not broken if it fits on a line of its own. A word that fits on no line is kept whole and on its
    current line: the terminal continues it in the first column of the next line, so that a path or an address can
    still be copied.

    Args:
        text: One line.
        width: Columns; at least 2.
        hang: The indentation of continuation lines: by default two columns more than that of the first line.
    """
    lead = len(text) - len(text.lstrip(" "))
    hang = min(lead + 2 if hang is None else hang, width // 2)
    found: list[tuple[int, int]] = []
    start, end, indent = 0, lead, 0
    for first, last in _units(text, width - hang):
        is_within = indent + width_of(text[start:last]) <= width
        if end > lead and not is_within and width_of(text[first:last]) <= width - hang:
            found.append((start, end))
            start, indent = first, hang
        end = last
    return [*found, (start, end)]


def _words(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each word of a text."""
    start = 0
    for word in text.split(" "):
        if word:
            yield start, start + len(word)
        start += len(word) + 1


def _units(text: str, most: int) -> Iterator[tuple[int, int]]:
    """Yield the start and end of what stays on one line: each word, and each command of at most *most* columns."""
    command: list[tuple[int, int]] = []
    for first, last in _words(text):
        word = text[first:last]
        if command and (word[0] in "(—·" or text[command[-1][1] - 1] in ".,;:)"):
            yield from _joined(text, command, most)
            command = []
        if command or word.lstrip("(`'\"") == PROGRAM:
            command.append((first, last))
        else:
            yield first, last
    yield from _joined(text, command, most)


def _joined(text: str, words: Sequence[tuple[int, int]], most: int) -> Iterator[tuple[int, int]]:
    """Yield the words of a command as one, if they fit; they may be prose that only begins with its name."""
    if words and width_of(text[words[0][0] : words[-1][1]]) <= most:
        yield words[0][0], words[-1][1]
    else:
        yield from words


def fill(text: str, width: int, *, hang: int | None = None) -> list[str]:
    """Wrap one line of text to lines of at most *width* columns."""
    spans = breaks(text, width, hang)
    lead = len(text) - len(text.lstrip(" "))
    indent = " " * min(lead + 2 if hang is None else hang, width // 2)
    return [f"{indent if number else ''}{text[start:end]}" for number, (start, end) in enumerate(spans)]


def paragraphs(text: str, width: int) -> list[str]:
    """Wrap a text of paragraphs, lists and indented code to lines of at most *width* columns."""
    lines: list[str] = []
    for block in text.strip("\n").split("\n\n"):
        lines += [""] if lines else []
        for piece in _pieces(block):
            if piece.startswith("    "):
                lines += shell(piece.strip(), width, lead=2)
            else:
                lines += fill(piece, width, hang=2 if piece.startswith("- ") else 0)
    return lines


def _pieces(block: str) -> Iterator[str]:
    """Yield the paragraphs, list items and code lines of a block, each as one line."""
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
    """Wrap a command to lines of at most *width* columns that a shell reads as the same command.

    It is broken at spaces outside of quotes; if there are none, within a double-quoted or plain word.
    """
    spaces, indent, start = [*_outside_quotes(line)], " " * lead, 0
    lines: list[str] = []
    while len(indent) + len(line) - start > width:
        room = width - len(indent) - 2
        fits = [at for at in spaces if start < at <= start + room]
        # Keep an option with its value if the line is then at least a third full.
        options = [at for at in fits if line[at + 1] == "-" and at - start >= room // 3]
        cut = max(options or fits, default=0)
        if cut:
            lines.append(f"{indent}{line[start:cut]} \\")
            start, indent = cut + 1, " " * (lead + 4)
        else:  # no indentation, because the next line continues a word
            lines.append(f"{indent}{line[start : start + room + 1]}\\")
            start, indent = start + room + 1, ""
    return [*lines, f"{indent}{line[start:]}"]


def _outside_quotes(line: str) -> Iterator[int]:
    """Yield the positions of spaces that separate words of a command."""
    quote = ""
    for at, char in enumerate(line):
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        elif char == " ":
            yield at


def in_columns(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Format names, indented by two, with their texts beside them, or below names that are too long."""
    every = list(rows)
    most = min(NAMES, width * 2 // 5)
    column = max((len(name) + 4 for name, _ in every if len(name) + 4 <= most), default=4)
    lines: list[str] = []
    for name, about in every:
        if len(name) + 4 > column or not about:
            lines += fill(f"  {name}", width)
            lines += fill(" " * column + about, width, hang=column) if about else []
        else:
            lines += fill(f"  {name}".ljust(column) + about, width, hang=column)
    return lines
