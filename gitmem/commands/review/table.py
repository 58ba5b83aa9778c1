"""A review as the documented JSON."""

from __future__ import annotations

from gitmem.frozen import fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.commands.review.model import MemoryChange, Review, WordRun


def as_table(review: Review) -> dict[str, Any]:
    """Return the JSON values (docs/review.md documents the fields)."""
    return {
        "base": review.base,
        "head": review.head,
        "from": review.asked[0],
        "to": review.asked[1],
        "code": review.code,
        "commits": review.commits,
        "authors": [{"author": author, "commits": number} for author, number in review.authors],
        "summary": review.summary,
        "findings": [fields_of(finding) for finding in review.findings],
        "statuses": [fields_of(shift) | {"chain": list(shift.chain)} for shift in review.shifts],
        "changes": [_change(change) for change in review.changes],
        "settings": [fields_of(setting) for setting in review.settings],
        "verdicts": dict(zip(("added", "changed", "removed"), review.verdicts, strict=True)),
        "notes": list(review.notes),
        "fail_on": review.fail_on,
    }


def _change(change: MemoryChange) -> dict[str, Any]:
    table = fields_of(change)
    table["words"], table["body"] = _pieces(change.words), _pieces(change.body)
    table["fields"] = [fields_of(field) for field in change.fields]
    if change.command is not None:
        table["command"] = fields_of(change.command) | {"asks": list(change.command.asks)}
    return table


def _pieces(pieces: tuple[WordRun, ...]) -> list[list[str]]:
    return [[piece.op, piece.text] for piece in pieces]
