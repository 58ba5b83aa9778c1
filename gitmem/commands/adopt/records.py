"""Decision records (ADRs): title, status, date, decision, and which record supersedes which. Pure.

Sources: Nygard, Documenting architecture decisions (2011), whose records have a section *Status*; MADR 4.0, which has
``status`` and ``date`` in the front matter, and as a list in its earlier versions.
"""

from __future__ import annotations

import posixpath
import re
from datetime import date

from gitmem.frozen import frozen, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# The most characters stored of a decision: the record itself has the rest.
DECISION_LIMIT = 2000
_TITLE = re.compile(r"(?m)^#\s+(.+?)\s*#*$")
_STATUS = re.compile(
    r"(?im)^(?:[-*]\s+)?\**status\**\s*:\**[ \t]*[\"']?(.+?)[\"']?\s*$"
    r"|^##+\s+status\s*\n+(.+)$|^\|\s*\**status\**:?\**\s*\|\s*(.+?)\s*(?:\||$)"
)
_DATE = re.compile(r"(?im)^(?:[-*]\s+)?\**date\**\s*:\**[ \t]*[\"']?(\d{4}-\d\d-\d\d)\b")
_DECISION = re.compile(r"(?ims)^##+\s+(?:decision(?: outcome)?|the decision)\s*$\n(.*?)(?=^##?\s|\Z)")
_SUPERSEDED = re.compile(r"super[sc]eded\W+by\s+(?:\[[^\]]*\]\(([^)#\s]+)[^)]*\)|(?:ADR[- ]?)?0*(\d+))", re.I)
# The statuses of records that decide nothing yet, or never did.
_OPEN = (
    *("proposed", "proposal", "draft", "rejected", "declined", "withdrawn", "abandoned", "not accepted", "in review"),
    *("in discussion", "under discussion", "pending", "wip", "work in progress", "open"),
)
# Those of records that decided something once.
_PAST = ("superseded", "deprecated", "obsolete", "replaced")
# What may stand around the words of a status: list marks, emphasis, pictures.
_DRESS = re.compile(r"^[^\w\[{<]+|[*_`]+")


@frozen
class DecisionRecord:
    """One decision record.

    Attributes:
        title: Its title, without its number.
        line: The line of the title.
        status: Its status in one word or two; empty if it has none.
        date: Its date in ISO 8601 form; empty if it has none.
        superseded_by: The path of the record that supersedes it, if that was read as well.
        decision: The text of its decision; empty if there is no such section.
    """

    title: str
    line: int
    status: str
    date: str
    superseded_by: str
    decision: str


def read_records(texts: Mapping[str, str]) -> dict[str, DecisionRecord]:
    """Return the records with a decision, by path; templates, drafts and rejected ones are left out."""
    found = {}
    for path, text in texts.items():
        title = _TITLE.search(text)
        stated = _STATUS.search(text)
        status = clean_status(next(filter(None, stated.groups()), "")) if stated else ""
        if title is None or status.lower().startswith(_OPEN) or re.search(r"[{<|]", status):
            continue
        decision = _DECISION.search(text)
        found[path] = DecisionRecord(
            re.sub(r"^(?:ADR[- ]?)?\d+\s*[.:)–-]\s*", "", title[1], flags=re.I),
            text.count("\n", 0, title.start()) + 1,
            word_of(status),
            _date(text),
            _newer(path, status, texts),
            decision[1].strip()[:DECISION_LIMIT].rstrip() if decision else "",
        )
    known = {path: one if one.superseded_by in found else replace(one, superseded_by="") for path, one in found.items()}
    return {path: one for path, one in known.items() if one.superseded_by or not one.status.startswith(_PAST)}


def clean_status(text: str) -> str:
    """Return a status without list marks, emphasis and pictures, on one line."""
    return " ".join(_DRESS.sub("", text).split())


def word_of(status: str) -> str:
    """Return the word or two that a status begins with, in small letters and the usual spelling."""
    word = re.split(r"[\s,;.(]*\bby\b|[,;.(\[]| on ", status.lower(), maxsplit=1)[0].strip(" :-–—")
    return re.sub(r"^superceded", "superseded", word)


def _date(text: str) -> str:
    found = _DATE.search(text)
    try:
        return date.fromisoformat(found[1]).isoformat() if found else ""
    except ValueError:
        return ""


def _newer(path: str, status: str, texts: Mapping[str, str]) -> str:
    """Return the path of the record that a status names, by link or number."""
    found = _SUPERSEDED.search(status)
    if found is None:
        return ""
    folder = posixpath.dirname(path)
    if found[1]:
        named = posixpath.normpath(posixpath.join(folder, found[1]))
        return named if named in texts and named != path else ""
    number = re.compile(rf"(?:adr-?)?0*{found[2]}\b", re.I)
    same = [one for one in texts if posixpath.dirname(one) == folder and number.match(posixpath.basename(one))]
    return same[0] if len(same) == 1 and same[0] != path else ""
