"""Memories' texts as inert HTML: escaped, hidden characters spelled out, basic structure kept. Pure.

Memories are Markdown and anyone may have pushed them. Structure that helps reading is kept (paragraphs, lists,
headings, code, links to other memories and to visible web addresses); all other markup is shown as typed. No address is
ever hidden behind other text.
"""

from __future__ import annotations

import re

from markupsafe import Markup

from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_ITEM = re.compile(r"\s{0,8}(?:[-*+]|\d{1,9}[.)])\s+(.*)")
_HEADING = re.compile(r" {0,3}#{1,6}\s+")
# Code, an address, or strong text. An address is ASCII: it leads exactly where it says.
_SPAN = re.compile(r"`([^`\n]+)`|(https?://[!#-;=?-Z_a-z~]+)|\*\*([^*\n]+)\*\*")
# Of a title, code and strong text are kept.
_TITLE_SPAN = re.compile(r"`([^`\n]+)`|\*\*([^*\n]+)\*\*")
# A file of the code, perhaps with a line; in references, it has a folder or an ending. Nothing in it needs quoting.
_NAME = r"[A-Za-z0-9_@+-][A-Za-z0-9_.@+-]*|\.[A-Za-z0-9_@+-][A-Za-z0-9_.@+-]*"
_PLACE = re.compile(rf"((?:{_NAME})(?:/(?:{_NAME}))*)(?:/|:(\d+)(?:-\d+)?)?")
_IS_FILE = re.compile(r"/|\.[A-Za-z]\w{0,9}(?::|$)")
_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
# Punctuation at the end of a sentence is not part of an address.
_TRAILING = ".,;:!?)'"


PARAGRAPH, HEADING = Markup("<p>{}</p>"), Markup('<p class="h">{}</p>')
LIST, ITEM = Markup("<ul>{}</ul>"), Markup("<li>{}</li>")
CODE_BLOCK, CODE, STRONG = (
    Markup("<pre><code>{}</code></pre>"),
    Markup("<code>{}</code>"),
    Markup("<strong>{}</strong>"),
)
LINK = Markup('<a href="{}" rel="noopener noreferrer nofollow">{}</a>')
KEY_LINK = Markup('<a href="#{}">{}</a>')
CODE_LINK = Markup('<a href="{}" rel="noopener noreferrer nofollow"><code>{}</code></a>')


def line(text: str) -> str:
    """Return a text as one line, its hidden characters spelled out; not escaped yet."""
    return display(" ".join(text.split()), sequences=True)


def title(text: str) -> Markup:
    """Return a title as HTML within a line, without links: titles are in links themselves."""
    shown, parts, at = line(text), [], 0
    for match in _TITLE_SPAN.finditer(shown):
        code, strong = match.groups()
        parts += [shown[at : match.start()], CODE.format(code) if code is not None else STRONG.format(strong)]
        at = match.end()
    return Markup("").join([*parts, shown[at:]])


def plain_title(text: str) -> str:
    """Return a title as one line without its marks, for pictures; not escaped yet."""
    return _TITLE_SPAN.sub(lambda match: match[1] or match[2], line(text))


def place(text: str, files: str, commits: str, *, is_path: bool = False) -> Markup:
    """Return a reference, or a file with *is_path*, as HTML: a file or commit of the code links to the forge."""
    match = _PLACE.fullmatch(text) if files else None
    if commits and _COMMIT.fullmatch(text):
        return CODE_LINK.format(commits + text, text[:12])
    if match and (is_path or _IS_FILE.search(text)):
        return CODE_LINK.format(f"{files}{match[1]}{f'#L{match[2]}' if match[2] else ''}", text)
    return CODE.format(line(text)) if is_path else _spans(text.replace("\n", " "), ())


def body(text: str, keys: Collection[str] = ()) -> Markup:
    """Return a memory's text as HTML; a memory's key in code links to that memory."""
    blocks: list[Markup] = []
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        fence = _FENCE.match(lines[at])
        if fence:
            end = _until(lines, at + 1, lambda line, mark=fence[1]: line.strip().startswith(mark))  # type: ignore[misc]
            blocks.append(CODE_BLOCK.format(_raw(lines[at + 1 : end])))
            at = end + 1
        elif not lines[at].strip():
            at += 1
        elif heading := _HEADING.match(lines[at]):
            blocks.append(HEADING.format(_spans(lines[at][heading.end() :].rstrip().rstrip("#").rstrip(), keys)))
            at += 1
        elif _ITEM.fullmatch(lines[at]):
            end = _until(lines, at + 1, lambda line: not line.strip() or bool(_FENCE.match(line)))
            items = Markup("\n").join(ITEM.format(_spans(item, keys)) for item in _items(lines[at:end]))
            blocks.append(LIST.format(items))
            at = end
        elif lines[at].startswith(("    ", "\t", "|")):
            end = _until(lines, at + 1, lambda line: not line.startswith(("    ", "\t", "|")))
            blocks.append(CODE_BLOCK.format(_raw(lines[at:end])))
            at = end
        else:
            end = _until(lines, at + 1, _begins)
            blocks.append(PARAGRAPH.format(_spans(" ".join(line.strip() for line in lines[at:end]), keys)))
            at = end
    return Markup("\n").join(blocks)


def _until(lines: list[str], at: int, ends: Callable[[str], bool]) -> int:
    return next((nth for nth in range(at, len(lines)) if ends(lines[nth])), len(lines))


def _begins(text: str) -> bool:
    """Return whether a line starts a new block instead of continuing the paragraph."""
    return not text.strip() or any(pattern.match(text) for pattern in (_FENCE, _ITEM, _HEADING)) or text[0] == "|"


def _items(lines: Iterable[str]) -> list[str]:
    """Return the items of a list; a line without a list marker continues the item before."""
    items: list[str] = []
    for text in lines:
        item = _ITEM.fullmatch(text)
        if item:
            items.append(item[1])
        elif items:
            items[-1] += f" {text.strip()}"
    return items


def _raw(lines: Iterable[str]) -> str:
    return display("\n".join(lines), lines=True, sequences=True)


def _spans(text: str, keys: Collection[str]) -> Markup:
    parts, at = [], 0
    for match in _SPAN.finditer(text):
        parts.append(_visible(text[at : match.start()]))
        code, address, strong = match.groups()
        at = match.end()
        if code is not None:
            inside = CODE.format(_visible(code))
            parts.append(KEY_LINK.format(code, inside) if code in keys else inside)
        elif address is not None:
            whole = address.rstrip(_TRAILING)
            at -= len(address) - len(whole)
            parts.append(LINK.format(whole, whole))
        else:
            parts.append(STRONG.format(_visible(strong)))
    return Markup("").join([*parts, _visible(text[at:])])


def _visible(text: str) -> str:
    return display(text, sequences=True)
