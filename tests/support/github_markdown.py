"""Markdown as GitHub shows it, and what of it is alive: rendered by cmark-gfm, which is its renderer."""

from __future__ import annotations

import re

import cmarkgfm
from cmarkgfm.cmark import Options
from lxml import html

ALLOWED = frozenset(
    (
        *(
            "p",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "br",
            "hr",
            "em",
            "strong",
            "del",
            "ins",
            "ul",
            "ol",
            "li",
            "blockquote",
        ),
        *("code", "pre", "table", "thead", "tbody", "tr", "th", "td", "div"),
    )
)
# What GitHub looks for in the text of a page that is rendered, apart from code: people and teams, issues, commits; and
# addresses, should the renderer not have linked them.
LIVE = re.compile(r"@[a-z0-9]|#\d|\bgh-\d|(?<![0-9a-z])[0-9a-f]{7,40}(?![0-9a-z])|://|\bwww\.", re.IGNORECASE)


def rendered(text: str) -> html.HtmlElement:
    """Return Markdown as the renderer shows it: raw HTML and all addresses alive, where they are."""
    message = cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)
    return html.fromstring(f"<div>{message}</div>")


def alive(root: html.HtmlElement) -> list[str]:
    """Return what of a rendered page is more than text: elements, attributes, references."""
    found = []
    for one in root.iter():
        if not isinstance(one.tag, str) or one.tag not in ALLOWED:
            found.append(str(one.tag))
            continue
        known = {"pre": ("lang",), "th": ("align",), "td": ("align",), "ol": ("start",)}.get(one.tag, ())
        found += [f"{one.tag}.{name}" for name in one.attrib if name not in known]
        if one.get("lang") in ("mermaid", "math", "geojson", "stl", "suggestion"):
            found.append(one.get("lang"))
        is_code = any(up.tag in ("code", "pre") for up in (one, *one.iterancestors()))
        texts = ["" if is_code else one.text, "" if one.getparent() is None else one.tail]
        if one.getparent() is not None and any(up.tag in ("code", "pre") for up in one.iterancestors()):
            texts[1] = ""
        found += [match.group() for text in texts if text for match in LIVE.finditer(text)]
    return found


def words(root: html.HtmlElement) -> list[str]:
    """Return the words of a rendered page, whatever is put between their letters."""
    return root.text_content().replace("\u200b", "").split()
