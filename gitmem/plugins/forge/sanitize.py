"""Make Markdown of others inert: it reads the same, but contains no link, image, mention or reference.

It is parsed like GitHub's renderer does, as far as that matters, and rewritten in a narrow form: emphasis, headings,
lists, quotes, tables, code, ``<br>``, ``<del>`` and ``<ins>``. Any other markup becomes a character reference; text
that GitHub links after rendering (mentions, addresses, ``#1``, ``GH-1``) is split by a zero-width space, and a possible
commit name becomes code, in which GitHub links nothing.

Source: GitHub Flavored Markdown 0.29, 4.5 (fences), 6.3 (code spans), 6.9 (autolinks); GitHub Docs, "Autolinked
references and URLs" and "Mentioning people and teams". The tests use cmark-gfm, which is GitHub's renderer.
"""

from __future__ import annotations

import html
import re

from gitmem.text import display
from gitmem.text.secrets import redact
from gitmem.verify.overview.notice.inert import ZERO_WIDTH_SPACE, spelt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# The most characters read of a line by others: a row of a report's table has a few thousand.
LINE_KEPT = 8_000
# Languages that only colour a block of code; GitHub renders others (mermaid, geojson, stl, math).
_COLOURED = ("sh", "console", "diff", "text", "json", "yaml", "toml", "python", "markdown")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
# The parts of a line: a break, a change mark, an escaped character, a character reference, a code span, a long run of
# tildes (a fence inside a quote), anything else.
_PARTS = re.compile(
    r"(?P<br><br ?/?>)|(?P<change></?(?:del|ins)>)|\\(?P<escaped>[!-/:-@\[-`{-~])|(?P<reference>&#?\w{1,31};)"
    r"|(?<!`)(?P<run>`+)(?!`)(?P<code>[^`|]+)(?P=run)(?!`)|(?P<tildes>~{3,})|(?P<other>.)"
)
# Markup that is kept unless escaped; and everything that is escaped otherwise.
_MARKUP = frozenset("*_~|#")


def page(text: str, limit: int) -> tuple[str, int]:
    """Return a Markdown text made inert, and how many of its lines did not fit.

    Args:
        text: Any text.
        limit: The most characters of the result, at least 100.

    Returns:
        Whole lines, blocks of code closed; no line feed at either end.
    """
    lines = [_cut(line) for line in _clean(text).strip("\n").split("\n")]
    blocks: list[str] = []
    at = 0
    while at < len(lines):
        block, read = _block(lines, at, limit)
        limit -= sum(len(line) + 1 for line in block)
        if limit < 0 or not read:
            break
        blocks += block
        at += read
    return "\n".join(blocks).strip("\n"), len(lines) - at


def _clean(text: str) -> str:
    """Return text without hidden characters; our own pages already split mentions, and it is done again here."""
    return redact(display(text.replace("\r\n", "\n").replace(ZERO_WIDTH_SPACE, ""), lines=True, sequences=True))


def _cut(text: str) -> str:
    return text if len(text) <= LINE_KEPT else text[: LINE_KEPT - 1] + "…"


def _block(lines: Sequence[str], at: int, room: int) -> tuple[list[str], int]:
    """Return one line made inert, or the block of code that begins there, and the number of lines read for it.

    A block of code is separated by blank lines, at the margin, in a fence that nothing in it can end: so any renderer
    treats it as code. Of a block that does not fit, the first lines are used; none if they do not fit either.
    """
    opened = _FENCE.match(lines[at])
    if opened is None:
        return [_text(lines[at])], 1
    sign, count = opened[1][0], len(opened[1])
    closing = re.compile(rf" {{0,3}}{re.escape(sign)}{{{count},}}[ \t]*$")
    end = next((n for n in range(at + 1, len(lines)) if closing.match(lines[n])), len(lines))
    inside = lines[at + 1 : end]
    fence = "`" * (1 + max([2, *(len(run) for line in inside for run in re.findall("`+", line))]))
    word = opened[2].strip()
    head, tail = ["", fence + (word if word in _COLOURED else "")], [fence, ""]
    room -= sum(len(line) + 1 for line in (*head, *tail))
    fits = 0
    while fits < len(inside) and room > len(inside[fits]):
        room -= len(inside[fits]) + 1
        fits += 1
    if fits < len(inside):
        return [*head, *inside[:fits], *tail], fits and fits + 1
    return [*head, *inside, *tail], min(end + 1, len(lines)) - at


def _text(text: str) -> str:
    """Return one line that is not code; never indented so far that it would become code."""
    text = text.replace("\t", " ")
    before = text[: len(text) - len(text.lstrip(" >"))]
    indent = len(before) - len(before.lstrip(" "))
    # Inside a quote as well, four spaces would make it code.
    shown = re.sub(" {4,}", "   ", before[max(0, indent - 3) :])
    return shown + _inline(text[len(before) :])


def _inline(text: str) -> str:
    """Return the text of a line with its parts made inert, except code spans."""
    parts: list[str] = []
    plain: list[str] = []
    markup: set[int] = set()
    opened: list[str] = []

    def flush() -> None:
        parts.append(spelt("".join(plain), markup))
        plain.clear()
        markup.clear()

    for part in _PARTS.finditer(text):
        kind, found = part.lastgroup, part.group()
        if kind in ("br", "code"):
            flush()
            parts.append("<br>" if kind == "br" else f"`{part['code']}`")
        elif kind == "change" and (found[1] != "/" or opened[-1:] == [found[2:]]):
            flush()
            parts.append(found)
            opened = opened[:-1] if found[1] == "/" else [*opened, found[1:]]
        elif kind == "other" and found in _MARKUP:
            markup.add(len(plain))
            plain.append(found)
        else:
            # A reference may stand for any character, including hidden ones.
            plain += display(html.unescape(found)) if kind == "reference" else part["escaped"] or found
    flush()
    shown = "".join([*parts, *(f"</{tag}" for tag in reversed(opened))])
    # At the beginning of a line, a slash addresses some robots.
    return f"&#47;{shown[1:]}" if shown.startswith("/") else shown
