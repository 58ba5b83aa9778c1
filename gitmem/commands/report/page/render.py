"""Render the page: its data in its template, with a policy that allows only its own script and style. Pure."""

from __future__ import annotations

import json
from html import escape
from importlib.resources import files
from string import Template

from gitmem.commands.report.page import markup, memories, sections
from gitmem.model import STATUSES, VERIFIED
from gitmem.statuses import MARKS, SIGNS
from gitmem.text import html_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.report.page.model import Page

# The beginning of every page of ours: what begins otherwise is somebody's, and not overwritten.
MARK = "<!doctype html>\n<!-- gitmem report -->\n"
NAV = (("_broken", "Broken"), ("_open", "Not proven"), ("_graph", "Links"), ("_time", "Timeline"), ("_jobs", "Jobs"),
       ("_all", "All"))  # fmt: skip


def render(page: Page) -> str:
    """Return the page as one HTML document; the same for the same data."""
    shelf = memories.shelve(page)
    style, script = styles(), _file("page.js")
    parts = [
        sections.hero(page),
        sections.broken(page, shelf),
        sections.open_ends(page, shelf),
        sections.graph(page),
        sections.history(page, shelf),
        sections.jobs(page),
        sections.everything(page, memories.listing(page, shelf)),
    ]
    worst = next((status for status, number in page.counts().items() if number), VERIFIED)
    main = "\n".join(part for part in parts if part)
    nav = "".join(f'<a href="#{name}">{label}</a>' for name, label in NAV if f'<section id="{name}"' in main)
    return MARK + Template(_file("page.html")).substitute(
        policy=html_policy.policy(style, script, also=("img-src data:",)),
        worst=worst,
        sign=MARKS[worst],
        name=markup.line(page.name),
        version=markup.line(page.version),
        made=page.made,
        marks=escape(json.dumps({status: MARKS[status] for status in STATUSES}, ensure_ascii=False)),
        style=style,
        script=script,
        nav=nav,
        main=main,
        foot=sections.foot(page),
    )


def styles() -> str:
    """Return the style sheet, with the colours of statuses for light and dark screens."""
    light = "".join(_colors(status, sign.light) for status, sign in SIGNS.items())
    dark = "".join(_colors(status, sign.dark) for status, sign in SIGNS.items())
    return _file("page.css").replace("/* statuses: light */", light).replace("/* statuses: dark */", dark)


def _colors(status: str, colors: tuple[str, str, str]) -> str:
    text, ground, drawn = colors
    return f"--{status}: #{text}; --{status}-bg: #{ground}; --{status}-drawn: #{drawn}; "


def _file(name: str) -> str:
    return (files(__package__) / name).read_text("utf-8")
