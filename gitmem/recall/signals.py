"""What is known of a candidate besides its words, and what the policy and the settings make of it."""

from __future__ import annotations

from gitmem.frozen import fields_of, replace
from gitmem.graph import age_s
from gitmem.recall.texts import listed
from gitmem.search import score
from gitmem.search.lexical import Weights, asked_terms, lexical_scores

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.catalog import state
    from gitmem.catalog.catalog import Catalog
    from gitmem.config import Config
    from gitmem.policy import Policy
    from gitmem.search.engine import IndexText, Stats
    from gitmem.store.local import LocalState

DAY_S = 86400.0


def lexical_of(
    terms: Sequence[str],
    texts: Mapping[int, IndexText],
    frequencies: Callable[[Sequence[str]], Stats],
    policy: Policy,
    runs: Iterable[Sequence[int]] = (),
) -> dict[int, float]:
    """Return the lexical score of each memory that has a term, with what an engine, or several, know of terms."""
    fields = policy.recall.weights
    weights = Weights(fields=(fields.title, fields.tags, fields.key, fields.paths, fields.body))
    stats = frequencies(asked_terms(terms))
    return lexical_scores(list(terms), texts.values(), stats, weights=weights, frequencies=frequencies, runs=runs)


def signals_of(
    catalog: Catalog,
    local: LocalState,
    lexical: Mapping[int, float],
    texts: Mapping[int, IndexText],
    told: Mapping[int, state.Told],
    *,
    policy: Policy,
    config: Config,
    now: int,
) -> list[score.Signals]:
    """Return what is known of each candidate that has a word of the query."""
    numbers = list(lexical)
    accesses = local.accesses(texts[n].key for n in numbers)
    half_life = config.recall_half_life_days or policy.recall.half_life_days
    signals = []
    rows = catalog.each("SELECT id, created, kind, importance, confidence FROM memory WHERE id IN ({})", numbers)
    for number, created, kind, importance, confidence in rows:
        count, last = accesses.get(texts[number].key, (0, 0))
        born = max(created, told[number].at)
        signals.append(
            score.Signals(
                number,
                lexical[number],
                age_days=age_s(born, now) / DAY_S if born else 0.0,
                half_life_days=half_life if policy.kind(kind).decays else None,
                accesses=count,
                accessed_hours=age_s(last, now) / 3600,
                status=told[number].status,
                importance=score.grade(importance, default=0.5),
                confidence=score.grade(confidence, default=1.0),
            )
        )
    return signals


def with_nearness(catalog: Catalog, signals: Sequence[score.Signals], working: Sequence[str]) -> list[score.Signals]:
    """Return the signals with how near each memory is to where somebody works."""
    from gitmem.globs import without_lines

    rows = catalog.each("SELECT id, paths FROM text WHERE id IN ({})", [s.number for s in signals])
    places = {number: [without_lines(place) for place in listed(paths)] for number, paths in rows}
    return [replace(s, overlap=score.path_overlap(places[s.number], working)) for s in signals]


def ranking_of(policy: Policy, config: Config) -> score.Ranking:
    """Return what weighs the factors of a score: the scorer's own, the policy's, and the settings'."""
    base = score.RANKING
    return replace(
        base,
        # Below 1 it would be no boost: what is read most would come last.
        access_boost=max(1.0, config.recall_access_boost_max or policy.recall.access_boost_max),
        access_hours=config.recall_access_recency_hours or policy.recall.access_recency_hours,
        floor=policy.recall.relative_floor,
        statuses=tuple(fields_of(policy.recall.status).items()),
    )
