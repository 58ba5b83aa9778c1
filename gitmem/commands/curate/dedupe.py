"""Find near duplicates in a whole store, and supersede them in one commit on request.

A group has one memory that is kept and those at least as similar to it as the policy's threshold; the groups are
disjoint.
"""

from __future__ import annotations

import json

from gitmem.frozen import frozen
from gitmem.index.catalog.state import statuses_of, suspects
from gitmem.model import VERIFIED
from gitmem.text.similarity import near_pairs, text_to_compare, wording_of
from gitmem.write.draft import check_file, with_fields
from gitmem.write.duplicates import EVENTS, have_different_checks
from gitmem.write.place import PlannedFiles, before_of, find_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.repository.open_store import OpenStore
    from gitmem.store.commit import CommitPlan

_TEXTS = (
    "SELECT m.id, m.key, m.kind, m.title, t.body, t.fields, m.agent, m.updated, m.oid FROM memory m"
    " JOIN text t ON t.id = m.id WHERE m.shadowed = 0 AND m.archived = 0 AND m.superseded = 0"
    f" AND m.kind NOT IN ({', '.join('?' * len(EVENTS))}) ORDER BY m.id"
)


@frozen
class Member:
    """One memory of a group, or one side of a contradiction.

    Attributes:
        key, kind, title: Of the memory.
        status: The status of its check; empty without one.
        oid: The blob of its file, which must be unchanged when it is superseded.
        likeness: Its similarity to the kept one; 1 for that one itself.
    """

    key: str
    kind: str
    title: str
    status: str
    oid: str
    likeness: float = 1.0


@frozen
class DuplicateGroup:
    """Memories that say the same.

    Attributes:
        kept: The one that stays.
        why: Why that one was chosen.
        others: Those that it replaces, most similar first.
    """

    kept: Member
    why: str
    others: tuple[Member, ...]


@frozen
class DuplicateReport:
    """The near duplicates in a store.

    Attributes:
        groups: The groups, most similar first.
        compared: The number of compared memories.
        commit: The commit that superseded them; empty if nothing was written.
        changed: The keys of groups that were skipped, since one of their memories changed meanwhile.
    """

    groups: tuple[DuplicateGroup, ...]
    compared: int
    commit: str = ""
    changed: tuple[str, ...] = ()


@frozen
class _Row:
    number: int
    key: str
    kind: str
    title: str
    body: str
    fields: Mapping[str, Any]
    agent: str
    updated: int
    oid: str


def find_groups(
    store: OpenStore, *, threshold: float = 0.0, progress: Callable[[int, int], None] | None = None
) -> DuplicateReport:
    """Return the groups of near duplicates in a store; reads only.

    Args:
        store: The store.
        threshold: The lowest similarity, above 0 and at most 1; 0 = the policy's, or 0.85 if that is off.
        progress: Called with the number of compared memories and the total.
    """
    catalog = store.catalog_at(store.find_tip())
    rows = [
        _Row(number, key, kind, title, body, json.loads(fields), agent, updated, oid)
        for number, key, kind, title, body, fields, agent, updated, oid in catalog.rows(_TEXTS, EVENTS)
    ]
    wordings = [wording_of(text_to_compare(row.title, row.body), catalog.language) for row in rows]
    threshold = threshold or store.policy().duplicates.threshold or 0.85
    near: dict[int, dict[int, float]] = {}
    for first, second, like in near_pairs(wordings, threshold, progress=progress):
        near.setdefault(first, {})[second] = like
        near.setdefault(second, {})[first] = like
    groups = _group(store, catalog, rows, near) if near else []
    groups.sort(key=lambda group: (-group.others[0].likeness, group.kept.key))
    return DuplicateReport(tuple(groups), len(rows))


def _group(
    store: OpenStore, catalog: Catalog, rows: Sequence[_Row], near: Mapping[int, Mapping[int, float]]
) -> list[DuplicateGroup]:
    ground = store.ground(catalog)
    statuses = statuses_of(
        catalog, ground, [rows[at].number for at in near], now=store.now, chains=suspects(catalog, ground)
    )
    reads = store.local.accesses(rows[at].key for at in near)
    needed = {row[0] for row in catalog.rows("SELECT DISTINCT target FROM link WHERE relation = 'requires'")}

    def worth(at: int) -> tuple[Any, ...]:
        row = rows[at]
        status = statuses[row.number].status
        return (
            status == VERIFIED,
            row.key in needed,
            "verify" in row.fields,
            not row.agent,
            reads.get(row.key, (0, 0))[0],
            row.updated,
        )

    best = sorted(near, key=lambda at: (worth(at), rows[at].key), reverse=True)
    left, groups = set(near), list[DuplicateGroup]()
    for at in best:
        if at not in left:
            continue
        left.discard(at)
        alike = ((other, like) for other, like in near[at].items() if other in left)
        others = {other: like for other, like in alike if _may_go(rows[other], rows[at], needed)}
        if not others:
            continue
        left -= set(others)
        members = {
            number: Member(row.key, row.kind, row.title, statuses[row.number].status, row.oid, others.get(number, 1.0))
            for number in (at, *others)
            for row in (rows[number],)
        }
        order = sorted(others, key=lambda number: (-others[number], rows[number].key))
        why = _why(worth(at), max(worth(other) for other in others))
        groups.append(DuplicateGroup(members[at], why, tuple(members[number] for number in order)))
    return groups


def _may_go(loser: _Row, keeper: _Row, needed: set[str]) -> bool:
    """Return whether one memory may be superseded by another: it has no dependents and no check of its own."""
    if loser.key in needed or have_different_checks(loser.fields, keeper.fields):
        return False
    return loser.fields.get("verify") is None or keeper.fields.get("verify") is not None


_REASONS = (
    "its check holds",
    "others require it",
    "it has a check",
    "a person wrote it",
    "it is read most often",
    "it is the newest",
)


def _why(mine: Sequence[Any], others: Sequence[Any]) -> str:
    """Return the first reason for which one memory was preferred."""
    return next((reason for reason, a, b in zip(_REASONS, mine, others, strict=True) if a > b), "its key sorts last")


def apply_groups(store: OpenStore, report: DuplicateReport, *, what: str = "near duplicate") -> DuplicateReport:
    """Supersede each group's others with the kept one, all in one commit; write nothing if one is refused.

    A group with a memory that has changed since is skipped.

    Raises:
        GitmemError: It cannot be written.
    """
    writer, policy = store.writer(), store.policy()
    groups: list[DuplicateGroup] = []

    def plan(tip: str | None) -> CommitPlan | None:
        catalog, files = writer.catalog_at(tip), dict[str, str]()
        groups[:] = [group for group in report.groups if _is_unchanged(catalog, group)]
        for group in groups:
            known = find_known(catalog, group.kept.key)
            assert known is not None, "it is unchanged"
            before, text = before_of(catalog, known), writer.text_of(catalog, known)
            listed = before.get("supersedes") or []
            listed = [listed] if isinstance(listed, str) else listed
            new = with_fields(text, {"supersedes": [*listed, *(member.key for member in group.others)]}, known.path)
            document = check_file(known.key, new, policy=policy, path=known.path)
            files |= {known.path: new, **writer.relink(catalog, document, before, known=known)}
        count = sum(len(group.others) for group in groups)
        subject = f"memory: supersede {count} {what}{'' if count == 1 else 's'}"
        keys = [group.kept.key for group in groups][:100]
        return writer.plan(subject, keys, PlannedFiles(files)) if groups else None

    written = writer.write(plan, "curate dedupe")
    left = tuple(group.kept.key for group in report.groups if group not in groups)
    return DuplicateReport(tuple(groups), report.compared, written.commit if written else "", left)


def _is_unchanged(catalog: Catalog, group: DuplicateGroup) -> bool:
    keys = {member.key: member.oid for member in (group.kept, *group.others)}
    rows = catalog.each(
        "SELECT key, oid FROM memory WHERE shadowed = 0 AND archived = 0 AND superseded = 0 AND key IN ({})", keys
    )
    return dict(rows) == keys
