"""How a memory grows, how old it is, how often it answers, and what of it is used: what ``gitmem stats`` shows.

Growth and age come from the branch. All else is counted in this clone and never committed: how often prompts and
recalls found something (``store.tally``), what sessions were shown (the retrieval log), and when memories were looked
at (``store.local``). Pure, except for ``read``.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

from gitmem.frozen import fields_of, frozen
from gitmem.index.catalog.state import LIVE
from gitmem.policy.settings import DAY_S
from gitmem.store import tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.repository.repository import OpenRepository

# From so many days on, growth is shown by month.
BY_MONTH = 180
# The upper ends of the classes of age, in days.
AGES = (7, 30, 90, 180, 365)
# Kinds that are worked on and not recalled: they are no dead weight.
WORKED_ON = ("task",)


@frozen
class UsedMemory:
    """One memory of the project, as far as these figures need it.

    Attributes:
        key, kind: Of the memory.
        created, changed: When it was written first and changed last, epoch seconds.
        is_live: Whether it is neither archived, superseded nor expired.
        cited: When the last memory was written that requires or supersedes it; 0 where there is none.
    """

    key: str
    kind: str
    created: int
    changed: int
    is_live: bool = True
    cited: int = 0


@frozen
class Period:
    """What was written in a week or a month.

    Attributes:
        start: Its first day, as ``2026-11-23``.
        written: How many memories were written then.
        live: How many of these are live now.
    """

    start: str
    written: int
    live: int


@frozen
class HitRate:
    """How often the memory was searched, and how often it had something.

    Attributes:
        searched: How often it was searched.
        answered: How often something was found.
    """

    searched: int
    answered: int


@frozen
class SessionUse:
    """What sessions were shown, and what of it was used later.

    Attributes:
        sessions: Sessions that were shown something.
        tokens: What each of them was shown in all, the least first; without those that logged no sizes.
        shown: Memories that they were shown, one that several were shown as often.
        opened: How many of these were shown in full later.
        changed: How many were changed later.
        cited: How many a later memory requires or supersedes.
        used: How many of them any of this is true of.
    """

    sessions: int
    tokens: tuple[int, ...]
    shown: int
    opened: int
    changed: int
    cited: int
    used: int


@frozen
class StoreUsage:
    """What ``gitmem stats`` shows.

    Attributes:
        since: The first day that is looked at, as ``2026-11-23``.
        counted_since: The first day that something was counted on in this clone; empty where nothing was yet.
        by: ``week`` or ``month``.
        growth: What was written by week or month, the oldest first, those without any as well.
        live: How many memories are live.
        retired: How many are archived, superseded or expired.
        ages: How many live memories are so many days old at most; behind None, the older ones.
        median_days: What half of the live memories are older than; None where there is none.
        prompts, recalls: How often they found something.
        idle: Live memories from before ``since`` that were neither recalled nor shown since, the oldest first.
        idle_of: Of how many live memories from before ``since``.
        sessions: What sessions were shown.
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

    @property
    def document(self) -> dict[str, Any]:
        """Return the same as ``gitmem stats --json`` prints it."""
        one, tokens = self.sessions, self.sessions.tokens
        return {
            "since": self.since,
            "counted_since": self.counted_since,
            "growth": {"by": self.by, "periods": [fields_of(period) for period in self.growth]},
            "live": self.live,
            "retired": self.retired,
            "age": {"median_days": self.median_days, "up_to_days": [list(pair) for pair in self.ages]},
            "prompts": _rated(self.prompts),
            "recalls": _rated(self.recalls),
            "dead_weight": {
                "memories": len(self.idle),
                "of": self.idle_of,
                "share": share(len(self.idle), self.idle_of),
                "keys": [memory.key for memory in self.idle],
            },
            "sessions": {
                "sessions": one.sessions,
                "tokens": sum(tokens),
                "median_tokens": round(median(tokens)) if tokens else None,
                "most_tokens": tokens[-1] if tokens else None,
                "shown": one.shown,
                "used": one.used,
                "share": share(one.used, one.shown),
                "opened": one.opened,
                "changed": one.changed,
                "cited": one.cited,
            },
        }


def _rated(rate: HitRate) -> dict[str, Any]:
    return {**fields_of(rate), "share": share(rate.answered, rate.searched)}


def share(part: int, whole: int) -> float | None:
    """Return a share from 0 to 1; None of nothing."""
    return round(part / whole, 3) if whole else None


def day_of(at: int) -> str:
    """Return the day of a time, in UTC."""
    return datetime.fromtimestamp(at, UTC).date().isoformat()


def growth_of(memories: Iterable[UsedMemory], *, since: int, now: int, by: str) -> tuple[Period, ...]:
    """Return what was written by week (from its Monday) or month, the whole of the first one as well."""
    starts = [_start(since, by)]
    while (after := _start_after(starts[-1], by)) <= now:
        starts.append(after)
    written, live = dict.fromkeys(starts, 0), dict.fromkeys(starts, 0)
    for memory in memories:
        start = _start(memory.created, by)
        if start in written:
            written[start] += 1
            live[start] += memory.is_live
    return tuple(Period(day_of(start), written[start], live[start]) for start in starts)


def _start(at: int, by: str) -> int:
    """Return when the week or month of a time began, epoch seconds."""
    day = datetime.fromtimestamp(at - at % DAY_S, UTC)
    first = day.replace(day=1) if by == "month" else day - timedelta(days=day.weekday())
    return int(first.timestamp())


def _start_after(start: int, by: str) -> int:
    return _start(start + 31 * DAY_S, by) if by == "month" else start + 7 * DAY_S


def ages_of(days: Sequence[int]) -> tuple[tuple[int | None, int], ...]:
    """Return how many of these ages are in each class; the last one has no upper end."""
    counts = [sum(low < age <= high for age in days) for low, high in pairwise((-1, *AGES))]
    return (*zip(AGES, counts, strict=True), (None, sum(age > AGES[-1] for age in days)))


def idle_in(
    memories: Iterable[UsedMemory], shown: Mapping[str, int], looks: Mapping[str, int], *, since: int
) -> tuple[tuple[UsedMemory, ...], int]:
    """Return live memories from before a time that nobody was shown since, the oldest first, and of how many.

    Args:
        memories: The memories of the project.
        shown: When each was recalled or brought into a session last, by its key.
        looks: When each was shown in full last.
        since: The time, epoch seconds.
    """
    old = [one for one in memories if one.is_live and one.created < since and one.kind not in WORKED_ON]
    idle = [one for one in old if max(shown.get(one.key, 0), looks.get(one.key, 0)) < since]
    return tuple(sorted(idle, key=lambda one: (one.created, one.key))), len(old)


def session_use(
    sessions: Mapping[str, Sequence[Mapping[str, Any]]],
    memories: Mapping[str, UsedMemory],
    looks: Mapping[str, int],
    *,
    since: int,
) -> SessionUse:
    """Return what sessions were shown since a time, and what of it was used after it was shown first.

    Args:
        sessions: The entries of the retrieval log that brought memories into a context, by session.
        memories: The memories of the project, by key; what is of another scope or store is left out.
        looks: When each was shown in full last, by its key.
        since: The time, epoch seconds.
    """
    sizes, counts = [], dict.fromkeys(("shown", "opened", "changed", "cited", "used"), 0)
    number = 0
    for entries in sessions.values():
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
                for name, is_true in (uses | {"shown": True, "used": any(uses.values())}).items():
                    counts[name] += is_true
    return SessionUse(number, tuple(sorted(sizes)), **counts)


def usage_of(
    memories: Sequence[UsedMemory],
    days: Mapping[int, Mapping[str, int]],
    shown: Mapping[str, int],
    looks: Mapping[str, int],
    sessions: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    since: int,
    now: int,
) -> StoreUsage:
    """Return all figures.

    Args:
        memories: The memories of the project.
        days: What was counted on each day, by the day's number since the epoch.
        shown: When each was recalled or brought into a session last, by its key.
        looks: When each was shown in full last, by its key.
        sessions: As for ``session_use``.
        since: The beginning of the first day that is looked at, epoch seconds.
        now: The time, epoch seconds.
    """
    by = "month" if now - since > BY_MONTH * DAY_S else "week"
    live = [memory for memory in memories if memory.is_live]
    ages = [max(0, now - memory.created) // DAY_S for memory in live]
    idle, idle_of = idle_in(memories, shown, looks, since=since)
    # A young store did not grow before its first memory.
    first = min((memory.created for memory in memories), default=now)
    recent = [counts for day, counts in days.items() if day >= since // DAY_S]

    def rate(searched: str, answered: str) -> HitRate:
        return HitRate(*(sum(counts.get(name, 0) for counts in recent) for name in (searched, answered)))

    return StoreUsage(
        day_of(since),
        day_of(min(days) * DAY_S) if days else "",
        by,
        growth_of(memories, since=max(since, min(now, first)), now=now, by=by),
        len(live),
        len(memories) - len(live),
        ages_of(ages),
        int(median(ages)) if ages else None,
        rate(tally.SEARCHED, tally.ANSWERED),
        rate(tally.RECALLS, tally.RECALLS_ANSWERED),
        idle,
        idle_of,
        session_use(sessions, {memory.key: memory for memory in memories}, looks, since=since),
    )


def read(repository: OpenRepository, sessions: Mapping[str, Sequence[Mapping[str, Any]]], *, days: int) -> StoreUsage:
    """Return the figures of a repository for the last so many days.

    Args:
        repository: The repository.
        sessions: The entries of the retrieval log that brought memories into a context, by session.
        days: How many days, today included.
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
    # A day on which something was shown has no time: its end counts, so that the whole of the first day is looked at.
    shown = {key: (day + 1) * DAY_S - 1 for key, day in tally.keys_of(state).items()}
    since = max(0, (now // DAY_S - days + 1) * DAY_S)
    return usage_of(
        memories, tally.days_of(state), shown, repository.local.last_looks(), sessions, since=since, now=now
    )
