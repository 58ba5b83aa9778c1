"""Decision records (ADRs): title, status, date, decision, and which record supersedes which. Pure.

Sources: Nygard, Documenting architecture decisions (2011), whose records have a section *Status*; adr-tools, which
writes links like ``Superceded by [2. Use B](0002-b.md)`` into it; MADR 4.0, which has ``status`` and ``date`` in the
frontmatter, and as a list in its earlier versions; log4brains, whose records have that list.
"""

from __future__ import annotations

import posixpath
import re

from gitmem.document.times import format_day, parse_day
from gitmem.errors import FormatError
from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# The most characters stored of a decision: the record itself has the rest.
DECISION_LIMIT = 2000
# The most characters read of a status.
_STATUS_LIMIT = 500
_FOLDERS = re.compile(r"(?:^|/)(?:adrs?|docs?/decisions|architecture-decisions|architecture/decisions)/.*\.md$")
# Files of such folders that are not records.
TEMPLATE = "template.md"
_OTHERS = ("readme.md", "index.md", TEMPLATE)
_FRONTMATTER = re.compile(r"\A---\n.*?^---[ \t]*$", re.M | re.S)
_TITLE = re.compile(r"(?m)^#[ \t]+(\S.*)$")
_FIELD = re.compile(r"(?m)^title:[ \t]*(\S.*)$")
_NUMBER = re.compile(r"^(?:ADR[- ]?)?\d+\s*[.:)–-]\s*", re.I)
_STATUS = re.compile(
    r"(?im)^(?:(?:[-*>]|##+)\s+)?\**status\**\s*:\**[ \t]*(\S.*)$"
    r"|^(?:##[^\w\n]*(?:\d+[^\w\n]+)?status[^\w\n]*|status[ \t]*\n[-=]{3,}[ \t]*)\n+(.+)$"
    r"|^\|\s*\**status\**:?\**\s*\|\s*([^|\n]+)"
)
_DATE = re.compile(r"(?im)^(?:[-*]\s+)?\**date\**\s*:\**[ \t]*[\"']?(\d{4}-\d\d-\d\d)\b")
_DECISION = re.compile(r"(?ims)^##+\s+(?:decision(?: outcome)?|the decision)\s*$\n(.*?)(?=^##?\s|\Z)")
# A record as others name it: by a link, or by its number, with or without the rest of its name.
_TARGET = r"(?:\[[^\[\]\n]{0,300}\]\(([^)#\s]{1,300})[^)\n]{0,300}\)|(?:ADR[- ]?)?(\d[\w-]*))"
_NEWER = re.compile(rf"super[sc]eded[\W_]+by[\W_]{{0,20}}?{_TARGET}", re.I)
_OLDER = re.compile(rf"super[sc]edes\W{{0,20}}?{_TARGET}", re.I)
# A line that says nothing else: of a list, a section, a table or the frontmatter.
_LINE = re.compile(
    r"(?m)^[ \t>|*_+-]*(?:Super[sc]ede(?:s|d[ _-]by)\b|super[sc]ede(?:s|d[ _-]by)[ \t]*:)[*_:|\s\"']*[^\n]*$"
)
# The statuses of records that decide nothing yet, or never did.
_OPEN = (
    *("proposed", "proposal", "draft", "rejected", "declined", "withdrawn", "abandoned", "not accepted", "in review"),
    *("in discussion", "under discussion", "pending", "wip", "work in progress", "open", "under review", "deferred"),
    *("postponed", "on hold", "not approved", "cancelled", "canceled", "tbd", "to be decided", "rfc"),
)
# Those of records that decided something once.
_PAST = ("superseded", "deprecated", "obsolete", "replaced", "retired", "reverted", "outdated", "no longer")
_REPLACED = re.compile(r"\b(?:superseded|superceded|replaced|obsoleted) by\b", re.I)
# A record that was superseded in part decides the rest.
_PARTLY = re.compile(r"\bpart(?:s|ly|ially)?\b", re.I)
# What may surround the words of a status: list marks, emphasis, pictures, crossed out words.
_DRESS = re.compile(r"~~.*?~~|[*_`]+")
_LEADING = re.compile(r"^[^\w\[{<]+")
_BADGE = re.compile(r"!\[([^\[\]\n]*)\]\([^)\n]*\)")


@frozen
class DecisionRecord:
    """One decision record.

    Attributes:
        title: Its title, without its number; empty if it has none.
        line: The line of the title.
        status: Its status in one word or two; empty if it has none.
        date: Its date in ISO 8601 form; empty if it has none.
        superseded_by: The path of the record that supersedes it, if that was read as well and is in force or was.
        decision: The text of its decision; empty if there is no such section.
        is_open: Whether it decides nothing yet, or never did: a draft, a proposal, a rejected one.
        is_current: Whether it decides something today.
    """

    title: str
    line: int
    status: str
    date: str
    superseded_by: str
    decision: str
    is_open: bool
    is_current: bool


def is_record_path(path: str) -> bool:
    """Return whether a path is that of a decision record, by its folder and its name."""
    return is_record_folder(path) and is_record_name(path)


def is_record_folder(path: str) -> bool:
    """Return whether a path is that of a Markdown file in a folder of decision records."""
    return _FOLDERS.search(path) is not None


def is_record_name(path: str) -> bool:
    """Return whether a file in a folder of decision records can be one, by its name."""
    return posixpath.basename(path).lower() not in _OTHERS


def read_records(texts: Mapping[str, str]) -> dict[str, DecisionRecord]:
    """Return all decision records by path; templates are left out."""
    records = {path: decision for path, text in texts.items() if (decision := read_record(text)) is not None}
    newer: dict[str, str] = {}
    for path in records:
        for older, by in _relations(path, texts):
            if older in records and by in records and not records[older].is_open and not records[by].is_open:
                newer.setdefault(older, by)
    for older, by in newer.items():
        if newer.get(by) != older:
            records[older] = replace(records[older], status="superseded", superseded_by=by, is_current=False)
    return records


def read_record(text: str) -> DecisionRecord | None:
    """Return a record without its relations to others; None for a template."""
    plain = _without_comments(text)
    decision, front = _DECISION.search(text), _FRONTMATTER.match(plain)
    title = _TITLE.search(plain, front.end() if front else 0) or (_FIELD.search(front[0]) if front else None)
    status = _status(plain)
    if re.search(r"[{<|]", status):
        return None
    word = _word_of(status)
    is_open = word.startswith(_OPEN)
    return DecisionRecord(
        _title(title[1]) if title else "",
        plain.count("\n", 0, title.start()) + 1 if title else 1,
        word,
        _date(plain),
        "",
        decision[1].strip()[:DECISION_LIMIT].rstrip() if decision else "",
        is_open=is_open,
        is_current=not is_open
        and (_PARTLY.search(status) is not None or not (word.startswith(_PAST) or _REPLACED.search(status))),
    )


def _without_comments(text: str) -> str:
    """Return a text without HTML comments, with the same lines."""
    first, *others = text.split("<!--")
    parts = [first]
    for other in others:
        comment, end, rest = other.partition("-->")
        parts.append("\n" * comment.count("\n") + rest if end else f"<!--{other}")
    return "".join(parts)


def _title(text: str) -> str:
    words = text.strip().strip("\"'").split()
    closing = bool(words) and not words[-1].strip("#")
    return _NUMBER.sub("", " ".join(words[:-1] if closing else words), count=1) if words else ""


def read_status(text: str) -> str:
    """Return the status that a document states, without list marks, emphasis and pictures; empty if there is none."""
    return _status(_without_comments(text))


def _status(text: str) -> str:
    stated = _STATUS.search(text)
    status = next(filter(None, stated.groups()), "") if stated else ""
    return _clean(status[:_STATUS_LIMIT].strip().strip("\"'"))


def _clean(text: str) -> str:
    return " ".join(_LEADING.sub("", _DRESS.sub("", _BADGE.sub(r"\1", text))).split())


def _word_of(status: str) -> str:
    """Return the word or two that a status begins with, in lower case and the usual spelling."""
    parts = re.split(r"\bby\b|[,;.(\[]| on |\s[-–—#]|\s\d", status.lower(), maxsplit=1)
    return re.sub(r"^superceded", "superseded", parts[0].strip(" :-–—"))


def _date(text: str) -> str:
    match = _DATE.search(text)
    try:
        return format_day(parse_day(match[1])) if match else ""
    except FormatError:
        return ""


def _relations(path: str, texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the path of an older record and of the one that supersedes it, as the status and lines of one say."""
    plain = _without_comments(texts[path])
    status = _status(plain)
    for stated in ("" if _PARTLY.search(status) else status, *(line[0] for line in _LINE.finditer(plain))):
        for expression, is_newer in ((_NEWER, True), (_OLDER, False)):
            for link, name in expression.findall(stated):
                other = _find(path, link, name, texts)
                if other:
                    yield (path, other) if is_newer else (other, path)


def _find(path: str, link: str, name: str, texts: Mapping[str, str]) -> str:
    """Return the path of another record that one names by link, name or number; empty if there is none."""
    folder = posixpath.dirname(path)
    named = posixpath.normpath(posixpath.join(folder, link or f"{name}.md"))
    if named in texts or link:
        return named if named in texts and named != path else ""
    digits = re.match(r"0*(\d+)", name)
    number = re.compile(rf"(?:adr[-_ ]?)?0*{digits[1] if digits else name}(?!\d)", re.I)
    same = [text for text in texts if posixpath.dirname(text) == folder and number.match(posixpath.basename(text))]
    return same[0] if len(same) == 1 and same[0] != path else ""
