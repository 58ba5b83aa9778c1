"""Leave out what reStructuredText and AsciiDoc do not show, and turn the former's references into Markdown. Pure.

Comments are not shown, nor what depends on unset attributes.

Sources: the reStructuredText specification, "Comments", "Hyperlink References" and "Interpreted Text"; Sphinx, "Roles";
the AsciiDoc language documentation, "Comments", "Conditionals" and "Attribute entries".
"""

from __future__ import annotations

import re

# Explicit markup of reStructuredText, except comments: directives, targets, footnotes, citations, substitutions.
_MARKUP = re.compile(r"\.\. (?:[\w:+.-]+ ?::|_|\[|\||__)")
# Text between single backticks, with a role before or after it, or the mark of a target or a reference.
_INTERPRETED = re.compile(r"(?<![`\w\\])(_|:[\w:+.-]{1,60}:)?`([^`]{1,600})`(__?(?!\w)|:[\w:+.-]{1,60}:)?(?!`)")
_EMBEDDED = re.compile(r"([^<]*)<([^<>]+)>\Z")
# The roles whose text is code; that of another (``:doc:``, ``:ref:``, ``:issue:``) is a title, a label or a number.
_CODED = frozenset(
    """
    attr attribute class code command const constant cpp data enum envvar exc exception file func function kbd keyword
    lit literal macro makevar member meth method mod module obj option program property samp struct token type var
    """.split()
)
# How a comment for gitmem begins, which is kept (``ignored``).
_ORDER = "gitmem:"
_BLOCK = re.compile(r"/{4,}")
# A condition on attributes of AsciiDoc with its text, if that is on the line; the end of one; an attribute that is set.
_CONDITION = re.compile(r"(ifn?def|ifeval)::([^\[\]\s]*)\[(.*)\]")
_END = re.compile(r"endif::[^\[\]\s]*\[.*\]")
_ATTRIBUTE = re.compile(r":(!?)([\w-]+)(!?):(?:\s.*)?")
# The attributes that say where a document is read: either branch may be shown.
_READER = re.compile(r"(?:env|backend|basebackend|doctype|safe-mode|asciidoctor)\b")


def plain_markup(path: str, text: str) -> str:
    """Return a document in which lines that are not shown are empty; documents in other markup are unchanged.

    References of reStructuredText become links of Markdown, or plain words.
    """
    if path.lower().endswith(".rst"):
        return _INTERPRETED.sub(_as_markdown, _without_rst(text))
    return _without_adoc(text) if path.lower().endswith(".adoc") else text


def _without_rst(text: str) -> str:
    lines = []
    is_comment = False
    for line in text.split("\n"):
        if line.strip() and not line[0].isspace():
            is_comment = line.startswith(".. ") and not _MARKUP.match(line)
        lines.append("" if is_comment and _ORDER not in line else line)
    return "\n".join(lines)


def _as_markdown(match: re.Match[str]) -> str:
    """Return interpreted text unchanged if it is code, as a link if it has a target, and otherwise as plain words."""
    before, text, after = match[1] or "", match[2], match[3] or ""
    if after.startswith("_"):
        link = _EMBEDDED.match(text)
        if link and link[2].strip() and not re.search(r"_\Z|^(?!\w+:).*\.html(?:#|\Z)", link[2]):
            return f"[{link[1]}]({link[2].strip()})"  # a target in the next line stays there
        return text
    role = (before or after).strip(":").rpartition(":")[2]
    return text if role and role not in _CODED else match[0]


def _without_adoc(text: str) -> str:
    lines = []
    closing = ""
    attributes: set[str] = set()
    shown: list[bool] = []  # for each condition that is open
    for line in text.split("\n"):
        mark = line.rstrip()
        is_mark = _BLOCK.fullmatch(mark) is not None and closing in ("", mark)
        is_comment = bool(closing) or is_mark or (line.startswith("//") and not line.startswith("///"))
        if is_mark:
            closing = "" if closing else mark
        if not is_comment:
            is_comment = _follow_condition(mark, shown, attributes) or not all(shown)
        lines.append("" if is_comment and _ORDER not in line else line)
    return "\n".join(lines)


def _follow_condition(line: str, shown: list[bool], attributes: set[str]) -> bool:
    """Update the open conditions and the attributes that are set; return whether a line is a condition or its end."""
    if _END.fullmatch(line):
        del shown[-1:]
        return True
    if match := _CONDITION.fullmatch(line):
        if not match[3] or match[1] == "ifeval":
            shown.append(_is_shown(match[1], match[2], attributes))
        return True
    if all(shown) and (entry := _ATTRIBUTE.fullmatch(line)):
        (attributes.discard if entry[1] or entry[3] else attributes.add)(entry[2])
    return False


def _is_shown(form: str, names: str, attributes: set[str]) -> bool:
    """Return whether the text of a condition may be shown: one on attributes is, as the document sets them."""
    every = re.split(r"[,+]", names)
    if form == "ifeval" or any(map(_READER.match, every)):
        return True
    is_set = [name in attributes for name in every]
    return (all(is_set) if "+" in names else any(is_set)) == (form == "ifdef")
