"""Read Roam Research's JSON export: a list of pages, whose blocks are in each other. Pure.

Source: exports of Roam (a page has ``title``, ``children``, ``create-time``, ``edit-time``, ``uid``; a block has
``string``, ``children``, ``uid``, ``heading``, ``create-time``; names that begin with ``:`` are internal).
"""

from __future__ import annotations

import re

from gitmem.plugins.import_.fields import without_empty
from gitmem.plugins.import_.names import key_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

_LINK = re.compile(r"\[\[([^\[\]\n]{1,200})\]\]")
_TAG = re.compile(r"(?<![\w#/&\\])#(?:\[\[([^\[\]\n]{1,200})\]\]|([^\W\d_][\w/-]{0,40}))")
_BLOCK = re.compile(r"\(\(([\w-]{6,40})\)\)")
_CODE = re.compile(r"```.{0,20000}?```|`[^`\n]{0,500}`", re.S)


def is_graph(found: object) -> bool:
    """Return whether a JSON value is the list of the pages of a graph."""
    return (
        isinstance(found, list)
        and all(isinstance(page, dict) and isinstance(page.get("title"), str) for page in found)
        and any(block for page in found for block in _children(page))
    )


def read_pages(pages: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any] | None]:
    """Yield each page in common terms, with the keys of linked pages; None for one without a text."""
    texts = [list(_lines(page)) for page in pages]
    keys = {page["title"]: key_of(page["title"]) for page, lines in zip(pages, texts, strict=True) if lines}
    homes = {uid: keys.get(page["title"], "") for page in pages for uid in _uids(page)}
    for page, lines in zip(pages, texts, strict=True):
        if not lines:
            yield None
            continue
        body = "\n".join(lines)
        prose = _CODE.sub("", body)
        tags = [words or word for words, word in _TAG.findall(prose)]
        linked = [keys.get(name, "") for name in (*_LINK.findall(prose), *tags)]
        linked += [homes.get(uid, "") for uid in _BLOCK.findall(prose)]
        own = keys[page["title"]]
        yield without_empty(
            key=page["title"],
            title=page["title"],
            body=body,
            created=page.get("create-time") or min(_times(page), default=None),
            edited=page.get("edit-time"),
            tags=list(dict.fromkeys(tag.lower() for tag in tags)),
            refs=[key for key in dict.fromkeys(linked) if key and key != own],
        )


def _children(block: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    children = block.get("children")
    return [
        child
        for child in (children if isinstance(children, list) else ())
        if isinstance(child, dict) and isinstance(child.get("string"), str)
    ]


def _blocks(page: Mapping[str, Any]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield the blocks of a page with their depths, from 0, in reading order."""
    waiting = [(0, block) for block in reversed(_children(page))]
    while waiting:
        depth, block = waiting.pop()
        yield depth, block
        waiting += [(depth + 1, child) for child in reversed(_children(block))]


def _lines(page: Mapping[str, Any]) -> Iterator[str]:
    for depth, block in _blocks(page):
        first, *rest = block["string"].split("\n")
        if not (first.strip() or rest):
            continue
        level = block.get("heading")
        heading = f"{'#' * level} " if isinstance(level, int) and 0 < level < 4 else ""
        yield f"{'  ' * depth}- {heading}{first}"
        yield from (f"{'  ' * (depth + 1)}{line}" if line else "" for line in rest)


def _uids(page: Mapping[str, Any]) -> Iterator[str]:
    return (block["uid"] for _, block in _blocks(page) if isinstance(block.get("uid"), str))


def _times(page: Mapping[str, Any]) -> Iterator[int]:
    times = (block.get("create-time") for _, block in _blocks(page))
    return (time for time in times if isinstance(time, int))
