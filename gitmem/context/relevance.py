"""What is relevant to the work at hand, where there are no words to go by (B5)."""

from __future__ import annotations

from gitmem.catalog import state
from gitmem.frozen import frozen
from gitmem.graph import age_s
from gitmem.recall.signals import half_life_days, neighbours, overlap_of
from gitmem.search import score

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.catalog.catalog import Catalog
    from gitmem.config import Config
    from gitmem.policy import Policy

DAY_S = 86400
# Newest memories that are looked at for relevance besides those whose paths match.
NEWEST = 200
# What may be relevant: tasks have a section of their own, sessions and outcomes are recent work.
FIT = f"{state.LIVE} AND m.kind NOT IN ('task', 'session', 'outcome')"
# Without the body: it is read of the few that are shown.
COLUMNS = "SELECT m.id, m.key, m.kind, m.title, m.created, t.paths FROM memory m JOIN text t ON t.id = m.id"


@frozen
class Row:
    """A memory as relevance is told from it, without its text."""

    id: int
    key: str
    kind: str
    title: str
    created: int
    paths: str


def row_of(row: Sequence[Any]) -> Row:
    """Return a row of ``COLUMNS`` as what relevance is told from."""
    number, key, kind, title, created, paths = row
    return Row(number, key, kind, title, created, paths)


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
    catalog: Catalog,
    rows: Sequence[Row],
    working: Sequence[str],
    now: int,
    *,
    held: Sequence[str],
    policy: Policy,
    config: Config,
) -> list[tuple[Row, float]]:
    """Return memories with their relevance (B5), the most relevant first, and those that they are linked with."""
    overlaps = {row.id: overlap_of(row.paths, working) for row in rows}
    at_work = [*held, *(row.key for row in rows if overlaps[row.id] >= 1.0)]
    linked = set[str]().union(*neighbours(catalog, at_work).values())
    # Those that are neither new nor about a place were not looked at so far.
    others = sorted(linked - {row.key for row in rows})
    found = catalog.each(f"{COLUMNS} WHERE {FIT} AND {unexpired(now)} AND m.key IN ({{}})", others)
    scored = []
    for row in (*rows, *map(row_of, found)):
        recency = score.recency(age_s(row.created, now) / DAY_S, half_life_days(row.kind, policy, config))
        overlap, is_linked = overlaps.get(row.id, 0.0), row.key in linked
        points = score.relevance(policy.recall.points, overlap, is_linked=is_linked, recency=recency)
        scored.append((row, points))
    return sorted(scored, key=lambda pair: (-pair[1], -pair[0].created, pair[0].key))
