"""Find memories in a change that duplicate or contradict existing ones.

Only pairs of which one memory is new or changed are told of. What is compared shares a rare word, and no more than so
many share one, so that a store of one template's memories takes no longer than another.
"""

from __future__ import annotations

import json

from gitmem.commands.review import model as f
from gitmem.commands.review import sanitize
from gitmem.commands.review.contradictions import opposed_checks, said_of, why_opposed
from gitmem.document.builtin_checks import CHECKS, globs_of, row_of
from gitmem.frozen import frozen
from gitmem.index.catalog.state import LIVE
from gitmem.model import BUILTIN, Check
from gitmem.text.near_pairs import MOST_IN_A_BUCKET, near_pairs
from gitmem.text.similarity import claim_of, claim_text
from gitmem.write.duplicates import EVENTS, find_duplicate, have_different_checks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.commands.review.contradictions import Statement
    from gitmem.index.catalog.catalog import Catalog

# So many changed memories are looked up one by one (2 ms each, measured); for more, the whole store is read at once.
FEW = 40
# Live memories whose titles are compared: some 3 s (measured). What a larger store says is not all compared.
MOST_TITLES = 60_000
# Words of pairs that are compared for near duplicates: some 5 s (measured: 1.5 million a second). Only texts that were
# made to be compared with each other need more.
MOST_COMPARED = 8_000_000
# Pairs of one rule that are told; the others are counted.
NAMED = 100
# Pairs of one rule after which no more are looked for: what has as many was made to have them.
MOST_TOLD = 5_000


@frozen
class LiveMemory:
    """One live memory of the state behind the change."""

    key: str
    title: str
    path: str
    kind: str
    body: str
    fields: Mapping[str, Any]


def compare(catalog: Catalog, changed: set[str], *, threshold: float) -> list[f.ReviewFinding]:
    """Return near duplicates and contradictions among the live memories of a catalog.

    Args:
        catalog: The catalog of the state behind the change.
        changed: Keys of the memories that are new or say something else than before.
        threshold: From how much likeness on two say the same; 0 = that is not asked.
    """
    if not changed:
        return []
    found = [*_duplicates(catalog, changed, threshold)] if threshold else []
    same = {frozenset((one.key, _named(one))) for one in found}
    found += [one for one in _contradictions(catalog, changed) if frozenset((one.key, _named(one))) not in same]
    found += _opposed_checks(catalog, changed)
    return _few(found)


def _named(finding: f.ReviewFinding) -> str:
    """Return the other memory that a finding names first."""
    return finding.message.split(" ", 1)[0]


def _few(found: Sequence[f.ReviewFinding]) -> list[f.ReviewFinding]:
    kept = []
    for code in ("opposed-checks", "contradiction", "near-duplicate"):
        those = [one for one in found if one.code == code]
        kept += those[:NAMED]
        if len(those) > NAMED:
            kept.append(f.ReviewFinding(those[0].severity, code, f"and {len(those) - NAMED} more pairs"))
    return kept


def _rows(catalog: Catalog, among: str = "", values: Sequence[object] = ()) -> list[LiveMemory]:
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
        for row in _rows(catalog, f"AND m.key IN ({', '.join('?' * len(changed))})", sorted(changed)):
            near = find_duplicate(
                catalog, row.title, row.body, threshold=threshold, fields=row.fields, apart=(row.key, *seen)
            )
            if near is not None and near.is_live and not _replaces(row.fields, near.key, near.fields, row.key):
                seen.add(row.key)
                yield _duplicate(row.key, row.path, near.key, near.title, near.likeness)
        return
    rows = _rows(catalog)
    claims = [claim_of(claim_text(row.title, row.body), catalog.language) for row in rows]
    for first, second, like in near_pairs(claims, threshold, most=MOST_COMPARED):
        one, other = rows[first], rows[second]
        if one.key not in changed:
            one, other = other, one
        is_apart = have_different_checks(one.fields, other.fields)
        if one.key in changed and not is_apart and not _replaces(one.fields, other.key, other.fields, one.key):
            yield _duplicate(one.key, one.path, other.key, other.title, like)


def _replaces(mine: Mapping[str, Any], other_key: str, others: Mapping[str, Any], key: str) -> bool:
    """Return whether one of two memories says that it replaces the other."""
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
    """Yield each changed memory whose title speaks against another one's."""
    rows = catalog.rows(
        f"SELECT m.key, m.title, m.path FROM memory m WHERE {LIVE} AND m.kind NOT IN"
        f" ({', '.join('?' * len(EVENTS))}) ORDER BY m.updated DESC, m.key LIMIT ?",
        (*EVENTS, MOST_TITLES),
    )
    said = {key: said_of(title, catalog.language) for key, title, _ in rows}
    buckets: dict[str, list[str]] = {}
    frequency = _frequency(said)
    for key, _, _ in rows:
        for word in _distinctive(said[key], frequency):
            held = buckets.setdefault(word, [])
            if len(held) < MOST_IN_A_BUCKET:
                held.append(key)
    places = {key: (title, path) for key, title, path in rows}
    seen = set[frozenset[str]]()
    for key in sorted(changed & said.keys()):
        near = {other for word in _distinctive(said[key], frequency) for other in buckets[word]}
        for other in sorted(near - {key}):
            pair = frozenset((key, other))
            why = "" if pair in seen or len(seen) > MOST_TOLD else why_opposed(said[key], said[other])
            if why:
                seen.add(pair)
                message = sanitize.line(f"{other} contradicts it ({why}): {places[other][0]}")
                hint = f"if this one is right: gitmem supersede {other} {key}"
                yield f.ReviewFinding(f.WARNING, "contradiction", message, key, places[key][1], hint=hint)


def _frequency(said: Mapping[str, Statement]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in said.values():
        for word in one.claim.counts:
            found[word] = found.get(word, 0) + 1
    return found


def _distinctive(said: Statement, frequency: Mapping[str, int]) -> list[str]:
    """Return the rarest words of a title, of which two opposed ones share one: they differ in two at most."""
    return sorted(said.claim.counts, key=lambda word: (frequency[word], word))[:3]


def _opposed_checks(catalog: Catalog, changed: set[str]) -> Iterator[f.ReviewFinding]:
    """Yield facts whose built-in checks can never both hold."""
    rows = catalog.rows(
        "SELECT m.key, m.title, m.path, f.words FROM fact f JOIN memory m ON m.id = f.id WHERE f.form = 'builtin' AND"
        f" m.kind NOT IN ({', '.join('?' * len(EVENTS))}) AND {LIVE} ORDER BY m.key",
        EVENTS,
    )
    checks = {key: (title, path, Check(BUILTIN, tuple(json.loads(words)))) for key, title, path, words in rows}
    by_target: dict[tuple[str, str], list[str]] = {}
    for key, (_, _, check) in checks.items():
        by_target.setdefault(_target(check), []).append(key)
    seen = set[frozenset[str]]()
    for key in sorted(changed & checks.keys()):
        _, path, check = checks[key]
        for other in by_target[_target(check)][:MOST_IN_A_BUCKET]:
            pair = frozenset((key, other))
            why = "" if pair in seen or other == key else opposed_checks(check, checks[other][2])
            if why:
                seen.add(pair)
                message = sanitize.line(f"{other} can never hold at the same time: {why}")
                yield f.ReviewFinding(
                    f.ERROR, "opposed-checks", message, key, path, hint="one of the two always fails; remove it"
                )


def _target(check: Check) -> tuple[str, str]:
    """Return what two opposed checks have in common: the path, or the text that is looked for."""
    row = row_of(check)
    is_about_text = row.is_about_any and (row.denies or any(one.denies == row.name for one in CHECKS.values()))
    return ("text", check.words[1]) if is_about_text else ("path", " ".join(globs_of(check.words)))
