"""What is relevant to the work at hand, by the weights of the beans document (B5)."""

from __future__ import annotations

import json

from gitmem.catalog import state
from gitmem.frozen import frozen
from gitmem.globs import without_lines
from gitmem.graph import age_s
from gitmem.search.score import path_overlap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.catalog.catalog import Catalog

# The weights of the beans document (B5).
PATH_WEIGHT, LINK_WEIGHT, RECENCY_WEIGHT = 3.0, 5.0, 1.0
# Recency halves in this many days (agent-swarm, D6: MEMORY_RECENCY_HALF_LIFE_DAYS).
HALF_LIFE_DAYS = 14.0
DAY_S = 86400
# Newest memories that are looked at for relevance besides those whose paths match.
NEWEST = 200
# What may be relevant: tasks have a section of their own, sessions and outcomes are recent work.
FIT = f"{state.LIVE} AND m.kind NOT IN ('task', 'session', 'outcome')"
# Without the body: it is read of the few that are shown.
COLUMNS = "SELECT m.id, m.key, m.kind, m.title, m.created, t.paths FROM memory m JOIN text t ON t.id = m.id"
_TARGETS = "SELECT l.target FROM link l JOIN memory m ON m.id = l.source"


@frozen
class Row:
    """A memory as relevance is told from it: no text, and its paths without lines."""

    id: int
    key: str
    kind: str
    title: str
    created: int
    paths: tuple[str, ...]


def row_of(row: Sequence[Any]) -> Row:
    """Return a row of ``COLUMNS`` as what relevance is told from."""
    number, key, kind, title, created, paths = row
    return Row(number, key, kind, title, created, tuple(map(without_lines, json.loads(paths))))


def unexpired(now: int) -> str:
    """Return the SQL condition for what has not expired."""
    return f"(m.expires IS NULL OR m.expires > {now})"


def candidates(catalog: Catalog, working: Sequence[str], now: int) -> list[Row]:
    """Return what may be relevant: the newest memories, and those that are about some place."""
    fit = f"{FIT} AND {unexpired(now)}"
    newest = catalog.rows(f"{COLUMNS} WHERE {fit} ORDER BY m.created DESC, m.key LIMIT ?", (NEWEST,))
    placed = catalog.rows(f"{COLUMNS} WHERE {fit} AND t.paths <> '[]'") if working else []
    rows = {row[0]: row_of(row) for row in (*newest, *placed)}
    return list(rows.values())


def score_all(
    catalog: Catalog, rows: Sequence[Row], working: Sequence[str], now: int, *, held: Sequence[str]
) -> list[tuple[Row, float]]:
    """Return memories with their relevance (B5), the most relevant first, and those that they are linked with."""
    overlaps = {row.id: path_overlap(row.paths, working) if working else 0.0 for row in rows}
    linked = _linked(catalog, [*held, *(row.key for row in rows if overlaps[row.id] >= 1.0)])
    # Those that are neither new nor about a place were not looked at so far.
    others = sorted(linked - {row.key for row in rows})
    found = catalog.each(f"{COLUMNS} WHERE {FIT} AND {unexpired(now)} AND m.key IN ({{}})", others)
    scored = []
    for row in (*rows, *map(row_of, found)):
        recency = 2.0 ** (-age_s(row.created, now) / DAY_S / HALF_LIFE_DAYS)
        score = overlaps.get(row.id, 0.0) * PATH_WEIGHT + (row.key in linked) * LINK_WEIGHT + recency * RECENCY_WEIGHT
        scored.append((row, score))
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0].created, pair[0].key))


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
