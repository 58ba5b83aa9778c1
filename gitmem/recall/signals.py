"""Signals of a candidate other than its words, with the policy and the settings applied."""

from __future__ import annotations

from gitmem.frozen import fields_of, replace
from gitmem.index.catalog import state
from gitmem.index.catalog.packed_texts import strings
from gitmem.model import ENGLISH, STALE, VERIFIED
from gitmem.recall import score
from gitmem.recall.bm25 import Bm25Weights, all_terms, lexical_scores
from gitmem.statuses import age_s
from gitmem.text.json_values import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.config.setting import Config
    from gitmem.index.catalog.catalog import Catalog
    from gitmem.index.engine import IndexText, Stats
    from gitmem.policy.policy import Policy
    from gitmem.recall.query import Query
    from gitmem.store.local import LocalState

DAY_S = 86400.0


def lexical_of(
    terms: Sequence[str],
    texts: Mapping[int, IndexText],
    frequencies: Callable[[Sequence[str]], Stats],
    policy: Policy,
    runs: Iterable[Sequence[int]] = (),
    *,
    language: str = ENGLISH,
) -> dict[int, float]:
    """Return the lexical score of each memory that has a term, with what an engine, or several, know of terms.

    All are analysed in one *language*.
    """
    weights = Bm25Weights(fields=tuple(fields_of(policy.recall.weights).values()))
    if language != ENGLISH:
        weights = replace(weights, shorthand=0.0)
    stats = frequencies(all_terms(terms, language))
    return lexical_scores(list(terms), texts.values(), stats, weights=weights, frequencies=frequencies, runs=runs)


def signals_of(
    catalog: Catalog,
    local: LocalState,
    lexical: Mapping[int, float],
    texts: Mapping[int, IndexText],
    statuses: Mapping[int, state.MemoryStatus],
    *,
    query: Query,
    policy: Policy,
    config: Config,
    now: int,
) -> list[score.Signals]:
    """Return what is known of each candidate that has a word of the query."""
    numbers = list(lexical)
    accesses = local.accesses(texts[n].key for n in numbers)
    half_lives: dict[str, float | None] = {}
    signals = []
    rows = catalog.each(_ROWS, numbers)
    for number, created, kind, importance, confidence, is_agents, fields in rows:
        if kind not in half_lives:
            half_lives[kind] = half_life_days(kind, policy, config)
        count, last = accesses.get(texts[number].key, (0, 0))
        # A check that failed confirmed nothing.
        held = statuses[number].at if statuses[number].own in (VERIFIED, STALE) else 0
        born = max(created, held)
        signals.append(
            score.Signals(
                number,
                lexical[number],
                key=texts[number].key,
                age_days=age_s(born, now) / DAY_S if born else 0.0,
                half_life_days=half_lives[kind],
                accesses=count,
                accessed_hours=age_s(last, now) / 3600,
                status=statuses[number].status,
                importance=score.grade(importance, default=0.5),
                confidence=score.grade(confidence, default=1.0),
                workspace=_affinity(fields, query.here) if fields else 0.0,
                is_agents=bool(is_agents),
            )
        )
    if query.paths or query.near or query.held:
        return _with_work(catalog, signals, texts, (*query.paths, *query.near), query.held)
    return signals


# Few memories name a workspace: the frontmatter of the others is not read.
_ROWS = (
    "SELECT m.id, m.created, m.kind, m.importance, m.confidence, m.agent <> '',"
    " CASE WHEN instr(t.marks, ' workspace ') THEN t.fields END"
    " FROM memory m JOIN text t ON t.id = m.id WHERE m.id IN ({})"
)


def half_life_days(kind: str, policy: Policy, config: Config) -> float | None:
    """Return in how many days a memory of a kind loses half of what age can take; None where age does not matter.

    The settings go before what a kind names in the policy, and that before what the policy says of all the others.
    """
    own = policy.kind(kind).half_life_s
    return None if own is None else config.recall_half_life_days or own / DAY_S or policy.recall.half_life_days


def _affinity(fields: str, here: tuple[str, str]) -> float:
    """Return how near the workspace that a memory names is to the reader's folder, from 0 to 1.

    A relative one is a folder of this code tree. An absolute one counts where it holds the reader's folder.
    """
    named, (folder, top) = parse_json(fields).get("workspace"), here
    if not isinstance(named, str) or not named or not folder:
        return 0.0
    if named.startswith("/"):
        return float(f"{folder}/".startswith(f"{named.rstrip('/')}/"))
    inside = folder.removeprefix(f"{top.rstrip('/')}/") if folder != top else ""
    return score.path_overlap([named], [inside]) if top and not inside.startswith("/") else 0.0


def _with_work(
    catalog: Catalog,
    signals: Sequence[score.Signals],
    texts: Mapping[int, IndexText],
    working: Sequence[str],
    held: Sequence[str],
) -> list[score.Signals]:
    """Return the signals with how near each memory is to where somebody works, and whether it is linked with that.

    What is worked on are the tasks that are held and the memories about these very places.
    """
    rows = catalog.each("SELECT id, paths FROM text WHERE id IN ({})", [s.number for s in signals])
    overlaps = {number: overlap_of(paths, working) for number, paths in rows}
    linked = neighbours(catalog, [texts[s.number].key for s in signals])
    others = catalog.each(
        "SELECT m.key, t.paths FROM memory m JOIN text t ON t.id = m.id"
        f" WHERE {state.LIVE} AND {state.CLAIM} AND t.paths <> '[]' AND m.key IN ({{}})",
        sorted(set().union(*linked.values())),
    )
    at_work = {key for key, paths in others if overlap_of(paths, working) >= 1.0} | set(held)
    return [
        replace(s, overlap=overlaps[s.number], is_linked=not at_work.isdisjoint(linked[texts[s.number].key]))
        for s in signals
    ]


def overlap_of(paths: str, working: Sequence[str]) -> float:
    """Return how near paths, as the catalog keeps them, are to where somebody works, from 0 to 1."""
    if not working or paths == "[]":
        return 0.0
    from gitmem.text.globs import without_lines

    return score.path_overlap([without_lines(place) for place in strings(paths)], working)


def neighbours(catalog: Catalog, keys: Sequence[str]) -> dict[str, set[str]]:
    """Return for each memory those that it requires and those that require it, by key or by produced label."""
    names: dict[str, set[str]] = {key: {key} for key in keys}
    needed: dict[str, set[str]] = {}
    links = catalog.each(
        "SELECT m.key, l.relation, l.target FROM memory m JOIN link l ON l.source = m.id"
        " WHERE l.relation IN ('produces', 'requires') AND m.key IN ({})",
        keys,
    )
    for key, relation, target in links:
        (names if relation == "produces" else needed).setdefault(target, set()).add(key)
    found: dict[str, set[str]] = {key: {name for name in needed if key in needed[name]} for key in keys}
    for relation, wanted in (("requires", names), ("produces", needed)):
        others = catalog.each(
            "SELECT l.target, m.key FROM link l JOIN memory m ON m.id = l.source"
            f" WHERE l.relation = '{relation}' AND l.target IN ({{}})",
            sorted(wanted),
        )
        for target, other in others:
            for key in wanted[target]:
                found[key].add(other)
    return found


def ranking_of(policy: Policy, config: Config, query: Query) -> score.Ranking:
    """Return what weighs the factors of a score: the policy's, the settings', and what is requested."""
    settings = policy.recall
    return replace(
        score.RANKING,
        **fields_of(settings.factors),
        points=settings.points,
        without=(*settings.without, *query.without),
        # Below 1 it would be no boost: what is read most would come last.
        access_boost=max(1.0, config.recall_access_boost_max or settings.access_boost_max),
        access_hours=config.recall_access_recency_hours or settings.access_recency_hours,
        floor=settings.relative_floor,
        statuses=tuple(fields_of(settings.status).items()),
    )
