"""Render the page: its data in its templates, with a policy that allows only its own script and style. Pure."""

from __future__ import annotations

import json
from importlib.resources import files

from gitmem.commands.report.page import graph, sections, strips
from gitmem.commands.report.page.model import LIVE
from gitmem.commands.report.page.payload import Payload, pack
from gitmem.commands.report.page.templates import fill
from gitmem.model import STATUSES, SUSPECT, VERIFIED
from gitmem.statuses import MARKS, SIGNS
from gitmem.text import web_page

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from markupsafe import Markup

    from gitmem.commands.report.page.model import Page, PageMemory

# The beginning of every report; other files are never overwritten.
MARK = "<!doctype html>\n<!-- gitmem report -->\n"
# The size of a page in bytes, as far as omitting texts and the version without scripts can meet it: loads at once on a
# slow line.
PAGE_AT_MOST = 2_950_000
# The same for the version without scripts in a served page, which is rendered again whenever the memory changes.
SERVED_TEXT = 300_000
# The estimated size of the rest of the page before it is known, and the least size of a memory there.
ROOM, LEAST = 8_000, 700
SCRIPTS = ("data.js", "analysis.js", "rank.js", "memory.js", "page.js")


def render(page: Page, *, served: str = "", is_whole: bool = False) -> str:
    """Return the page as one HTML document; the same data gives the same page.

    Args:
        page: Its data.
        served: The server's identifier of the shown state (``serve``); empty for a file. A page that
            is served has no texts: its script asks for them.
        is_whole: Whether texts are complete, whatever the size of the page.
    """
    shelf = sections.shelve(page)
    values = _list_values(page, shelf, served)
    frame = fill("page.html", commits=page.commits, files=page.files, packed=Payload(""), text="", **values)
    room = PAGE_AT_MOST - len(frame.encode("utf-8", "backslashreplace")) - ROOM
    packed = pack(page, at_most=None if is_whole else room, is_served=bool(served))
    room -= len(packed.columns) + sum(map(len, packed.blocks))
    room = min(room, SERVED_TEXT) if served else room
    body = fill(
        "page.html",
        commits=page.commits,
        files=page.files,
        packed=packed,
        text=_list_fitting(page, shelf, room),
        **values,
    )
    return f"{MARK}{body}"


def _list_values(page: Page, shelf: sections.Shelf, served: str) -> dict[str, Any]:
    """Return the values of the page's template besides the memories."""
    causes, open_ends = sections.list_causes(sections.list_failed(page)), sections.list_open_ends(page)
    picture = graph.draw([entry for entry in page.entries if entry.place == LIVE], page.links)
    parts = {
        "_broken": causes,
        "_open": open_ends,
        "_graph": picture.svg,
        "_time": page.timeline is not None,
        "_jobs": page.jobs is not None and page.entries,
        "_all": page.entries,
    }
    style, script = styles(), scripts()
    return {
        "page": page,
        "policy": web_page.policy(style, script, also=("img-src data:", *(["connect-src 'self'"] if served else ()))),
        "served": served,
        "worst": next((status for status, number in page.counts().items() if number), VERIFIED if page.entries else ""),
        "marks": json.dumps({status: MARKS[status] for status in STATUSES}, ensure_ascii=False),
        "style": style,
        "script": script,
        "nav": [(name, heading) for name, heading in sections.HEADINGS.items() if parts[name]],
        "first": sections.first_screen(page, causes),
        "causes": causes,
        "open_ends": open_ends,
        "picture": picture,
        "has_suspects": bool(page.of(SUSPECT)),
        "drawing": strips.draw(page.timeline, shelf.entries) if page.timeline else "",
        "drawn": strips.DRAWN,
        "classes": strips.CLASSES,
        "shown": strips.classes_of(page.timeline) if page.timeline else (),
        "shelf": shelf,
    }


def _list_fitting(page: Page, shelf: sections.Shelf, room: int) -> Markup:
    """Return memories for readers without scripts, within a size in bytes: problems first, then the newest."""
    ordered = sorted(page.entries, key=sections.urgency)
    count = min(len(ordered), max(room, 0) // LEAST)
    while True:
        text = _list_memories(page, ordered[:count], shelf, len(ordered) - count)
        size = len(text.encode("utf-8", "backslashreplace"))
        if size <= room or not count:
            return text
        count = int(count * room / size * 0.95)


def _list_memories(page: Page, entries: Sequence[PageMemory], shelf: sections.Shelf, missing: int) -> Markup:
    groups, old = sections.by_kind(entries)
    return fill(
        "listing.html", commits=page.commits, files=page.files, groups=groups, old=old, shelf=shelf, missing=missing
    )


def scripts() -> str:
    """Return the page's script."""
    inside = "\n".join(map(_file, SCRIPTS))
    return f'"use strict";\n(async () => {{\n{inside}}})();\n'


def styles() -> str:
    """Return the style sheet, with the statuses' colours for light and dark screens."""
    light = "".join(_colors(status, sign.light) for status, sign in SIGNS.items())
    dark = "".join(_colors(status, sign.dark) for status, sign in SIGNS.items())
    return _file("page.css").replace("/* statuses: light */", light).replace("/* statuses: dark */", dark)


def _colors(status: str, colors: tuple[str, str, str]) -> str:
    text, ground, drawn = colors
    return f"--{status}: #{text}; --{status}-bg: #{ground}; --{status}-drawn: #{drawn}; "


def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
