"""Memories that have aged: to decay, expired, or to be archived. First a plan, then a commit.

Memories that are proved, worked on, critical or required by others are left alone, and so are kinds that hold until
someone changes them. Read counts are local: two clones may propose different things, and a person decides.
"""

from __future__ import annotations

from gitmem.document.times import format_time
from gitmem.errors import RefusedError
from gitmem.frozen import frozen
from gitmem.index.catalog.state import LIVE
from gitmem.policy.settings import DAY_S
from gitmem.write import archive
from gitmem.write.draft import check_file, with_fields
from gitmem.write.place import KnownMemory, PlannedFiles
from gitmem.write.writer import KEYS_NAMED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.repository.open_store import OpenStore
    from gitmem.store.commit import CommitPlan

DECAY, EXPIRED, ARCHIVE = "decay", "expired", "archive"
# Days without a read or a change after which confidence is halved: the half-life of lasting kinds (`policy.settings`).
DECAY_DAYS = 180
# Days after which a superseded or faded memory is archived: a season of work (our choice).
ARCHIVE_DAYS = 90
# The confidence at which a memory counts as faded: two halvings of a certain one.
FADED = 0.25


@frozen
class CurationStep:
    """A proposal for one memory.

    Attributes:
        key, kind, title: Of the memory.
        why: The reason, for people.
        oid: The blob of its file, which must be unchanged when the proposal is applied.
        fields: The changed fields; empty if a person must decide; None to archive it.
    """

    key: str
    kind: str
    title: str
    why: str
    oid: str
    fields: Mapping[str, Any] | None = None


@frozen
class CurationPlan:
    """The proposals for a store.

    Attributes:
        verb: ``decay``, ``expired``, ``archive`` or ``refs``.
        steps: What is proposed, by key; or what was done.
        looked_at: The number of live memories.
        commit: The commit that applied it; empty if nothing was written.
        changed: The keys that were skipped, since they changed meanwhile or lack what their kind requires.
    """

    verb: str
    steps: tuple[CurationStep, ...]
    looked_at: int
    commit: str = ""
    changed: tuple[str, ...] = ()


@frozen
class _Row:
    key: str
    kind: str
    title: str
    touched: int
    confidence: float
    oid: str
    is_held: bool

    def step(self, why: str, fields: Mapping[str, Any] | None = None) -> CurationStep:
        return CurationStep(self.key, self.kind, self.title, why, self.oid, fields)


# Excluded: memories that have a check, are critical, or are required by a live memory.
_HELD = (
    "m.importance = 'critical' OR m.kind = 'task' OR EXISTS (SELECT 1 FROM fact f WHERE f.id = m.id) OR EXISTS"
    " (SELECT 1 FROM link l JOIN memory s ON s.id = l.source WHERE l.relation = 'requires' AND l.target = m.key"
    " AND s.archived = 0)"
)
_SELECT = "SELECT m.key, m.kind, m.title, max(m.created, m.updated), m.confidence, m.oid, " + _HELD + " FROM memory m"


def plan_of(store: OpenStore, verb: str, *, days: int = 0, unused: Mapping[str, int] | None = None) -> CurationPlan:
    """Return the proposals; reads only.

    Args:
        store: The store.
        verb: ``decay``, ``expired`` or ``archive``.
        days: Days without a read or change; 0 for the default.
        unused: How often each memory was shown to agents that never used it, for ``decay``.
    """
    catalog = store.catalog_at(store.find_tip())
    count = catalog.row(f"SELECT count(*) FROM memory m WHERE {LIVE}")[0]
    find = {DECAY: _list_decaying, EXPIRED: _list_expired, ARCHIVE: _archivable}[verb]
    steps = find(store, catalog, days or (DECAY_DAYS if verb == DECAY else ARCHIVE_DAYS))
    if verb == DECAY and unused:
        known = {step.key for step in steps}
        steps += [step for step in _list_unused(store, catalog, unused) if step.key not in known]
    return CurationPlan(verb, tuple(sorted(steps, key=lambda step: step.key)), count)


def _rows(catalog: Catalog, where: str, values: tuple[object, ...]) -> list[_Row]:
    return [_Row(*row) for row in catalog.rows(f"{_SELECT} WHERE {where}", values)]


def _list_decaying(store: OpenStore, catalog: Catalog, days: int) -> list[CurationStep]:
    before, policy = store.now - days * DAY_S, store.policy()
    # Expired memories are already left out of search.
    where = f"{LIVE} AND max(m.created, m.updated) <= ? AND m.confidence > ? AND (m.expires IS NULL OR m.expires > ?)"
    old = _rows(catalog, where, (before, FADED, store.now))
    rows = [row for row in old if not row.is_held and policy.kind(row.kind).half_life_s is not None]
    steps = []
    for row, last in _idle(store, rows, before):
        less = round(row.confidence / 2, 3)
        why = f"not read or changed for {(store.now - last) // DAY_S} days: confidence {row.confidence:g} to {less:g}"
        steps.append(row.step(why, {"confidence": less}))
    return steps


def _list_unused(store: OpenStore, catalog: Catalog, unused: Mapping[str, int]) -> list[CurationStep]:
    policy = store.policy()
    rows = _rows(catalog, f"{LIVE} AND m.confidence > ? AND (m.expires IS NULL OR m.expires > ?)", (FADED, store.now))
    steps = []
    for row in rows:
        if row.key in unused and not row.is_held and policy.kind(row.kind).half_life_s is not None:
            less = round(row.confidence / 2, 3)
            why = f"shown {unused[row.key]} times, used 0: confidence {row.confidence:g} to {less:g}"
            steps.append(row.step(why, {"confidence": less}))
    return steps


def _idle(store: OpenStore, rows: Sequence[_Row], before: int) -> list[tuple[_Row, int]]:
    """Return the memories that were not read since, with the time of the last read or change."""
    reads = store.local.accesses(row.key for row in rows)
    idle = [(row, max(row.touched, reads.get(row.key, (0, 0))[1])) for row in rows]
    return [(row, last) for row, last in idle if last <= before]


def _list_expired(store: OpenStore, catalog: Catalog, _days: int) -> list[CurationStep]:
    rows = _rows(catalog, f"{LIVE} AND m.expires IS NOT NULL AND m.expires <= ?", (store.now,))
    return [row.step("expired") for row in rows if not row.is_held]


def _archivable(store: OpenStore, catalog: Catalog, days: int) -> list[CurationStep]:
    before = store.now - days * DAY_S
    gone = "m.shadowed = 0 AND m.archived = 0 AND m.superseded = 1 AND max(m.created, m.updated) <= ?"
    steps = [row.step("superseded") for row in _rows(catalog, gone, (before,))]
    faded = _rows(catalog, f"{LIVE} AND m.confidence <= ? AND max(m.created, m.updated) <= ?", (FADED, before))
    for row, last in _idle(store, [row for row in faded if not row.is_held], before):
        why = f"confidence {row.confidence:g}, not read or changed for {(store.now - last) // DAY_S} days"
        steps.append(row.step(why))
    return steps


def apply_plan(store: OpenStore, found: CurationPlan) -> CurationPlan:
    """Apply the proposals in one commit; a memory that has changed since is skipped.

    Raises:
        GitmemError: It cannot be written.
    """
    writer, policy = store.writer(), store.policy()
    steps: list[CurationStep] = []

    def plan(tip: str | None) -> CommitPlan | None:
        catalog = writer.catalog_at(tip)
        known = _find_unchanged(catalog, found.steps)
        steps[:] = [step for step in found.steps if step.key in known]
        if not steps:
            return None
        memories = [known[step.key] for step in steps]
        if all(step.fields is None for step in steps):
            keys, subject = [step.key for step in steps][:KEYS_NAMED], _subject(found.verb, len(steps))
            author = store.author()
            retired = {"when": format_time(store.now), "by": author.who, "why": f"curate {found.verb}"}
            retirement = archive.retire(writer.texts_of, catalog, memories, retired)
            return writer.plan(subject, keys, PlannedFiles(retirement.files, list(retirement.paths), retirement.moves))
        texts, files = writer.texts_of(catalog, memories), dict[str, str]()
        for step, known_memory in zip(tuple(steps), memories, strict=True):
            changes = {**(step.fields or {}), "updated": format_time(store.now)}
            try:
                new = with_fields(texts[known_memory.path], changes, f"{known_memory.key}.md")
                files[known_memory.path] = check_file(known_memory.key, new, policy=policy, path=known_memory.path).text
            except RefusedError:  # it lacks what its kind requires, since others wrote it: a person must decide
                steps.remove(step)
        keys = [step.key for step in steps][:KEYS_NAMED]
        return writer.plan(_subject(found.verb, len(steps)), keys, PlannedFiles(files)) if steps else None

    written = writer.write(plan, f"curate {found.verb}") if found.steps else None
    done_keys = {step.key for step in steps}
    left = tuple(step.key for step in found.steps if step.key not in done_keys)
    return CurationPlan(found.verb, tuple(steps), found.looked_at, written.commit if written else "", left)


def _subject(verb: str, count: int) -> str:
    return f"memory: curate {verb}, {count} {'memory' if count == 1 else 'memories'}"


def _find_unchanged(catalog: Catalog, steps: Sequence[CurationStep]) -> dict[str, KnownMemory]:
    """Return the memories whose files are unchanged since the plan, by key."""
    wanted = {step.key: step.oid for step in steps}
    unchanged = {}
    live = "shadowed = 0 AND archived = 0"
    query = f"SELECT id, key, path, kind, title, archived, oid FROM memory WHERE {live} AND key IN ({{}})"
    for *fields, oid in catalog.each(query, wanted):
        known = KnownMemory(*fields)
        if wanted[known.key] == oid:
            unchanged[known.key] = known
    return unchanged
