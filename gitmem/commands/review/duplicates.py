"""Find memories in a change that duplicate or contradict existing ones.

A pair is reported only if one of its memories is new or changed. Candidates share a rare word; the number of memories
per word is limited, so that a store full of similar texts takes no longer.
"""

from __future__ import annotations

import json

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.frozen import frozen
from gitmem.index.catalog.state import LIVE
from gitmem.text.similarity import near_pairs, text_to_compare, wording_of
from gitmem.write.contradictions import find_opposed, find_opposed_checks
from gitmem.write.duplicates import EVENTS, NewText, find_duplicate, have_different_checks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog

# The most changed memories that are looked up one by one (2 ms each, measured); for more, the whole store is read at
# once.
FEW = 40
# The most words of pairs compared for near duplicates: about 5 s (measured: 1.5 million per second). Only texts written
# to exhaust it need more.
MOST_COMPARED = 8_000_000
# The most pairs of one rule that are shown; the others are counted.
PAIRS_SHOWN = 100
# The number of pairs of one rule after which to stop: a change with so many was made to have them.
MOST_TOLD = 5_000


@frozen
class LiveMemory:
    """One live memory after the change."""

    key: str
    title: str
    path: str
    kind: str
    body: str
    fields: Mapping[str, Any]


def compare(catalog: Catalog, changed: set[str], *, threshold: float) -> list[f.ReviewFinding]:
    """Return near duplicates and contradictions among the live memories of a catalog.

    *changed* are the keys of new and reworded memories; a *threshold* of 0 looks for no near duplicates.
    """
    if not changed:
        return []
    findings = [*_duplicates(catalog, changed, threshold)] if threshold else []
    same = {frozenset((finding.key, _other_key(finding))) for finding in findings}
    findings += [
        contradiction
        for contradiction in _contradictions(catalog, changed)
        if frozenset((contradiction.key, _other_key(contradiction))) not in same
    ]
    findings += _opposed_checks(catalog, changed)
    return _limit_pairs(findings)


def _other_key(finding: f.ReviewFinding) -> str:
    """Return the other memory, which a finding names first."""
    return finding.message.split(" ", 1)[0]


def _limit_pairs(findings: Sequence[f.ReviewFinding]) -> list[f.ReviewFinding]:
    limited = []
    for code in ("opposed-checks", "contradiction", "near-duplicate"):
        those = [finding for finding in findings if finding.code == code]
        limited += those[:PAIRS_SHOWN]
        if len(those) > PAIRS_SHOWN:
            limited.append(f.ReviewFinding(those[0].severity, code, f"and {len(those) - PAIRS_SHOWN} more pairs"))
    return limited


def _read_rows(catalog: Catalog, among: str = "", values: Sequence[object] = ()) -> list[LiveMemory]:
    rows = catalog.rows(
        "SELECT m.key, m.title, m.path, m.kind, t.body, t.fields FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {LIVE} AND m.kind NOT IN ({', '.join('?' * len(EVENTS))}) {among} ORDER BY m.key",
        (*EVENTS, *values),
    )
    return [
        LiveMemory(key, title, path, kind, body, json.loads(fields)) for key, title, path, kind, body, fields in rows
    ]


def _duplicates(catalog: Catalog, changed: set[str], threshold: float) -> Iterator[f.ReviewFinding]:
    """Yield each changed memory with another one that says the same."""
    if len(changed) <= FEW:
        seen = set[str]()
        for row in _read_rows(catalog, f"AND m.key IN ({', '.join('?' * len(changed))})", sorted(changed)):
            near = find_duplicate(catalog, NewText(row.title, row.body, row.fields), threshold, apart=(row.key, *seen))
            if near is not None and near.is_live and not _replaces(row.fields, near.key, near.fields, row.key):
                seen.add(row.key)
                yield _duplicate(row.key, row.path, near.key, near.title, near.likeness)
        return
    rows = _read_rows(catalog)
    wordings = [wording_of(text_to_compare(row.title, row.body), catalog.language) for row in rows]
    for first, second, like in near_pairs(wordings, threshold, most=MOST_COMPARED):
        one, other = rows[first], rows[second]
        if one.key not in changed:
            one, other = other, one
        is_apart = have_different_checks(one.fields, other.fields)
        if one.key in changed and not is_apart and not _replaces(one.fields, other.key, other.fields, one.key):
            yield _duplicate(one.key, one.path, other.key, other.title, like)


def _replaces(mine: Mapping[str, Any], other_key: str, others: Mapping[str, Any], key: str) -> bool:
    """Return whether one of two memories claims to supersede the other."""
    return other_key in (mine.get("supersedes") or ()) or key in (others.get("supersedes") or ())


def _duplicate(key: str, path: str, other: str, title: str, like: float) -> f.ReviewFinding:
    message = (
        f"{other} says nearly the same thing ({like:.2f}): {title}"
        if like < 1
        else f"{other} says the same thing: {title}"
    )
    hint = f"keep one: gitmem supersede {other} {key}, or remove it from the change"
    return f.ReviewFinding(f.WARNING, "near-duplicate", sanitize.line(message), key, path, hint=hint)


def _contradictions(catalog: Catalog, changed: set[str]) -> Iterator[f.ReviewFinding]:
    """Yield each changed memory whose title contradicts another's."""
    for one, other, why in find_opposed(catalog, changed, at_most=MOST_TOLD):
        message = sanitize.line(f"{other.key} contradicts it ({why}): {other.title}")
        hint = f"if this one is right: gitmem supersede {other.key} {one.key}"
        yield f.ReviewFinding(f.WARNING, "contradiction", message, one.key, one.path, hint=hint)


def _opposed_checks(catalog: Catalog, changed: set[str]) -> Iterator[f.ReviewFinding]:
    """Yield facts whose built-in checks can never both pass."""
    for one, other, why in find_opposed_checks(catalog, changed):
        message = sanitize.line(f"{other.key} can never hold at the same time: {why}")
        hint = "one of the two always fails; remove it"
        yield f.ReviewFinding(f.ERROR, "opposed-checks", message, one.key, one.path, hint=hint)
