"""Cut code into its definitions, by the indentation that people and formatters give it. Pure.

A definition goes on to the next line that is indented no more, with the brace that closes it; decorators and comments
right above belong to it. So Python and the languages with braces are cut alike, and no grammar is needed.
"""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.text.tokens import count_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

CLOSES = ("}", ")", "]", "end")
ABOVE = ("@", "#", "//", "/*", "*", "///")
CUT = "…"


@frozen
class Definition:
    """One definition.

    Attributes:
        name: What it defines.
        first: Its first line, from 0.
        code: Its lines, whole.
    """

    name: str
    first: int
    code: str


def cut(code: str, defines: re.Pattern[str]) -> list[Definition]:
    """Return the outermost definitions of some code, in its order.

    Args:
        code: The code.
        defines: What matches a line that begins one; its first group is the name.
    """
    lines = code.split("\n")
    found: list[Definition] = []
    at = 0
    while at < len(lines):
        begins = defines.match(lines[at])
        if begins is None:
            at += 1
            continue
        indent, first = _indent(lines[at]), at
        while first > 0 and lines[first - 1].strip().startswith(ABOVE) and _indent(lines[first - 1]) == indent:
            first -= 1
        end = at + 1
        while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent or _closes(lines[end])):
            is_closed = _indent(lines[end]) <= indent and _closes(lines[end])
            end += 1
            if is_closed:
                break
        found.append(Definition(begins[1], first, "\n".join(lines[first:end]).rstrip()))
        at = end
    return found


def shortened(code: str, *, limit_tokens: int) -> str:
    """Return the first lines of a definition that fit, with a sign that there are more; all of it where it fits."""
    if count_tokens(code) <= limit_tokens:
        return code
    kept: list[str] = []
    room = limit_tokens - 1
    for line in code.split("\n"):
        room -= count_tokens(line)
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, CUT])


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _closes(line: str) -> bool:
    return line.strip().startswith(CLOSES)
