"""The figures of ``gitmem stats``: how a memory grows and ages, how often it answers, and how much of it is used.

Growth and age come from the branch. The rest is counted in this clone and never committed: how often prompts and
recalls found something (``store.state.plain_files``), what sessions were shown (the retrieval log), and when memories
were accessed (``store.local``). Pure, except for ``read``.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from gitmem.commands.report.moments import MemoryUse, MomentUse, is_used_in, moment_use, read_marks
from gitmem.document.times import format_day
from gitmem.frozen import fields_of, frozen
from gitmem.index.catalog.state import LIVE
from gitmem.policy.settings import DAY_S
from gitmem.store.state import plain_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.commands.report.moments import LaterEvent
    from gitmem.repository import OpenRepository

# From this many days on, growth is shown by month.
BY_MONTH = 180
# The upper ends of the age classes, in days.
AGES = (7, 30, 90, 180, 365)
# Kinds that are not meant to be recalled, so they are never idle.
WORKED_ON = ("task",)
# How often a memory is shown without being used before it is reported. Our choice.
UNUSED_FROM = 5


@frozen
class UsedMemory:
    """One memory of the project, as needed for these figures.

    Attributes:
        key, kind: Of the memory.
        created, changed: When it was first written and last changed, epoch seconds.
        is_live: Whether it is neither archived, superseded nor expired.
        cited: When the last memory that requires or supersedes it was written; 0 if there is none.
    """

    key: str
    kind: str
    created: int
    changed: int
    is_live: bool = True
    cited: int = 0


@frozen
class Period:
    """The memories written in a week or a month.

    Attributes:
        start: Its first day, as ``2026-11-23``.
        written: The number of memories written then.
        live: The number of these that are live now.
    """

    start: str
    written: int
    live: int


@frozen
class HitRate:
    """How often the memory was searched, and how often with results.

    Attributes:
        searched: The number of searches.
        answered: The number of searches with results.
    """

    searched: int
    answered: int

    @property
    def table(self) -> dict[str, Any]:
        """Return the JSON of it, with the share of searches with results."""
        return fields_of(self) | {"share": share(self.answered, self.searched)}


@frozen
class SessionUse:
    """The memories shown to sessions, and their later use.

    Attributes:
        sessions: The number of sessions that were shown something.
        tokens: The total shown to each session, smallest first; without sessions that logged no sizes.
        shown: The number of memories shown, once per session.
        opened: The number of these that were later shown in full.
        changed: The number that were later changed.
        cited: The number that a later memory requires or supersedes.
        acted: The number whose key, path or command is in a later command or edit.
        used: The number for which any of these is true.
    """

    sessions: int
    tokens: tuple[int, ...]
    shown: int
    opened: int
    changed: int
    cited: int
    acted: int
    used: int


@frozen
class StoreUsage:
    """The content of ``gitmem stats``.

    Attributes:
        since: The first day of the period, as ``2026-11-23``.
        counted_since: The first day with counts in this clone; empty if there are none yet.
        by: ``week`` or ``month``.
        growth: Every week or month with the memories written in it, oldest first.
        live: The number of live memories.
        retired: The number of archived, superseded and expired memories.
        ages: The number of live memories by their greatest age in days; None for the oldest class.
        median_days: The median age of live memories; None if there are none.
        prompts, recalls: How often they found something.
        idle: Live memories from before ``since`` that were neither recalled nor shown since, oldest first.
        idle_of: The number of live memories from before ``since``.
        sessions: The memories shown to sessions.
        moments: The moments at which memories were shown, by kind.
        memories: How often each was shown and used, most often shown first.
    """

    since: str
    counted_since: str
    by: str
    growth: tuple[Period, ...]
    live: int
    retired: int
    ages: tuple[tuple[int | None, int], ...]
    median_days: int | None
    prompts: HitRate
    recalls: HitRate
    idle: tuple[UsedMemory, ...]
    idle_of: int
    sessions: SessionUse
    moments: tuple[MomentUse, ...] = ()
    memories: tuple[MemoryUse, ...] = ()

    @property
    def unused(self) -> dict[str, int]:
        """Return how often each memory was shown that was shown often and never used."""
        return {memory.key: memory.shown for memory in self.memories if memory.shown >= UNUSED_FROM and not memory.used}

    @property
    def document(self) -> dict[str, Any]:
        """Return the document for ``gitmem stats --json``."""
        use, tokens = self.sessions, self.sessions.tokens
        return {
            "since": self.since,
            "counted_since": self.counted_since,
            "growth": {"by": self.by, "periods": [fields_of(period) for period in self.growth]},
            "live": self.live,
            "retired": self.retired,
            "age": {"median_days": self.median_days, "up_to_days": [list(pair) for pair in self.ages]},
            "prompts": self.prompts.table,
            "recalls": self.recalls.table,
            "dead_weight": {
                "memories": len(self.idle),
                "of": self.idle_of,
                "share": share(len(self.idle), self.idle_of),
                "keys": [memory.key for memory in self.idle],
            },
            "sessions": fields_of(use)
            | {
                "tokens": sum(tokens),
                "median_tokens": round(median(tokens)) if tokens else None,
                "most_tokens": tokens[-1] if tokens else None,
                "share": share(use.used, use.shown),
            },
            "moments": [fields_of(row) | {"share": share(row.used, row.shown)} for row in self.moments],
            "memories": [fields_of(memory) for memory in self.memories],
        }


def share(part: int, whole: int) -> float | None:
    """Return a ratio from 0 to 1; None if the whole is zero."""
    return round(part / whole, 3) if whole else None


def growth_of(memories: Iterable[UsedMemory], *, since: int, now: int, by: str) -> tuple[Period, ...]:
    """Return the memories written by week (from Monday) or month, including the whole of the first one."""
    starts = [_period_start(since, by)]
    while (after := _start_after(starts[-1], by)) <= now:
        starts.append(after)
    written, live = dict.fromkeys(starts, 0), dict.fromkeys(starts, 0)
    for memory in memories:
        start = _period_start(memory.created, by)
        if start in written:
            written[start] += 1
            live[start] += memory.is_live
    return tuple(Period(format_day(start), written[start], live[start]) for start in starts)


def _period_start(at: int, by: str) -> int:
    """Return when the week or month of a time began, epoch seconds."""
    day = datetime.fromtimestamp(at - at % DAY_S, UTC)
    first = day.replace(day=1) if by == "month" else day - timedelta(days=day.weekday())
    return int(first.timestamp())


def _start_after(start: int, by: str) -> int:
    return _period_start(start + 31 * DAY_S, by) if by == "month" else start + 7 * DAY_S


def ages_of(days: Sequence[int]) -> tuple[tuple[int | None, int], ...]:
    """Return how many of these ages are in each class; the last class has no upper end."""
    counts = [sum(low < age <= high for age in days) for low, high in pairwise((-1, *AGES))]
    return (*zip(AGES, counts, strict=True), (None, sum(age > AGES[-1] for age in days)))


def idle_in(
    memories: Iterable[UsedMemory], shown: Mapping[str, int], looks: Mapping[str, int], *, since: int
) -> tuple[tuple[UsedMemory, ...], int]:
    """Return live memories from before a time that were not shown since, oldest first, and the total before it.

    *shown* and *looks* tell when each was last recalled or shown to a session, and last shown in full, by key.
    """
    old = [memory for memory in memories if memory.is_live and memory.created < since and memory.kind not in WORKED_ON]
    idle = [used for used in old if max(shown.get(used.key, 0), looks.get(used.key, 0)) < since]
    return tuple(sorted(idle, key=lambda used: (used.created, used.key))), len(old)


def session_use(
    sessions: Mapping[str, Sequence[Mapping[str, Any]]],
    memories: Mapping[str, UsedMemory],
    looks: Mapping[str, int],
    *,
    since: int,
    is_used: Callable[[str, str, int], bool] = lambda *_: False,
) -> SessionUse:
    """Return the memories shown to sessions since a time, and their use after they were first shown.

    *sessions* are the entries of the retrieval log that added memories to a context, by session. Memories of other
    scopes or stores, which *memories* does not have, are left out.
    """
    sizes, counts = [], dict.fromkeys(("shown", "opened", "changed", "cited", "acted", "used"), 0)
    number = 0
    for session, entries in sessions.items():
        recent = [entry for entry in entries if (at := entry.get("at")) and isinstance(at, int) and at >= since]
        if not recent:
            continue
        number += 1
        first: dict[str, int] = {}
        for entry in recent:
            keys = entry.get("shown")
            for key in keys if isinstance(keys, dict) else ():
                first.setdefault(key, entry["at"])
        if tokens := sum(size for entry in recent if isinstance(size := entry.get("tokens"), int)):
            sizes.append(tokens)
        for key, at in first.items():
            if (memory := memories.get(key)) is not None:
                uses = {"opened": looks.get(key, 0) >= at, "changed": memory.changed > at, "cited": memory.cited > at}
                uses["acted"] = is_used(session, key, at)
                for name, is_true in (uses | {"shown": True, "used": any(uses.values())}).items():
                    counts[name] += is_true
    return SessionUse(number, tuple(sorted(sizes)), **counts)


@frozen
class UsageLog:
    """What is recorded about the use of memories.

    Attributes:
        days: The counts of each day, by its number since the epoch.
        shown: As for ``idle_in``.
        looks: The same.
        sessions: As for ``session_use``.
        is_used: Tells whether a session's later events use a memory.
    """

    days: Mapping[int, Mapping[str, int]]
    shown: Mapping[str, int]
    looks: Mapping[str, int]
    sessions: Mapping[str, Sequence[Mapping[str, Any]]]
    is_used: Callable[[str, str, int], bool] = lambda *_: False


def usage_of(memories: Sequence[UsedMemory], log: UsageLog, *, since: int, now: int) -> StoreUsage:
    """Return all figures, for the period from *since* until *now*."""
    days, shown, looks, sessions, is_used = log.days, log.shown, log.looks, log.sessions, log.is_used
    known = {memory.key: memory for memory in memories}

    def is_used_later(session: str, key: str, at: int) -> bool:
        used = known[key]
        return looks.get(key, 0) >= at or used.changed > at or used.cited > at or is_used(session, key, at)

    changed = {key: max(used.created, used.changed) for key, used in known.items()}
    moments, each = moment_use(sessions, changed, is_used_later, since=since)
    by = "month" if now - since > BY_MONTH * DAY_S else "week"
    live = [memory for memory in memories if memory.is_live]
    ages = [max(0, now - memory.created) // DAY_S for memory in live]
    idle, idle_of = idle_in(memories, shown, looks, since=since)
    # A new store did not grow before its first memory.
    first = min((memory.created for memory in memories), default=now)
    recent = [counts for day, counts in days.items() if day >= since // DAY_S]

    def rate(searched: str, answered: str) -> HitRate:
        return HitRate(*(sum(counts.get(name, 0) for counts in recent) for name in (searched, answered)))

    return StoreUsage(
        format_day(since),
        format_day(min(days) * DAY_S) if days else "",
        by,
        growth_of(memories, since=max(since, min(now, first)), now=now, by=by),
        len(live),
        len(memories) - len(live),
        ages_of(ages),
        int(median(ages)) if ages else None,
        rate(plain_files.SEARCHED, plain_files.ANSWERED),
        rate(plain_files.RECALLS, plain_files.RECALLS_ANSWERED),
        idle,
        idle_of,
        session_use(sessions, known, looks, since=since, is_used=is_used),
        moments,
        each,
    )


def read(
    repository: OpenRepository,
    sessions: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    days: int,
    later: Mapping[str, Sequence[LaterEvent]] | None = None,
) -> StoreUsage:
    """Return the figures of a repository for the last days, today included.

    *sessions* are the entries of the retrieval log that brought memories into a context, by session; *later* are the
    commands and edits of each.
    """
    now, state, catalog = repository.now, repository.git.repository.state, repository.catalog()
    rows = catalog.rows(
        f"SELECT m.key, m.kind, m.created, m.updated, {LIVE} AND (m.expires IS NULL OR m.expires > ?),"
        " (SELECT max(s.created) FROM link l JOIN memory s ON s.id = l.source"
        " WHERE l.relation IN ('requires', 'supersedes') AND l.target = m.key)"
        " FROM memory m WHERE m.shadowed = 0",
        (now,),
    )
    memories = [
        UsedMemory(key, kind, created, changed, bool(is_live), cited or 0)
        for key, kind, created, changed, is_live, cited in rows
    ]
    # A day's record has no time of day: its end counts, so that the whole first day is included.
    shown = {key: (day + 1) * DAY_S - 1 for key, day in plain_files.shown_keys(state).items()}
    since = max(0, (now // DAY_S - days + 1) * DAY_S)
    keys = {key for entries in sessions.values() for entry in entries for key in entry.get("shown") or ()}
    texts = catalog.each(
        "SELECT m.key, m.title, t.body, t.paths, t.fields FROM memory m JOIN text t ON t.id = m.id"
        " WHERE m.shadowed = 0 AND m.key IN ({})",
        keys,
    )
    marks = {key: read_marks(*parts) for key, *parts in texts}
    events = later or {}

    def is_used(session: str, key: str, at: int) -> bool:
        return key in marks and is_used_in(key, marks[key], events.get(session, ()), at)

    counts, looks = plain_files.daily_counts(state), repository.local.last_looks()
    return usage_of(memories, UsageLog(counts, shown, looks, sessions, is_used), since=since, now=now)
