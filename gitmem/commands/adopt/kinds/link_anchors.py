"""Anchors of links to documents: headings as GitHub names them, and ids in HTML. Pure but for reading code.

A heading's anchor is its text in lower case, without punctuation, with hyphens for spaces; the second one of a name
gets ``-1``. Source: GitHub Docs, Basic writing and formatting syntax, "Section links".
"""

from __future__ import annotations

import posixpath
import re
from functools import lru_cache
from html import unescape
from urllib.parse import unquote

from gitmem.commands.adopt.claims.claim import Claim
from gitmem.commands.adopt.findings import Source
from gitmem.commands.adopt.statements import CODE, TREE
from gitmem.text.globs import escape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.statements import Statement

ANCHOR = "anchor"
_TARGET = re.compile(r"^(?P<path>[^#?:]*\.(?:md|mdx|markdown))?#(?P<name>[^#:/=]+)$", re.I)
_POSITION = re.compile(r"^L\d+")
_FENCE = re.compile(r"^\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)(?:(?<![ \t])[ \t]+#+)?(?:(?<![ \t])[ \t]+)?$")
_UNDERLINE = re.compile(r"^ {0,3}(?:=+|-+)[ \t]*$")
_HTML_HEADING = re.compile(r"<h[1-6][^>]*>(.*?)</h[1-6]>", re.I)
_ID = re.compile(r"\b(?:id|name)=[\"']?([^\"'\s>]+)", re.I)
_OWN_ID = re.compile(r"\s{0,40}\{#([\w-]{1,200})[^}]{0,200}\}\s{0,40}$")
_IMAGE = re.compile(r"!\[[^\]]{0,300}\](?:\([^)]{0,500}\)|\[[^\]]{0,300}\])")
_LINK = re.compile(r"\[([^\]]{0,300})\](?:\([^)]{0,500}\)|\[[^\]]{0,300}\])")
_EMPHASIS = re.compile(r"(?<!\w)_(?=\S)|(?<=\S)_(?!\w)")
_EMOJI = re.compile(r":[a-z0-9_+-]+:")
_DROPPED = re.compile(r"[^\w\- ]")


def anchor_claims(statement: Statement, _document: Document) -> Iterator[Claim]:
    """Yield the anchors in documents that a statement links to."""
    if statement.kind in (CODE, TREE):
        return
    for span in statement.spans:
        target = _TARGET.match(span.text) if span.kind == "link" else None
        if target is not None and not _POSITION.match(target["name"]):
            yield Claim(ANCHOR, span.line, span.text, target["name"])


def find_anchor(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return the heading or id that a link leads to."""
    path = _path_of(claim, document)
    text = code.text(path)
    line = anchors_in(text).get(_plain(claim.name), 0)
    return Source(path, line, text.split("\n")[line - 1].strip()) if line else None


def find_similar(code: Code, claim: Claim, document: Document) -> Source | None:
    """Return an anchor that other generators give this name; the document itself if it is missing or MDX."""
    path = _path_of(claim, document)
    text = code.text(path)
    if not text or path.endswith(".mdx"):
        return Source(path)
    wanted = _letters(claim.name)
    return next((Source(path, line) for name, line in anchors_in(text).items() if _letters(name) == wanted), None)


def anchor_check(_claim: Claim, source: Source) -> Mapping[str, str]:
    """Return the check that the document has the line of the anchor."""
    return {"contains": source.actual, "in": escape(source.path)}


def _path_of(claim: Claim, document: Document) -> str:
    written = unquote(claim.token.partition("#")[0])
    if not written:
        return document.path
    beside = "" if written.startswith("/") else posixpath.dirname(document.path)
    return posixpath.normpath(posixpath.join(beside, written.lstrip("/")))


def _plain(name: str) -> str:
    return unquote(name).removeprefix("user-content-")


def _letters(name: str) -> str:
    return "".join(char for char in _plain(name).lower() if char.isalnum())


@lru_cache(maxsize=500)
def anchors_in(text: str) -> Mapping[str, int]:
    """Return the anchors of a Markdown document, each with its line."""
    anchors: dict[str, int] = {}
    used: dict[str, int] = {}
    for number, heading, line in _headings(text.split("\n")):
        if heading:
            name = slug = slug_of(heading)
            while name in used:
                used[slug] += 1
                name = f"{slug}-{used[slug]}"
            used[name] = 0
            anchors.setdefault(name, number)
        for anchor in (*_ID.findall(line), *_OWN_ID.findall(line)):
            anchors.setdefault(anchor, number)
    return anchors


def slug_of(heading: str) -> str:
    """Return the anchor of a heading, as GitHub makes it."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", _OWN_ID.sub("", heading.strip())))
    text = _EMOJI.sub("", unescape(re.sub(r"<[^>]{0,500}>", "", text))).replace("`", "")
    return _DROPPED.sub("", _EMPHASIS.sub("", text).lower()).replace(" ", "-")


def _headings(lines: list[str]) -> Iterator[tuple[int, str, str]]:
    """Yield each line outside of code, with its number and the text of its heading, if it is one."""
    fence = ""
    for at, line in enumerate(lines):
        if mark := _FENCE.match(line):
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
            continue
        if fence:
            continue
        match = _HEADING.match(line) or _HTML_HEADING.search(line)
        is_title = line.strip() and at + 1 < len(lines) and _UNDERLINE.match(lines[at + 1]) and not _is_block(line)
        yield at + 1, match[1] if match else line.strip() if is_title else "", line


def _is_block(line: str) -> bool:
    return line.lstrip().startswith(("|", ">", "-", "*", "+", "<", "#")) or line.startswith("    ")
