"""Leave out what reStructuredText and AsciiDoc do not show: their comments. Pure.

Sources: the reStructuredText specification, "Comments"; the AsciiDoc language documentation, "Comments".
"""

from __future__ import annotations

import re

# Explicit markup of reStructuredText, except comments: directives, targets, footnotes, citations, substitutions.
_MARKUP = re.compile(r"\.\. (?:[\w:+.-]+ ?::|_|\[|\||__)")
# How a comment for gitmem begins, which is kept (``ignored``).
_ORDER = "gitmem:"
_BLOCK = re.compile(r"/{4,}")


def without_comments(path: str, text: str) -> str:
    """Return a document with its comments as empty lines; one in another markup is unchanged."""
    if path.lower().endswith(".rst"):
        return _without_rst(text)
    return _without_adoc(text) if path.lower().endswith(".adoc") else text


def _without_rst(text: str) -> str:
    lines = []
    is_comment = False
    for line in text.split("\n"):
        if line.strip() and not line[0].isspace():
            is_comment = line.startswith(".. ") and not _MARKUP.match(line)
        lines.append("" if is_comment and _ORDER not in line else line)
    return "\n".join(lines)


def _without_adoc(text: str) -> str:
    lines = []
    closing = ""
    for line in text.split("\n"):
        mark = line.rstrip()
        is_mark = _BLOCK.fullmatch(mark) is not None and closing in ("", mark)
        is_comment = bool(closing) or is_mark or (line.startswith("//") and not line.startswith("///"))
        if is_mark:
            closing = "" if closing else mark
        lines.append("" if is_comment and _ORDER not in line else line)
    return "\n".join(lines)
