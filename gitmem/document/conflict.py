"""The field ``conflict``: two people's conflicting changes, which a person must resolve. Pure.

It is a list of ``{field: title, other: the other version, by: who wrote it}``; for the body, which contains both
versions, ``{field: body, by: [ana, bob]}``. Anyone can write anything there, so it is read defensively.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

CONFLICT = "conflict"


def entries_of(fields: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the conflicts in a memory, in order; entries that do not name a field are left out."""
    listed = fields.get(CONFLICT)
    entries = listed if isinstance(listed, list) else [listed]
    return [entry for entry in entries if isinstance(entry, dict) and isinstance(entry.get("field"), str)]


def without(fields: Mapping[str, Any], settled: Collection[str]) -> list[dict[str, Any]]:
    """Return the conflicts that remain after a decision about some fields."""
    return [entry for entry in entries_of(fields) if entry["field"] not in settled]


def summary(fields: Mapping[str, Any]) -> str:
    """Return the conflicts as one line for people; empty if there are none."""
    return "; ".join(_describe(entry) for entry in entries_of(fields))


def _describe(entry: Mapping[str, Any]) -> str:
    by = entry.get("by")
    who = " and ".join(map(str, by)) if isinstance(by, list) else str(by or "somebody")
    if entry["field"] == "body":
        return f"the text holds two versions (by {who})"
    if entry["field"] == "retired":
        return f"it was retired and changed at the same time (by {who})"
    if "other" not in entry:
        return f"{who} also changed {entry['field']}: see the history"
    return f"{entry['field']} in {who}'s version: {entry['other']}"
