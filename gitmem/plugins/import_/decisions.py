"""Markdown files that are decision records: their status, date, and which supersedes which. Pure.

A record that is not in force is archived, or superseded by another imported one: it is never shown as current.
"""

from __future__ import annotations

from gitmem.document.decisions import TEMPLATE, is_record_folder, is_record_name, read_records
from gitmem.document.parse import unify
from gitmem.frozen import frozen, replace
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.write.archive import NOT_IN_FORCE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.document.decisions import DecisionRecord

DECISION = "decision"


@frozen
class DecisionRecords:
    """The decision records of an import.

    Attributes:
        records: The records by path; templates are not among them.
        keys: The keys of their memories by path.
        templates: The paths of templates.
    """

    records: Mapping[str, DecisionRecord]
    keys: Mapping[str, str]
    templates: frozenset[str]


NO_DECISIONS = DecisionRecords({}, {}, frozenset())


def is_decision(path: str, kind: str) -> bool:
    """Return whether a file is a decision record or their template, by its path and the kind that the user gave."""
    path = path.lower()
    is_inside = is_record_folder(path) or path.rpartition("/")[0].endswith("/decisions")
    return (is_record_name(path) or path.endswith(f"/{TEMPLATE}")) and (kind == DECISION or is_inside)


def decisions_of(texts: Mapping[str, str], keys: Mapping[str, str]) -> DecisionRecords:
    """Return the decision records among files.

    Args:
        texts: The texts of files for which ``is_decision`` is true, by path.
        keys: Their keys by path.
    """
    plain = {path: unify(text.removeprefix("\ufeff")) for path, text in texts.items() if is_record_name(path)}
    records = read_records(plain)
    return DecisionRecords(records, keys, frozenset(texts) - set(records))


def with_status(found: ImportRecord | Unreadable, path: str, decisions: DecisionRecords) -> ImportRecord | Unreadable:
    """Return the memory of a file with what its decision record says; any other unchanged."""
    if path in decisions.templates:
        return Unreadable(found.where, "it is a template of decision records", is_skipped=True)
    record = decisions.records.get(path)
    if record is None or isinstance(found, Unreadable) or found.text:
        return found
    older = [decisions.keys[other] for other, one in decisions.records.items() if one.superseded_by == path]
    fields: dict[str, Any] = dict(found.fields)
    fields |= {"status": record.status} if record.status else {}
    fields |= {"supersedes": older} if older else {}
    fields |= {"superseded_by": decisions.keys[record.superseded_by]} if record.superseded_by else {}
    if record.date and "created" not in fields:
        fields["created"] = f"{record.date}T00:00:00Z"
    is_archived = not (record.is_current or record.superseded_by)
    return replace(found, fields=fields, archived=is_archived, why=NOT_IN_FORCE if is_archived else "")
