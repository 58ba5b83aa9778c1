"""What a document says of its own day, and not of the code as it is: closed work, decision records. Pure."""

from __future__ import annotations

import re

from gitmem.commands.adopt.documents import DECISION
from gitmem.commands.adopt.ignored import split_ignored, without_installed
from gitmem.commands.adopt.markup import plain_markup
from gitmem.document.decisions import read_record, read_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.ignored import IgnoredStatement
    from gitmem.commands.adopt.statements import Statement

# Folders and files about work to do: epics, stories, plans. Source: the folders of BMAD (stories, planning-artifacts,
# implementation-artifacts), OpenSpec (changes), spec-kit (specs) and Kiro (.kiro/specs).
_WORK = re.compile(
    r"(?:^|/)(?:epics?|(?:user-?)?stor(?:y|ies)|specs?|plans?|planning(?:-artifacts)?|implementation-artifacts|tickets?|"
    r"issues|rfcs?|proposals?|sprints?|milestones?|phases?|prds?|tasks|initiatives|iterations|roadmaps?|backlog|changes|"
    r"work-?items)/|(?:^|/)(?:epic|story|sprint|milestone|phase)[-_. ]?\d[^/]*$|\.story\.md$",
    re.I,
)
_CLOSED = (
    *("done", "closed", "complete", "finished", "shipped", "released", "implemented", "merged", "delivered"),
    *("resolved", "archived", "cancelled", "canceled", "abandoned", "rejected", "withdrawn", "superseded", "obsolete"),
)
_PARTLY = re.compile(r"\bpart(?:s|ly|ial|ially)?\b|(?<!\d)\d\d?\s*%|\b\d+\s*(?:/|of)\s*\d+\b", re.I)
_BOX = re.compile(r"^[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+\[([ xX])\][ \t]", re.M)
# One ticked box may be an example of a list.
_FEWEST_BOXES = 3
# The sections of a decision record that say what is decided, and sentences there that bind whoever works on it now.
_DECIDED = re.compile(
    r"\W*(?:\d+\W+)?(?:the )?(?:decisions?(?: outcome)?|rules?|polic(?:y|ies)|compliance|enforcement)\W*", re.I
)
_BINDING = re.compile(
    r"\b(?:must|never|always|shall|do not|don['’]t|may only|(?:is|are) (?:required|forbidden|not allowed))\b"
    r"|\b(?:we|the (?:project|code|repository|team)|all|every|each)\b[^.;:]{0,60}?"
    r"\b(?:uses?|go(?:es)? through|requires?)\b",
    re.I,
)


def split_current(document: Document, text: str) -> tuple[list[Statement], list[IgnoredStatement]]:
    """Return the statements of a document about the code as it is, and those that comments say to ignore.

    Of a decision record, only sentences that bind, in the decision of one that is in force: the rest describes the code
    of its day.
    """
    current, ignored = split_ignored(without_installed(plain_markup(document.path, text)))
    if document.kind != DECISION:
        return current, ignored
    record = read_record(text)
    return [statement for statement in current if _binds(statement)] if record and record.is_current else [], ignored


def _binds(statement: Statement) -> bool:
    is_decided = any(_DECIDED.fullmatch(heading) for heading in statement.section.split(" › "))
    return is_decided and _BINDING.search(statement.text) is not None


def is_closed(path: str, text: str) -> bool:
    """Return whether a document is about work that is over: by its status, or because all its boxes are ticked."""
    if not _WORK.search(path):
        return False
    status = read_status(text).lower()
    if status:
        return status.startswith(_CLOSED) and not _PARTLY.search(status)
    boxes = _BOX.findall(text)
    return len(boxes) >= _FEWEST_BOXES and " " not in boxes
