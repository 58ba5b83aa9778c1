"""The title that a person would give a note: its first heading, else its file's name. Pure.

Sources: CommonMark 0.31.2, "ATX headings", "Setext headings", "Fenced code blocks", "HTML blocks"; the Org manual,
"Headlines" and ``#+title``.
"""

from __future__ import annotations

import re
from itertools import pairwise

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Frontmatter that cannot be read stays above the text.
_KEPT_FRONT = re.compile(r"\A---\n(?:(?!---)\S.{0,1000}\n){1,100}---[ \t]*\n")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)|%%.*?(?:%%|\Z)", re.S)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*))?")
_CLOSING = re.compile(r"(?:^|(?<![ \t])[ \t]+)#+[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*")
_HTML = re.compile(r"<h([1-6])(?:\s[^<>]{0,200})?>(.{0,300}?)</h\1>", re.I | re.S)
_ORG = re.compile(r"#\+title:[ \t]*(.*)", re.I)
_IMAGE = re.compile(r"!\[[^\[\]\n]*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])|!\[\[[^\[\]\n]*\]\]|<img\b[^<>]*>", re.I)
_LINK = re.compile(r"\[([^\[\]\n]*)\](?:\([^()\n]*\)|\[[^\[\]\n]*\])|\[\[(?:[^\[\]|\n]*\|)?([^\[\]|\n]*)\]\]")
_EMPTY_LINK = re.compile(r"\[\s*\](?:\([^()\n]*\)|\[[^\[\]\n]*\])")
# A line that cannot be a heading by the line below it: of a list, a quote, a table or code.
_INDENTED = re.compile(r"\s{4}|\t|\s*(?:[-*+>|]|\d+[.)]\s|$)")
_MARKUP = re.compile(r"</?[a-zA-Z][^<>]*>|\*\*|__|~~|==")
_ANCHOR = re.compile(r"(?<![ \t])[ \t]*\{#[^{}]*\}[ \t]*$")
# Names that say nothing about what is in a file; its folder does.
_NAMELESS = frozenset(("readme", "index", "_index", "skill", "untitled"))
# The name of a daily note.
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
# A line that is neither a heading nor prose: rules, tags of HTML, the list of contents, marks of quotes alone.
_NO_PROSE = re.compile(r"(?:[-=*_>|\s]|</?\w[^<>]{0,300}>|\[\[?_?toc_?\]\]?)*", re.I)


def find_title(body: str, name: str, stem: str, *, is_wiki: bool = False) -> str:
    """Return the title of a note without one in its frontmatter.

    Headings of any form count up to the first prose, and a heading of the first level below it if it is the only one.
    Where the file's name is words, as a person writes a title, only a heading at the top of the first level counts; in
    a wiki, whose pages are called by these names, none.

    Args:
        body: The note's text.
        name: Its path with the name of the folder that it is in.
        stem: The title that the name of its file gives.
        is_wiki: Whether it is a page of Obsidian or Logseq.
    """
    folder, _, file = name.rpartition("/")
    is_nameless = file.rpartition(".")[0].lower() in _NAMELESS
    is_slug = stem.isascii() and stem == stem.lower() and not _DAY.fullmatch(stem)
    is_titled = not is_nameless and (" " in stem or (is_wiki and not is_slug))
    if is_titled and is_wiki:
        return stem
    first, *more = [*_headings(_KEPT_FRONT.sub("", body)), (0, False, "")]
    level, is_first, heading = first
    tops = [text for level, _, text in (first, *more) if level == 1]
    if is_titled:
        title = heading if is_first and level == 1 and len(tops) == 1 else ""
    elif is_first or (is_nameless and heading and heading.lower() not in _NAMELESS):
        title = heading
    else:
        title = tops[0] if len(tops) == 1 else ""
    if title and title.lower() not in _NAMELESS:
        return title
    return (folder.rpartition("/")[2] if is_nameless else "") or stem


def plain_heading(text: str) -> str:
    """Return a heading without pictures, closing signs, and the marks of links and emphasis."""
    text = _LINK.sub(lambda link: link[1] or link[2] or "", _IMAGE.sub("", _ANCHOR.sub("", text)))
    return " ".join(_CLOSING.sub("", _MARKUP.sub("", text).strip()).split())


def _headings(body: str) -> Iterator[tuple[int, bool, str]]:
    """Yield level and text of each heading, and whether nothing but pictures, code and the like is above it."""
    is_above, lines = True, [*_lines(body), ""]
    for line, below in pairwise(lines):
        level, text = _heading(line)
        if not level and (under := _UNDERLINE.fullmatch(below)) and not _INDENTED.match(line):
            level, text = (1 if "=" in under[1] else 2), line
        if level and (text := plain_heading(text)):
            yield level, is_above, text
        is_above = is_above and not text if level else is_above and _is_nothing(line)


def _is_nothing(line: str) -> bool:
    return _NO_PROSE.fullmatch(_EMPTY_LINK.sub("", _IMAGE.sub("", line))) is not None


def _heading(line: str) -> tuple[int, str]:
    """Return the level and the text of a heading in one line; 0 if it is none."""
    if atx := _ATX.fullmatch(line):
        return len(atx[1]), atx[2] or ""
    if html := _HTML.match(line.lstrip()):
        return int(html[1]), html[2]
    org = _ORG.fullmatch(line)
    return (1, org[1]) if org else (0, "")


def _lines(body: str) -> Iterator[str]:
    """Yield the lines of a text without comments and code; a heading of HTML is one line."""
    text = _HTML.sub(lambda match: " ".join(match[0].split()), _COMMENT.sub("", body))
    fence = ""
    for line in text.split("\n"):
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1].startswith(fence) else fence
        elif mark:
            fence = mark[1]
        else:
            yield line
