"""Show the output of commands on a part of the screen.

Texts of memories pass through ``Output``, which spells out every control character. So the only escape sequences are
its own colours, and no text is interpreted as Textual's markup.
"""

from __future__ import annotations

import io
import re

from textual.content import Content

from gitmem.cli.columns import width_of
from gitmem.cli.output import WIDEST, Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_SGR = re.compile("\x1b\\[([0-9;]*)m")
# Textual's names of the colour codes that ``Output`` writes (ECMA-48, 8.3.117): the terminal's own colours.
_STYLES = {
    "1": "bold",
    "2": "dim",
    "4": "underline",
    "31": "ansi_red",
    "32": "ansi_green",
    "33": "ansi_yellow",
    "35": "ansi_magenta",
    "36": "ansi_cyan",
}


def draw_text(draw: Callable[[Output], None], width: int) -> Content:
    """Return the output of *draw*, in lines of at most *width* columns."""
    printed = io.StringIO()
    out = Output(color="always", draws=False, stdout=printed, stderr=printed)
    out.is_terminal, out.width = True, max(2, min(width, WIDEST))
    draw(out)
    return style_text(printed.getvalue().rstrip("\n"))


def style_text(printed: str) -> Content:
    """Convert the colours of ``Output`` to Textual's."""
    first, *rest = _SGR.split(printed)
    parts: list[str | tuple[str, str]] = [first]
    for codes, text in zip(rest[::2], rest[1::2], strict=True):
        style = " ".join(_STYLES[code] for code in codes.split(";") if code in _STYLES)
        parts.append((text, style) if style else text)
    return Content.assemble(*parts)


def fold_line(line: str, width: int) -> list[str]:
    """Split one line into pieces of at most *width* columns, without adding or removing a character."""
    pieces, columns = [""], 0
    for char in line:
        columns += width_of(char)
        if columns > width and pieces[-1]:
            pieces.append("")
            columns = width_of(char)
        pieces[-1] += char
    return pieces
