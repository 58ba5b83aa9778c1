"""What notes say outside of their text: properties, names, dates, templates and drawings. Pure.

Sources: Obsidian's help, "Aliases", "Templates" and "Daily notes"; Logseq's documentation, "Properties" (``key::
value`` in the first block is a page's), file names (``a___b`` and ``%3A``) and ``journals/2024_01_27.md``;
zettelkasten.de, "How to use a unique identifier" (``202401271530 Title``); basic-memory's ``permalink``; Excalidraw
for Obsidian, whose notes have ``excalidraw-plugin`` and a part *Drawing*, which is compressed; Notion's export, whose
pages are named ``Page 0123…ef.md`` and have properties below the heading.
"""

from __future__ import annotations

import datetime
import re
from urllib.parse import unquote

from gitmem.document.note import DRAWING_FIELD
from gitmem.plugins.import_.fields import as_list
from gitmem.plugins.import_.names import notion_id, without_notion_id
from gitmem.plugins.import_.times import time_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

DRAWING = "a drawing was left out, and its text was kept"
_PROPERTY = re.compile(r"(?:- )?([A-Za-z][\w-]{0,60}):: ?(.*)")
_LINKED = re.compile(r"#?\[\[([^\[\]]+)\]\]|#([^\s,]+)")
_DAY = re.compile(r"(?<!\d)(\d{4})[-_.](\d\d)[-_.](\d\d)(?!\d)")
# A unique identifier: a time of 12 or 14 digits at the start of the name.
_ID = re.compile(r"(20\d\d|19\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?(?!\d)[-_. ]*(.*)")
# The same anywhere in a name, and in a line of the text. Source: Zettlr's manual, "Zettelkasten: IDs".
_ANY_ID = re.compile(r"(?<!\d)(?:20|19)\d{10}(?:\d\d)?(?!\d)")
_ID_LINE = re.compile(r"(?m)^[ \t>*-]{0,8}@?ID:[ \t]{0,4}((?:20|19)\d{10}(?:\d\d)?)[ \t]*$", re.I)
# The parts of a day's name. Source: Logseq's documentation, "Journals page"; the forms of its setting.
_DAY_PART = re.compile(r"y{4}|yy|M{1,4}|do|dd?|E{1,4}")
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NOTION_CREATED = ("created", "created time", "created at", "date created", "date")
_BLOCK_ID = re.compile(r"(?m)^[ \t]*id:: ([0-9a-f-]{36})[ \t]*$")
_DRAWING = re.compile(r"(?ms)^(?:%%\n)?#+ Drawing\n```(?:compressed-json|json)\n.*?^```\n?(?:%%)?")
# How encrypted files begin: OpenPGP (RFC 9580, section 6.2), age, Ansible, OpenSSL in base64.
_CIPHERS = (
    *("-----BEGIN PGP MESSAGE-----", "-----BEGIN AGE ENCRYPTED FILE-----", "age-encryption.org/v1", "$ANSIBLE_VAULT;"),
    "U2FsdGVkX1",
)
# An encrypted text of Meld Encrypt: a lock, which may also begin a title, a hint, and base64.
_LOCKED = re.compile("(?:%%)?\U0001f510[^\\n]{0,200}?[A-Za-z0-9+/=]{24}")
# What Obsidian, Templater and Logseq put in the place of a value.
_PLACEHOLDER = re.compile(
    r"<%[-_*+]? ?tp\.|\{\{ ?(?:title|date|time|VALUE)(?::[^{}]*)?\}\}|<% ?(?:today|time|current page) ?%>"
)


def read_properties(body: str) -> tuple[dict[str, Any], str]:
    """Return the properties of a page of Logseq, and its text below them."""
    lines = body.split("\n")
    fields: dict[str, Any] = {}
    count = 0
    for line in lines:
        match = _PROPERTY.fullmatch(line.strip())
        if match is None or (count and line.startswith("- ")):
            break
        name, value = match[1].lower(), match[2].strip()
        is_list = name in ("tags", "alias", "aliases")
        fields["aliases" if name == "alias" else name] = _values(value) if is_list else value
        count += 1
    return fields, "\n".join(lines[count:]).lstrip("\n")


def _values(value: str) -> list[str]:
    return as_list([_LINKED.sub(lambda link: link[1] or link[2], part) for part in value.split(",")])


def is_of_notion(path: str) -> bool:
    """Return whether a file's name has the id that Notion's export gives it."""
    stem = _stem(path)
    return without_notion_id(stem) != stem


def properties_of_notion(body: str) -> tuple[str | None, list[str]]:
    """Return the time and the tags in the lines below the heading of a page of Notion, which stay in its text."""
    lines = body.split("\n")
    first = 2 if lines[0].startswith("# ") and not "".join(lines[1:2]).strip() else 0
    time, tags = None, []
    for line in lines[first:]:
        name, sign, value = line.partition(": ")
        if not sign:
            break
        if name.lower() in _NOTION_CREATED:
            time = time or time_of(value)
        elif name.lower() == "tags":
            tags = as_list(value)
    return time, tags


def why_unreadable(body: str) -> str:
    """Return why the text of a file is not that of a note; empty if it may be."""
    whole = body.lstrip()
    below = whole.partition("\n")[2].lstrip() if whole.startswith("# ") else whole
    return "it is encrypted" if below.startswith(_CIPHERS) or _LOCKED.match(below) else ""


def page_name(stem: str) -> str:
    """Return the name of a page of Logseq by its file's name without ending."""
    return unquote(stem.replace("___", "/"))


def created_of(path: str) -> str:
    """Return the day or time in a note's name, in ISO 8601; empty if it has none."""
    stem = _stem(path)
    if (day := _DAY.match(stem)) and 1 <= int(day[2]) <= 12 and 1 <= int(day[3]) <= 31:
        return f"{day[1]}-{day[2]}-{day[3]}"
    if match := _ID.match(stem):
        return f"{match[1]}-{match[2]}-{match[3]}T{match[4]}:{match[5]}:{match[6] or '00'}Z"
    return ""


def title_of(path: str, *, is_logseq: bool) -> str:
    """Return the title that a note's file name gives."""
    stem = _stem(path)
    if stem == "text" and (bundle := path.rpartition("/")[0]).lower().endswith(".textbundle"):
        return _stem(bundle)
    if is_logseq:
        day = _DAY.fullmatch(stem)
        return f"{day[1]}-{day[2]}-{day[3]}" if day else page_name(stem)
    match = _ID.match(stem)
    return match[7] if match and match[7] else without_notion_id(stem)


# Claude Code puts the type of a memory before its name, which links leave out: `feedback_be-brief.md`.
_MEMORY_TYPES = ("user", "feedback", "project", "reference")


def names_of(fields: Mapping[str, Any], path: str, text: str = "", day: str = "") -> list[str]:
    """Return the names, in lower case, by which other notes may link to a note, besides its file's name.

    Args:
        fields: Its frontmatter.
        path: Its path.
        text: Its text: a line with its id, and the ids of blocks of Logseq, are names.
        day: How Logseq names a day of its journal; empty elsewhere.
    """
    stem = _stem(path)
    names = [alias for name in ("aliases", "alias") for alias in as_list(fields.get(name))]
    names += [
        value for name in ("title", "permalink", "id", "slug", "name") if isinstance(value := fields.get(name), str)
    ]
    names += [str(fields["id"])] if isinstance(fields.get("id"), int) else []
    names += [*_ANY_ID.findall(stem), *_ID_LINE.findall(text), notion_id(stem)]
    kind, _, rest = stem.partition("_")
    names += [rest] if kind in _MEMORY_TYPES else []
    names.append(page_name(stem))
    names += _BLOCK_ID.findall(text)
    if day and (match := _DAY.fullmatch(stem)):
        names += ["-".join(match.groups()), _format_day(day, *map(int, match.groups()))]
    return list(dict.fromkeys(name.strip().lower() for name in names if name.strip()))


def _format_day(form: str, year: int, month: int, day: int) -> str:
    """Return the name of a day; empty for an invalid date."""
    try:
        date_ = datetime.date(year, month, day)
    except ValueError:
        return ""
    ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    name, weekday = _MONTHS[month - 1], _DAYS[date_.weekday()]
    parts = {
        **{"yyyy": str(year), "yy": f"{year % 100:02}", "MMMM": name, "MMM": name[:3], "MM": f"{month:02}"},
        **{"M": str(month), "dd": f"{day:02}", "d": str(day), "do": f"{day}{ending}"},
        **{"EEEE": weekday, "EEE": weekday[:3], "EE": weekday[:3], "E": weekday[:3]},
    }
    return _DAY_PART.sub(lambda part: parts[part[0]], form)


def is_template(text: str, path: str, folders: tuple[str, ...]) -> bool:
    """Return whether a note is a template: it is in their folder, or in one of that name with a placeholder.

    Args:
        text: The note.
        path: Its path in the vault.
        folders: The folders of templates that the vault's settings name.
    """
    folder = path.rpartition("/")[0]
    if any(f"{folder}/".startswith(f"{one.strip('/')}/") for one in folders if one.strip("/")):
        return True
    return "template" in folder.lower() and _PLACEHOLDER.search(text) is not None


def without_drawing(fields: Mapping[str, Any], body: str) -> str:
    """Return the text of a note without Excalidraw's compressed drawing."""
    return _DRAWING.sub("", body).strip("\n") if DRAWING_FIELD in fields else body


def _stem(path: str) -> str:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name
