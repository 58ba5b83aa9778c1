"""The data that a page's search needs to rank like ``gitmem recall``: words, sizes, and each memory's factors.

A page knows neither current work nor other stores. So all factors of a memory's score except words and age are one
number, which ``recall`` computes and the page multiplies.
"""

from __future__ import annotations

from gitmem.frozen import fields_of, frozen, replace
from gitmem.index import EVERYWHERE, FEW, FIELD_WEIGHTS
from gitmem.index.catalog import texts_of
from gitmem.model import ADOPTED, ENGLISH, FACTORS, FAILED, STALE, VERIFIED
from gitmem.policy.kinds import REQUEST
from gitmem.recall import bm25
from gitmem.recall.query import Query
from gitmem.recall.ranker import candidates_for
from gitmem.recall.scoring import half_life_days, rank, ranking_of, signals_of
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.index.catalog.state import MemoryStatus
    from gitmem.recall.scoring import RecallRun
    from gitmem.store.local import LocalState

# Memories whose signals are read at once: SQLite before 3.32 allows 999 parameters.
BATCH = 500


@frozen
class RankFactors:
    """The parts of a memory's rank besides its words.

    Attributes:
        since: When it was created or last confirmed, epoch seconds; 0 if unknown.
        factor: The product of all factors of its score except words and age, > 0.
    """

    since: int
    factor: float


def list_rank_factors(
    catalog: Catalog,
    local: LocalState,
    statuses: Mapping[int, MemoryStatus],
    run: RecallRun,
) -> dict[int, RankFactors]:
    """Return the ranks of some memories without their words, by number."""
    query = Query()
    ranking = ranking_of(run, query)
    timeless = replace(ranking, floor=0.0, recency=0.0)
    rank_factors = {}
    numbers = list(statuses)
    created = dict(catalog.each("SELECT id, created FROM memory WHERE id IN ({})", numbers))
    for at in range(0, len(numbers), BATCH):
        lexical = dict.fromkeys(numbers[at : at + BATCH], 1.0)
        texts = texts_of(catalog, lexical)
        signals = signals_of(catalog, local, lexical, texts, statuses, query=query, run=run)
        for ranked in rank(signals, limit=BATCH, ranking=timeless):
            status = statuses[ranked.number]
            held = status.at if status.own in (VERIFIED, STALE) else 0
            rank_factors[ranked.number] = RankFactors(max(created[ranked.number], held), ranked.score)
    return rank_factors


def settings(kinds: Sequence[str], *, run: RecallRun, language: str) -> dict[str, Any]:
    """Return the sizes and tables of the ranking for a page with memories of these kinds; empty if it cannot rank.

    Only English is stemmed by the page's script.
    """
    if language != ENGLISH:
        return {}
    query = Query(limit=run.config.recall_limit)
    ranking = ranking_of(run, query)
    weights = bm25.Bm25Weights(fields=tuple(fields_of(run.policy.recall.weights).values()))
    names = {
        *("fields", "k1", "b", "pair", "coverage", "related", "related_memories", "related_terms"),
        *("shorthand", "title"),
    }
    return {
        "weights": {name: value for name, value in fields_of(weights).items() if name in names},
        "recency": 0.0 if FACTORS[0] in ranking.without else ranking.recency,
        "floor": ranking.floor,
        "candidates": candidates_for(query, run),
        "found_by": FIELD_WEIGHTS,
        "everywhere": EVERYWHERE,
        "few": FEW,
        "half_lives": {kind: half_life_days(kind, run.policy, run.config) for kind in kinds},
        "unread": run.policy.unread(REQUEST),
        "adopted": [ADOPTED, FAILED],
        "variants": bm25.all_variants(),
        "words": tokens.tables(),
    }
