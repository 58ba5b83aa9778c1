"""Recall: the ranked look-up for a question in one store. Runs nothing and writes nothing."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.index.catalog import state
from gitmem.index.catalog.search_texts import texts_of
from gitmem.index.fts import FtsEngine
from gitmem.model import Hit
from gitmem.recall import logs, score, suggestions
from gitmem.recall.bm25 import asked_terms
from gitmem.recall.listing import SNIPPET, newest
from gitmem.recall.query import Found, counted, is_sound, where, withheld
from gitmem.recall.signals import lexical_of, ranking_of, signals_of
from gitmem.recall.texts import runs_in
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from gitmem.config.setting import Config
    from gitmem.index.catalog.catalog import Catalog
    from gitmem.index.engine import Engine, IndexText
    from gitmem.policy.policy import Policy
    from gitmem.recall.query import Asked
    from gitmem.recall.semantic import Meaning, Sources
    from gitmem.store.local import LocalState

# How many candidates an engine is asked for at least, so that the factors have something to choose from. Twice as many
# cost 4 ms more and change nDCG@10 by .005 at most (measured on the recall benchmark).
CANDIDATES = 60
# The policy's bound (`policy`, candidate_multiplier); a setting of the environment has none.
MULTIPLIER_AT_MOST = 1000.0


def recall(
    catalog: Catalog,
    local: LocalState,
    ground: int | None,
    asked: Asked,
    *,
    policy: Policy,
    config: Config,
    now: int,
    engine: Engine | None = None,
    meaning: Meaning | None = None,
) -> Found:
    """Rank memories against a question, best first; without a question, the newest first.

    Where no word of it is in any memory, those that contain a part of one are found, and it is said. With *meaning*,
    what is near to the question without sharing a word with it is found, too.
    """
    if not asked.query.strip():
        return newest(catalog, ground, asked, now=now)
    terms = tokens.query_terms(asked.query, catalog.language)
    own, wanted = FtsEngine(catalog.connection, catalog.kept()), candidates_for(asked, policy, config)
    numbers, by, notice = list[int](), terms, ""
    for condition, values in conditions(catalog, ground, asked, now=now):
        of = asked_terms(terms, catalog.language)
        found = (engine or own).candidates(of, limit=wanted, where=condition, parameters=values)
        numbers += [c.number for c in found]
    parts = suggestions.parts_of(asked.query) if not numbers and not own.frequencies(terms).frequency else ()
    if parts:
        for condition, values in conditions(catalog, ground, asked, now=now):
            numbers += suggestions.containing(catalog, parts, limit=wanted, where=condition, parameters=values)
        by = suggestions.terms_with(texts_of(catalog, numbers).values(), parts, catalog.language)
        notice = f"no memory contains a whole word of {asked.query!r}; these contain parts of them" if numbers else ""
    if meaning is not None:
        for condition, values in conditions(catalog, ground, asked, now=now):
            numbers += meaning.nearest(0, condition, values, limit=wanted)
        numbers = list(dict.fromkeys(numbers))
    if not numbers:
        return Found((), 0, suggestion=suggestions.suggestion(catalog, own, asked.query, terms))
    done = rank_found(
        catalog, local, ground, asked, (by, numbers), policy=policy, config=config, now=now, meaning=meaning
    )
    return replace(done, notice=notice)


def conditions(
    catalog: Catalog, ground: int | None, asked: Asked, *, now: int
) -> Iterator[tuple[str, Sequence[object]]]:
    """Yield the condition on what is looked for; for a strict question, then that on what is only counted."""
    yield where(catalog, ground, asked, now=now)
    if asked.strict:
        yield withheld(catalog, ground, asked, now=now)


def candidates_for(asked: Asked, policy: Policy, config: Config) -> int:
    """Return how many candidates an engine is asked for."""
    multiplier = min(config.recall_candidate_multiplier or policy.recall.candidate_multiplier, MULTIPLIER_AT_MOST)
    return max(CANDIDATES, int(asked.limit * multiplier) + 1)


def rank_found(
    catalog: Catalog,
    local: LocalState,
    ground: int | None,
    asked: Asked,
    found: tuple[Sequence[str], Sequence[int]],
    *,
    policy: Policy,
    config: Config,
    now: int,
    is_exact: bool = False,
    meaning: Meaning | None = None,
) -> Found:
    """Rank what an engine *found*, by which terms and which memories, with the one scorer, best first.

    Where it *is_exact*, all of them are meant: none is left out for being far behind the best.
    """
    terms, numbers = found
    texts = texts_of(catalog, numbers)
    runs = [] if is_exact else runs_in(catalog, texts, *where(catalog, ground, asked, now=now))
    known = FtsEngine(catalog.connection).frequencies
    lexical = lexical_of(terms, texts, known, policy, runs, language=catalog.language)
    sources: dict[int, Sources] = {}
    if meaning is not None:
        fused = meaning.fused(lexical, texts, policy.recall.dense)
        lexical = {number: score for number, (score, _) in fused.items()}
        sources = {number: parts for number, (_, parts) in fused.items()}
    told = state.tell(catalog, ground, lexical, now=now, chains=state.suspects(catalog, ground))
    signals = signals_of(catalog, local, lexical, texts, told, asked=asked, policy=policy, config=config, now=now)
    signals = logs.with_talk(signals, asked.query, texts, runs)
    ranking = ranking_of(policy, config, asked)
    ranked, kept_back = ranked_of(signals, told, replace(ranking, floor=0.0) if is_exact else ranking, asked)
    if meaning is not None:
        ranked = [*meaning.diversified(ranked, asked.limit, policy.recall.dense)]
    hits = hits_of(catalog, ranked[: asked.limit], texts, told, terms)
    hits = with_sources(hits, [r.number for r in ranked], sources)
    return Found(tuple(hits), max(0, len(ranked) - asked.limit), withheld=kept_back)


def ranked_of(
    signals: Sequence[score.Signals], told: Mapping[int, state.Told], ranking: score.Ranking, asked: Asked
) -> tuple[list[score.Ranked], tuple[tuple[str, int], ...]]:
    """Return candidates ranked; for a strict question the sound ones, and how many others fit as well, by status."""
    sound = [s for s in signals if is_sound(told[s.number])] if asked.strict else signals
    ranked = score.rank(sound, limit=max(1, len(signals)), ranking=ranking)
    if not asked.strict:
        return ranked, ()
    others = score.rank([s for s in signals if not is_sound(told[s.number])], limit=len(signals), ranking=ranking)
    least = ranked[0].score * ranking.floor if ranked else 0.0
    return ranked, counted(told[other.number].status for other in others if other.score >= least)


def with_sources(hits: Sequence[Hit], numbers: Sequence[int], sources: Mapping[int, Sources]) -> list[Hit]:
    """Return the hits with what words and meaning are worth in each; as they are where only words count."""
    if not sources:
        return list(hits)
    return [
        replace(hit, factors=(("relevance", hit.factors[0][1]), *hit.factors[1:]), sources=sources[number])
        for hit, number in zip(hits, numbers, strict=False)
    ]


def hits_of(
    catalog: Catalog,
    ranked: Sequence[score.Ranked],
    texts: Mapping[int, IndexText],
    told: Mapping[int, state.Told],
    terms: Sequence[str],
) -> list[Hit]:
    """Return the hits of what was ranked, in its order."""
    rows = {
        row[0]: row[1:]
        for row in catalog.each(
            "SELECT id, kind, created, path, archived FROM memory WHERE id IN ({})", [r.number for r in ranked]
        )
    }
    hits = []
    for r in ranked:
        text, (kind, created, path, archived) = texts[r.number], rows[r.number]
        snippet, matches = tokens.snippet(text.body, terms, width=SNIPPET, language=catalog.language)
        hits.append(
            Hit(text.key, kind, text.title, told[r.number].status, round(r.score, 4), "project", snippet, created, path,
                bool(archived), r.factors, matches=tuple(matches))
        )  # fmt: skip
    return hits
