"""List and count memories without a search text, newest first."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.index.catalog import refs_of, short_ids, state, strings, texts_of
from gitmem.model import Hit
from gitmem.recall.conditions import (
    count_statuses,
    filter_condition,
    hit_condition,
    unsound_statuses,
    withheld_condition,
)
from gitmem.recall.query import SNIPPET, Query, RecallResult
from gitmem.store.scopes import DOMAIN, PROJECT, UNIVERSAL
from gitmem.text import tokens
from gitmem.text.natural_order import natural_order

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.recall.searched_store import SearchedStore


def newest(
    catalog: Catalog, ground: int | None, query: Query, *, now: int, among: Container[int] | None = None
) -> RecallResult:
    """Return the newest memories that pass the filters, newest first; only those *among* these numbers, if given."""
    condition, values = hit_condition(catalog, ground, query, now=now)
    only = ""
    if among is not None:
        catalog.connection.create_function("is_among", 1, among.__contains__)
        condition += (only := " AND is_among(m.id)")
    rows, more = _newest_rows(catalog, condition, values, query.limit, now=now)
    texts = texts_of(catalog, [row[0] for row in rows])
    hits = [
        replace(hit, snippet=tokens.snippet(texts[number].body, (), width=SNIPPET)[0])
        for number, _, hit in _hits_of(catalog, ground, rows, now=now)
    ]
    return RecallResult(tuple(hits), more, withheld=_withheld(catalog, ground, query, only, now=now))


def _newest_rows(
    catalog: Catalog, condition: str, values: Sequence[object], limit: int, *, now: int
) -> tuple[list[tuple[Any, ...]], int]:
    """Return the newest memories that meet a condition, and how many more do."""
    rows = catalog.rows(
        f"SELECT m.id, m.key, m.kind, m.title, m.created, m.path, {state.gone_column(now)} FROM memory m"
        f" WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?",
        (*values, limit + 1),
    )
    if len(rows) <= limit:
        return rows, 0
    return rows[:limit], catalog.row(f"SELECT count(*) FROM memory m WHERE {condition}", values)[0] - limit


def _hits_of(
    catalog: Catalog, ground: int | None, rows: Sequence[tuple[Any, ...]], *, now: int
) -> Iterator[tuple[int, state.MemoryStatus, Hit]]:
    """Yield the number, the status and the hit, without a text, of each row of ``_newest_rows``."""
    numbers, chains = [row[0] for row in rows], state.suspects(catalog, ground)
    statuses, refs = state.statuses_of(catalog, ground, numbers, now=now, chains=chains), refs_of(catalog, numbers)
    ids = short_ids(catalog, [row[1] for row in rows])
    for number, key, kind, title, created, path, gone in rows:
        status, its = statuses[number], refs.get(number, ())
        yield (
            *(number, status),
            Hit(
                key,
                kind,
                title,
                status.status,
                0.0,
                PROJECT,
                "",
                created,
                path,
                gone,
                refs=its,
                short_id=ids.get(key, ""),
            ),
        )


def _withheld(
    catalog: Catalog, ground: int | None, query: Query, only: str, *, now: int
) -> tuple[tuple[str, int], ...]:
    """Return how many memories a strict listing leaves out, by status."""
    if not query.strict:
        return ()
    condition, values = withheld_condition(catalog, ground, query, now=now)
    statuses = unsound_statuses(catalog, ground, now=now)
    return count_statuses(
        statuses[row[0]] for row in catalog.rows(f"SELECT m.id FROM memory m WHERE {condition}{only}", values)
    )


def merge_results(sources: Sequence[SearchedStore], results: Sequence[RecallResult], limit: int) -> RecallResult:
    """Merge the results of several stores into one, newest first."""
    hits = [source.locate(hit) for source, result in zip(sources, results, strict=True) for hit in result.hits]
    hits.sort(key=lambda hit: (-hit.created, natural_order(hit.key)))
    more = sum(result.more for result in results) + max(0, len(hits) - limit)
    kept_back = count_statuses(
        status for result in results for status, number in result.withheld for _ in range(number)
    )
    return RecallResult(tuple(hits[:limit]), more, withheld=kept_back)


def list_memories(sources: Sequence[SearchedStore], query: Query, *, now: int) -> RecallResult:
    """Return memories of some stores that pass the filters, newest first, with their tags but no text."""
    return merge_results(
        sources, [_list_in(s.catalog, s.ground, s.narrow(query), now=now) for s in sources], query.limit
    )


def _list_in(catalog: Catalog, ground: int | None, query: Query, *, now: int) -> RecallResult:
    condition, values = filter_condition(catalog, ground, query, now=now)
    rows, more = _newest_rows(catalog, condition, values, query.limit, now=now)
    tags = dict(catalog.each("SELECT id, tags FROM text WHERE id IN ({})", [row[0] for row in rows]))
    hits = [
        replace(hit, tags=tuple(strings(tags[number])), weak=status.weak, flapping=status.flapping, moved=status.moved)
        for number, status, hit in _hits_of(catalog, ground, rows, now=now)
    ]
    return RecallResult(tuple(hits), more)


def statistics(catalog: Catalog, *, now: int) -> dict[str, object]:
    """Return counts: live memories by kind, and those that have left search by reason."""
    live = f"{state.LIVE} AND (m.expires IS NULL OR m.expires > {now})"
    kinds = dict(catalog.rows(f"SELECT kind, count(*) FROM memory m WHERE {live} GROUP BY kind ORDER BY 2 DESC, 1"))
    tags = catalog.rows(
        f"SELECT g.tag, count(*) FROM tag g JOIN memory m ON m.id = g.id WHERE {live} GROUP BY 1"
        " ORDER BY 2 DESC, 1 LIMIT 20"
    )
    query_start = "SELECT count(*) FROM memory m WHERE m.shadowed = 0 AND "
    return {
        "total": sum(kinds.values()),
        "kinds": kinds,
        "tags": dict(tags),
        "archived": catalog.row(query_start + "m.archived = 1")[0],
        "superseded": catalog.row(query_start + "m.archived = 0 AND m.superseded = 1")[0],
        "expired": catalog.row(query_start + "m.archived = 0 AND m.superseded = 0 AND m.expires <= ?", (now,))[0],
    }


def scopes_of(source: SearchedStore, *, now: int) -> dict[str, int]:
    """Return how many live memories a store has in each scope for this project."""
    counts = {}
    for scope in (source.scope,) if source.domains is None else (DOMAIN, UNIVERSAL):
        query = source.narrow(Query(scopes=(scope,)))
        condition, values = filter_condition(source.catalog, source.ground, query, now=now)
        counts[scope] = source.catalog.row(f"SELECT count(*) FROM memory m WHERE {condition}", values)[0]
    return counts
