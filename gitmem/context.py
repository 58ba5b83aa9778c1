"""The digest for a session within a token budget: warnings first and never cut, then what is relevant, then recent.

Sections, relevance and budget are those of the beans document (B4, B5): ``score = path_overlap × 3 +
dependency_match × 5 + recency × 1``, 4,000 tokens, cut from the bottom. Nothing is dropped silently: every section
says how many more there are and how to see them.
"""

from __future__ import annotations

import json

from gitmem import analysis
from gitmem.catalog import state
from gitmem.frozen import frozen
from gitmem.globs import without_lines
from gitmem.graph import age_s
from gitmem.hygiene import display
from gitmem.model import FAILED, STALE, SUSPECT, UNPROVEN, VERIFIED
from gitmem.search.score import path_overlap
from gitmem.store.scope import PROJECT
from gitmem.tasks import digest as tasks

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.catalog.catalog import Catalog
    from gitmem.policy import Policy
    from gitmem.tasks.digest import Held
    from gitmem.tasks.task import Worker

    Reasons = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]

# The weights of the beans document (B5).
PATH_WEIGHT, LINK_WEIGHT, RECENCY_WEIGHT = 3.0, 5.0, 1.0
# Recency halves in this many days (agent-swarm, D6: MEMORY_RECENCY_HALF_LIFE_DAYS).
HALF_LIFE_DAYS = 14.0
DAY_S = 86400
# Warnings may take this share of the budget before the rest of them is only counted.
WARNING_SHARE = 0.5
# Newest memories that are looked at for relevance besides those whose paths match.
NEWEST = 200
# Newest memories of recent work that are looked at; the others are counted.
LATEST = 500
# A memory's text in the digest, its title and why it fails; the whole of it is one command away.
TEXT_LIMIT, TITLE_LIMIT, REASON_LIMIT = 320, 160, 200
# What the digest as text takes besides its items: opening, headings, what is left out, how to search; and besides an
# item's own words: its mark, brackets and colon (counted in the output of `gitmem context`).
FRAME_TOKENS, LINE_TOKENS = 110, 6
# What may be relevant: tasks have a section of their own, sessions and outcomes are recent work.
FIT = f"{state.LIVE} AND m.kind NOT IN ('task', 'session', 'outcome')"

WARNINGS, WORKING, RELEVANT, RECENT = "WARNINGS", "WORKING ON", "RELEVANT FACTS", "RECENT WORK"


@frozen
class Item:
    """One memory of the digest.

    Attributes:
        key: Its key; empty for a line about the store itself.
        kind: Its kind.
        status: Its status, or empty.
        text: What is shown, cleaned, on one line.
        score: Its relevance; 0 where the section is in order of time or weight.
        scope: Its scope.
    """

    key: str
    kind: str
    status: str
    text: str
    score: float = 0.0
    scope: str = PROJECT


@frozen
class Section:
    """One section: its name, what is shown, how many there are in all, and how to see the rest."""

    name: str
    items: tuple[Item, ...]
    total: int
    rest: str


@frozen
class _Row:
    id: int
    key: str
    kind: str
    title: str
    created: int
    paths: tuple[str, ...]


def row_of(row: Sequence[Any]) -> _Row:
    """Return a row of ``COLUMNS`` as what relevance is told from."""
    number, key, kind, title, created, paths = row
    return _Row(number, key, kind, title, created, tuple(map(without_lines, json.loads(paths))))


def digest(
    catalog: Catalog,
    ground: int | None,
    policy: Policy,
    *,
    now: int,
    working: Sequence[str],
    budget_tokens: int,
    waiting: int,
    notices: Iterable[str],
    worker: Callable[[], Worker],
    reasons: Reasons,
) -> list[Section]:
    """Return the sections that fit into the budget.

    Args:
        catalog: The catalog.
        ground: The ground of HEAD, or None where statuses are not known.
        policy: The store's policy.
        now: Epoch seconds.
        working: Paths that are being worked on: changed files of the branch, or what was asked for.
        budget_tokens: How many tokens all sections together may take, as ``analysis.count_tokens`` counts.
        waiting: Commands that wait for approval.
        notices: Lines about the store itself, most important first.
        worker: Returns who asks; called only where somebody holds a task at all.
        reasons: Returns why facts fail, by key (``verify.culprit.reasons_of``).
    """
    chains = state.suspects(catalog, ground)
    warned, told = _warnings(catalog, ground, reasons, chains, now)
    held = tasks.held_by(catalog, worker()) if tasks.is_anything_held(catalog) else []
    warned = _with_failures(catalog, warned, held, working, now)
    lines = [Item("", "", "", display(notice)) for notice in notices]
    if waiting:
        words = "commands wait" if waiting != 1 else "command waits"
        lines.append(Item("", "", "", f"{waiting} {words} for approval: gitmem trust --review"))
    left = budget_tokens - FRAME_TOKENS - sum(map(_item_cost, lines))
    section = fit(
        WARNINGS, warned, int(left * WARNING_SHARE), "gitmem list --status failed,suspect,stale", total=len(warned)
    )
    # Lines about the store itself are few, and no list has them.
    warnings = Section(WARNINGS, (*section.items, *lines), section.total + len(lines), section.rest)
    left -= cost([section])
    at_work = fit(WORKING, (_held_item(one, now) for one in held), left, "gitmem task list --mine", total=len(held))
    left -= cost([at_work])
    working = [*working, *(path for one in held for path in one.paths)]
    rows = _candidates(catalog, working, now)
    scored = score_all(catalog, rows, working, now, held=[one.row.key for one in held])
    statuses = state.tell(catalog, ground, [row.id for row, _ in scored], now=now, chains=chains)
    limit = policy.context.max_memory_tokens
    relevant = (
        item_of(catalog, row, statuses[row.id].status, score, limit)
        for row, score in scored
        if row.key not in told and statuses[row.id].status in ("", VERIFIED, UNPROVEN)
    )
    total = _count(catalog, f"{FIT} AND {_unexpired(now)}", told)
    section = fit(RELEVANT, relevant, left, "gitmem recall, gitmem list", total=total)
    left -= cost([section])
    shown = {item.key for item in section.items} | told
    recent, total = _recent(catalog, ground, now=now, policy=policy, chains=chains, shown=shown)
    return [warnings, at_work, section, fit(RECENT, recent, left, "gitmem recall --recent 50", total=total)]


def _unexpired(now: int) -> str:
    return f"(m.expires IS NULL OR m.expires > {now})"


def _count(catalog: Catalog, condition: str, without: Iterable[str]) -> int:
    """Return how many memories meet a condition, those with these keys left out."""
    found: int = catalog.row(f"SELECT count(*) FROM memory m WHERE {condition}")[0]
    return found - len(list(catalog.each(f"SELECT 1 FROM memory m WHERE {condition} AND m.key IN ({{}})", without)))


def _warnings(
    catalog: Catalog, ground: int | None, reasons: Reasons, chains: Mapping[str, tuple[str, ...]], now: int
) -> tuple[list[Item], set[str]]:
    """Return one line for everything that must not be believed as it stands, and their keys."""
    rows = catalog.rows(
        "SELECT m.id, m.key, m.kind, m.title, s.at, s.outcome FROM fact f JOIN memory m ON m.id = f.id JOIN state s"
        f" ON s.ground = ? AND s.fact = f.id WHERE {state.LIVE} AND {state.CLAIM} AND (s.outcome = 'fails' OR"
        " (s.outcome = 'holds' AND (s.fresh = 0 OR s.at + f.ttl_s < ?))) ORDER BY m.key",
        (ground or 0, now),
    )
    found: dict[str, Item] = {}
    because = reasons([r[1] for r in rows if r[5] == "fails"])
    for _, key, kind, title, at, outcome in rows:
        if outcome == "fails":
            why = "; ".join(_cut(reason, REASON_LIMIT) for reason in because.get(key, ()))
            why = f" — {why}" if why else ""
            found[key] = Item(key, kind, FAILED, _cut(title, TITLE_LIMIT) + why)
        elif key not in chains:
            found[key] = Item(key, kind, STALE, f"{_cut(title, TITLE_LIMIT)} — not verified for {ago(age_s(at, now))}")
    suspects = catalog.each(
        f"SELECT m.key, m.kind, m.title FROM memory m WHERE {state.LIVE} AND {_unexpired(now)} AND m.key IN ({{}})",
        sorted(chains),
    )
    for key, kind, title in suspects:
        found[key] = Item(key, kind, SUSPECT, f"{_cut(title, TITLE_LIMIT)} — rests on {' → '.join(chains[key])}")
    for key, title, *_ in state.flapping(catalog, ground):
        if key not in found:
            told = "its check does not always answer alike"
            found[key] = Item(key, "fact", VERIFIED, f"{_cut(title, TITLE_LIMIT)} — {told}")
    order = {FAILED: 0, SUSPECT: 1, STALE: 2, VERIFIED: 3}
    return sorted(found.values(), key=lambda i: (order[i.status], i.key)), set(found)


# Without the body: it is read of the few that are shown.
COLUMNS = "SELECT m.id, m.key, m.kind, m.title, m.created, t.paths FROM memory m JOIN text t ON t.id = m.id"


def _candidates(catalog: Catalog, working: Sequence[str], now: int) -> list[_Row]:
    fit = f"{FIT} AND {_unexpired(now)}"
    newest = catalog.rows(f"{COLUMNS} WHERE {fit} ORDER BY m.created DESC, m.key LIMIT ?", (NEWEST,))
    placed = catalog.rows(f"{COLUMNS} WHERE {fit} AND t.paths <> '[]'") if working else []
    rows = {row[0]: row_of(row) for row in (*newest, *placed)}
    return list(rows.values())


def score_all(
    catalog: Catalog, rows: Sequence[_Row], working: Sequence[str], now: int, *, held: Sequence[str]
) -> list[tuple[_Row, float]]:
    """Return memories with their relevance (B5), the most relevant first, and those that they are linked with."""
    overlaps = {row.id: path_overlap(row.paths, working) if working else 0.0 for row in rows}
    linked = _linked(catalog, [*held, *(row.key for row in rows if overlaps[row.id] >= 1.0)])
    # Those that are neither new nor about a place were not looked at so far.
    others = sorted(linked - {row.key for row in rows})
    found = catalog.each(f"{COLUMNS} WHERE {FIT} AND {_unexpired(now)} AND m.key IN ({{}})", others)
    scored = []
    for row in (*rows, *map(row_of, found)):
        recency = 2.0 ** (-age_s(row.created, now) / DAY_S / HALF_LIFE_DAYS)
        score = overlaps.get(row.id, 0.0) * PATH_WEIGHT + (row.key in linked) * LINK_WEIGHT + recency * RECENCY_WEIGHT
        scored.append((row, score))
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0].created, pair[0].key))


_TARGETS = "SELECT l.target FROM link l JOIN memory m ON m.id = l.source"


def _linked(catalog: Catalog, keys: Sequence[str]) -> set[str]:
    """Return the memories that require, or are required by, one of these (by key or produced label)."""
    if not keys:
        return set()
    names = set(keys) | {
        row[0]
        for row in catalog.each(
            f"{_TARGETS} WHERE l.relation = 'produces' AND m.key IN ({{}})",
            keys,
        )
    }
    needed = {
        row[0]
        for row in catalog.each(
            f"{_TARGETS} WHERE l.relation = 'requires' AND m.key IN ({{}})",
            keys,
        )
    }
    rests = catalog.each(
        "SELECT m.key FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'requires' AND l.target IN ({})",
        sorted(names),
    )
    producers = catalog.each(
        "SELECT m.key FROM link l JOIN memory m ON m.id = l.source WHERE l.relation = 'produces' AND l.target IN ({})",
        sorted(needed),
    )
    return needed | {row[0] for row in rests} | {row[0] for row in producers}


def _recent(
    catalog: Catalog,
    ground: int | None,
    *,
    now: int,
    policy: Policy,
    chains: Mapping[str, tuple[str, ...]],
    shown: set[str],
) -> tuple[list[Item], int]:
    """Return what is new and not shown above, the newest first, and how many there are in all."""
    since = now - policy.context.recent_days * DAY_S
    condition = f"{state.LIVE} AND m.created > {since} AND {_unexpired(now)} AND m.kind <> 'task'"
    rows = catalog.rows(
        f"{COLUMNS} WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?",
        (LATEST + len(shown),),
    )
    fresh = [row_of(row) for row in rows if row[1] not in shown]
    told = state.tell(catalog, ground, [row.id for row in fresh], now=now, chains=chains)
    items = []
    for row in fresh:
        item = item_of(catalog, row, told[row.id].status, 0.0, policy.context.max_memory_tokens)
        text = f"{item.text} ({ago(age_s(row.created, now))} ago)"
        items.append((row.created, Item(item.key, item.kind, item.status, text)))
    for task, reason in tasks.closed_since(catalog, since, now=now, limit=LATEST):
        why = f": {_cut(reason, TEXT_LIMIT)}" if reason else ""
        text = f"{_cut(task.title, TITLE_LIMIT)}{why} (closed {ago(age_s(task.closed, now))} ago)"
        items.append((task.closed, Item(task.key, "task", "", text)))
    total = _count(catalog, condition, shown) + tasks.count_closed(catalog, since, now=now)
    return [item for _, item in sorted(items, key=lambda pair: -pair[0])], total


def _with_failures(
    catalog: Catalog, warned: Sequence[Item], held: Sequence[Held], working: Sequence[str], now: int
) -> list[Item]:
    """Return the warnings with what failed before: of what is worked on first, of what lies near behind the failed."""
    mine, near = list[Item](), list[Item]()
    keys = {one.row.key for one in held}
    for failure in tasks.failures(catalog, held, working, now=now):
        notes = f": {_cut(failure.notes, REASON_LIMIT)}" if failure.notes else ""
        text = f"PAST FAILURE: {_cut(failure.title, TITLE_LIMIT)} — attempt {failure.num}{notes}"
        (mine if failure.key in keys else near).append(Item(failure.key, "task", "", text))
    failed = [item for item in warned if item.status == FAILED]
    return [*mine, *failed, *near, *warned[len(failed) :]]


def _held_item(held: Held, now: int) -> Item:
    """Return what is worked on: which attempt, since when, and what the last failure was."""
    failed = next((attempt for attempt in held.task.told if attempt.outcome == FAILED), None)
    before = f' (before: "{_cut(failed.notes, REASON_LIMIT)}")' if failed is not None and failed.notes else ""
    num = held.task.held.num if held.task.held else held.task.next_num
    since = f", claimed {ago(age_s(held.row.since, now))} ago" if held.row.since else ""
    return Item(held.row.key, "task", "", f"{_cut(held.row.title, TITLE_LIMIT)} — attempt {num}{since}{before}")


def item_of(catalog: Catalog, row: _Row, status: str, score: float, limit_tokens: int) -> Item:
    """Return a memory as an item: its title, and as much of its body as one may take."""
    body = " ".join(catalog.row("SELECT body FROM text WHERE id = ?", (row.id,))[0].split())
    text = _cut(row.title, TITLE_LIMIT)
    if body and not body.startswith(row.title):
        shown = body[:TEXT_LIMIT]
        while analysis.count_tokens(shown) > limit_tokens:
            shown = shown[: len(shown) * 3 // 4]
        text += f": {_line(shown if shown == body else shown.rsplit(' ', 1)[0] + f' … (gitmem show {row.key})')}"
    return Item(row.key, row.kind, status, text, round(score, 3))


def _line(text: str) -> str:
    return display(" ".join(text.split()))


def _cut(text: str, limit: int) -> str:
    line = _line(text[: 2 * limit])
    return line if len(line) <= limit else line[: limit - 1] + "…"


def fit(name: str, items: Iterable[Item], budget: int, rest: str, *, total: int) -> Section:
    """Return the first items that fit, of so many in all; those behind are not made. Warnings show at least one."""
    taken: list[Item] = []
    spent = 0
    for item in items:
        spent += _item_cost(item)
        if spent > budget and not (name == WARNINGS and not taken):
            break
        taken.append(item)
    return Section(name, tuple(taken), total, rest)


def _item_cost(item: Item) -> int:
    return analysis.count_tokens(f"{item.key} {item.status} {item.text}") + LINE_TOKENS


def cost(sections: Iterable[Section]) -> int:
    """Return how many tokens the items of some sections take."""
    return sum(_item_cost(item) for section in sections for item in section.items)


def ago(seconds: int) -> str:
    """Return an age in the largest unit that fits: ``45s``, ``12m``, ``5h``, ``35d``."""
    for unit, size in (("d", DAY_S), ("h", 3600), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def as_table(sections: Sequence[Section]) -> dict[str, object]:
    """Return the digest as the documented JSON: sections, their tokens, and how many memories are not shown."""
    return {
        "sections": [
            {
                "name": section.name,
                "items": [
                    {
                        "key": i.key,
                        "kind": i.kind,
                        "status": i.status,
                        "text": i.text,
                        "score": i.score,
                        "scope": i.scope,
                    }
                    for i in section.items
                ],
                "total": section.total,
                "more": section.total - len(section.items),
                "rest": section.rest,
            }
            for section in sections
        ],
        "tokens": cost(sections) + FRAME_TOKENS,
        "more": sum(section.total - len(section.items) for section in sections),
    }
