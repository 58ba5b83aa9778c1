"""Judge whether files and folders exist, and did when the line was written."""

from __future__ import annotations

import posixpath
import re

from gitmem.commands.adopt.claims.claim import is_denied, is_example, is_log
from gitmem.commands.adopt.findings import FALSE, HOLDS, NEVER, Finding, Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.adopt.claims.claim import Claim
    from gitmem.commands.adopt.code import Code
    from gitmem.commands.adopt.documents import Document
    from gitmem.commands.adopt.past import Past
    from gitmem.commands.adopt.statements import Statement


def judge_path(claim: Claim, statement: Statement, document: Document, head: Code, past: Past) -> Finding | None:
    """Judge the claim that a path exists; None if it turns out not to be a claim."""
    is_plain = "/" not in claim.name and not claim.token.endswith("/")
    there = next((place for place in claim.places if head.has(place)), "")
    if there and (claim.places[0] == there or not claim.is_certain or is_plain):
        return _holds(claim, statement, document, there)
    near = [] if there else _near(head, claim.name, document)
    if not claim.is_certain and not there:
        # A word that only looks like a name counts if there is such a file.
        if near and (len(near) == 1 or "/" in claim.name or claim.tool == "tree"):
            return _holds(claim, statement, document, near[0])
        if not re.search(r"[/.]", claim.name) or claim.tool == "tree":
            return None
    if near and is_plain:
        return _holds(claim, statement, document, near[0])
    if there and not document.folder:
        return _holds(claim, statement, document, there)
    return _judge_missing(
        claim, statement, document, past, head=head, other=there or next(iter(near), ""), is_there=bool(there)
    )


def _judge_missing(
    claim: Claim, statement: Statement, document: Document, past: Past, *, head: Code, other: str, is_there: bool
) -> Finding | None:
    """Judge a path that is not exactly there.

    Args:
        claim: The claim.
        statement: Its statement.
        document: The document.
        past: The past of the code.
        head: The code.
        other: What it may mean instead; empty if nothing.
        is_there: Whether that is one of its own places.
    """
    wrote, named = past.writer(document.path, claim.line)
    then = past.code(wrote) if wrote else None
    gone = _find_lost_path(claim, document, named, then, head, is_alone=is_there or not other)
    if other and not gone:
        return _holds(claim, statement, document, other)
    if any(head.is_ignored(place) for place in (*claim.places, *([gone] if gone else []))):
        return None
    text = statement.text
    if is_denied(text, claim.token) or is_log(statement.section, text):
        return None
    if gone:
        return Finding(
            document, statement, claim, FALSE, Source(gone), held=True, wrote=wrote, then=gone, check={"exists": gone}
        )
    if not claim.is_certain or (is_example(text) and claim.tool != "tree"):
        return None
    held = False if then is not None else None
    where = claim.places[0] if claim.places else claim.name
    return Finding(document, statement, claim, NEVER, Source(where), held=held, wrote=wrote)


def _holds(claim: Claim, statement: Statement, document: Document, there: str) -> Finding:
    return Finding(document, statement, claim, HOLDS, Source(there), check={"exists": there})


def _near(head: Code, name: str, document: Document) -> list[str]:
    """Return the paths that end with a name, those below the document's folder first."""
    found = head.list_ending_with(name) if name and not name.startswith("..") else []
    below = [path for path in found if document.folder and path.startswith(f"{document.folder}/")]
    return below or found


def _find_lost_path(
    claim: Claim, document: Document, named: str, then: Code | None, head: Code, *, is_alone: bool
) -> str:
    """Return the path that the claim meant when its line was written, if it existed then and does not now."""
    if then is None:
        return ""
    old = posixpath.dirname(named)
    moved = [posixpath.normpath(posixpath.join(old, claim.name))] if old != posixpath.dirname(document.path) else []
    for place in (*moved, *claim.places):
        if then.has(place):
            return place if not head.has(place) else ""
    if is_alone and "/" not in claim.name and claim.is_certain and claim.tool != "tree":
        were = then.list_ending_with(claim.name)
        return were[0] if len(were) == 1 and not head.has(were[0]) else ""
    return ""
