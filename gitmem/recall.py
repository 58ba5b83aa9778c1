"""Recall: the ranked look-up for a question, the newest memories, and counts. Runs nothing and writes nothing."""

from __future__ import annotations

from gitmem import analysis, logs
from gitmem.catalog import state
from gitmem.frozen import fields_of, frozen, replace
from gitmem.graph import age_s
from gitmem.model import Hit
from gitmem.search import near, score
from gitmem.search.engine import IndexText
from gitmem.search.fts import FtsEngine
from gitmem.search.lexical import Weights, asked_terms, lexical_scores
from gitmem.store.scope import is_meant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence

    from gitmem.catalog.catalog import Catalog
    from gitmem.config import Config
    from gitmem.policy import Policy
    from gitmem.search.engine import Engine, Stats
    from gitmem.store.local import LocalState

DAY_S = 86400.0
# Characters of a body shown under a hit: what fits on one line of a wide terminal.
SNIPPET = 160
# How many candidates an engine is asked for at least, so that the factors have something to choose from. Twice as many
# cost 4 ms more and change nDCG@10 by .005 at most (measured on the recall benchmark).
CANDIDATES = 60
# The policy's bound (`policy`, candidate_multiplier); a setting of the environment has none.
MULTIPLIER_AT_MOST = 1000.0


@frozen
class Asked:
    """What recall is asked for.

    Attributes:
        query: The question as typed; empty for the newest memories.
        kinds: Only these kinds; empty for all.
        tags: Only memories with all of these tags.
        paths: Only memories whose ``paths`` have to do with one of these files or folders of the code.
        statuses: Only these statuses.
        limit: How many hits, >= 1.
        everything: Archived, superseded and expired memories too.
        syntax: Whether the query is one of the query language (``precise``); else nothing typed is syntax.
        scopes: Only these scopes; empty for all.
        domains: In the universal store, only memories that name none or one of these; None where that does not matter.
    """

    query: str = ""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    limit: int = 10
    everything: bool = False
    syntax: bool = False
    scopes: tuple[str, ...] = ()
    domains: tuple[str, ...] | None = None


@frozen
class Found:
    """What recall found.

    Attributes:
        hits: The best or newest first.
        more: How many more there are (at least).
        notice: One line on how they were found where it is not as asked; or empty.
        suggestion: Where nothing was found, a question like it that finds something; or empty.
    """

    hits: tuple[Hit, ...]
    more: int
    notice: str = ""
    suggestion: str = ""


def where(catalog: Catalog, ground: int | None, asked: Asked, *, now: int) -> tuple[str, list[object]]:
    """Return the SQL condition on ``memory m`` for all filters, with the functions that it calls.

    No filter works behind the limit: what fits would be lost among better matches that do not.
    """
    parts = ["m.shadowed = 0"]
    values: list[object] = []
    if not asked.everything:
        parts.append("m.archived = 0 AND m.superseded = 0 AND (m.expires IS NULL OR m.expires > ?)")
        values.append(now)
    if asked.domains is not None:
        scopes, domains = asked.scopes, asked.domains
        catalog.connection.create_function("is_meant", 1, lambda fields: is_meant(fields, scopes, domains))
        parts.append("EXISTS (SELECT 1 FROM text d WHERE d.id = m.id AND is_meant(d.fields))")
    if asked.kinds:
        parts.append(f"m.kind IN ({','.join('?' * len(asked.kinds))})")
        values += asked.kinds
    for tag in asked.tags:
        parts.append("EXISTS (SELECT 1 FROM tag g WHERE g.tag = ? AND g.id = m.id)")
        values.append(tag)
    if asked.statuses:
        catalog.connection.create_function(
            "has_status", 1, with_status(catalog, ground, asked.statuses, now=now).__contains__
        )
        parts.append("has_status(m.id)")
    if asked.paths:
        from gitmem.globs import has_to_do  # re2 is loaded for a pattern only

        catalog.connection.create_function("is_about", 1, lambda places: has_to_do(listed(places), asked.paths))
        parts.append("EXISTS (SELECT 1 FROM text p WHERE p.id = m.id AND p.paths <> '[]' AND is_about(p.paths))")
    return " AND ".join(parts), values


def with_status(catalog: Catalog, ground: int | None, statuses: Sequence[str], *, now: int) -> set[int]:
    """Return the memories that have one of the statuses: facts, and what rests on one that failed."""
    chains = state.suspects(catalog, ground)
    numbers = [row[0] for row in catalog.rows("SELECT id FROM fact")]
    numbers += [row[0] for row in catalog.each("SELECT id FROM memory WHERE key IN ({})", chains)]
    told = state.tell(catalog, ground, numbers, now=now, chains=chains)
    return {number for number in numbers if told[number].status in statuses}


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
) -> Found:
    """Rank memories against a question, best first; without a question, the newest first.

    Where no word of it is in any memory, those that contain a part of one are found, and it is said.
    """
    if not asked.query.strip():
        return newest(catalog, ground, asked, now=now)
    terms = analysis.query_terms(asked.query)
    condition, values = where(catalog, ground, asked, now=now)
    own, wanted = FtsEngine(catalog.connection), candidates_for(asked, policy, config)
    found = (engine or own).candidates(asked_terms(terms), limit=wanted, where=condition, parameters=values)
    numbers, by, notice = [c.number for c in found], terms, ""
    parts = near.parts_of(asked.query) if not numbers and not own.frequencies(terms).frequency else ()
    if parts:
        numbers = near.containing(catalog, parts, limit=wanted, where=condition, parameters=values)
        by = near.terms_with(texts_of(catalog, numbers).values(), parts)
        notice = f"no memory has a word of {asked.query!r}; these contain a part of it"
    if not numbers:
        return Found((), 0, suggestion=near.suggestion(catalog, own, asked.query, terms))
    done = rank_found(catalog, local, ground, asked, (by, numbers), policy=policy, config=config, now=now)
    return replace(done, notice=notice)


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
) -> Found:
    """Rank what an engine *found*, by which terms and which memories, with the one scorer, best first.

    Where it *is_exact*, all of them are meant: none is left out for being far behind the best.
    """
    terms, numbers = found
    texts = texts_of(catalog, numbers)
    runs = [] if is_exact else runs_in(catalog, texts, *where(catalog, ground, asked, now=now))
    lexical = lexical_of(terms, texts, FtsEngine(catalog.connection).frequencies, policy, runs)
    told = state.tell(catalog, ground, lexical, now=now, chains=state.suspects(catalog, ground))
    signals = signals_of(catalog, local, lexical, texts, told, policy=policy, config=config, now=now)
    signals = logs.with_talk(signals, asked.query, texts, runs)
    if asked.paths:
        signals = with_nearness(catalog, signals, asked.paths)
    ranking = replace(ranking_of(policy, config), floor=0.0) if is_exact else ranking_of(policy, config)
    ranked = score.rank(signals, limit=max(1, len(signals)), ranking=ranking)
    hits = hits_of(catalog, ranked[: asked.limit], texts, told, terms)
    return Found(tuple(hits), max(0, len(ranked) - asked.limit))


def texts_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, IndexText]:
    """Return what is searched of each memory, by number."""
    rows = catalog.each(
        "SELECT m.id, m.title, t.tags, m.key, t.paths, t.body FROM memory m JOIN searched t ON t.id = m.id"
        " WHERE m.id IN ({})",
        numbers,
    )
    return {row[0]: IndexText(row[0], row[1], words(row[2]), row[3], words(row[4]), row[5]) for row in rows}


def runs_in(
    catalog: Catalog, texts: dict[int, IndexText], condition: str, parameters: Sequence[object]
) -> list[list[int]]:
    """Return which candidates stand in a log one after the other; neighbours that are none yet come to *texts*."""
    runs = logs.runs_of(catalog, texts, condition, parameters)
    texts |= texts_of(catalog, (number for run in runs for number in run if number not in texts))
    return runs


def text_of(catalog: Catalog, key: str) -> tuple[int, IndexText]:
    """Return the number and the text of the memory that counts for a key."""
    number = catalog.row("SELECT id FROM memory WHERE key = ? ORDER BY shadowed", (key,))[0]
    return number, texts_of(catalog, [number])[number]


def words(listed: str) -> str:
    """Return a JSON list of strings, as the catalog keeps tags and paths, as words separated by spaces.

    Quicker than a JSON parser's import (1 ms), and it is only searched: what an escape would become matters little.
    """
    return listed[2:-2].replace('", "', " ") if len(listed) > 2 else ""


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


def listed(text: str) -> list[str]:
    """Return a JSON list of strings, as the catalog keeps tags and paths, exactly."""
    if text == "[]":
        return []
    import json  # 1 ms, and only where a filter or a listing asks

    found: list[str] = json.loads(text)
    return found


def with_nearness(catalog: Catalog, signals: Sequence[score.Signals], working: Sequence[str]) -> list[score.Signals]:
    """Return the signals with how near each memory is to where somebody works."""
    from gitmem.globs import without_lines

    rows = catalog.each("SELECT id, paths FROM text WHERE id IN ({})", [s.number for s in signals])
    places = {number: [without_lines(place) for place in listed(paths)] for number, paths in rows}
    return [replace(s, overlap=score.path_overlap(places[s.number], working)) for s in signals]


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
        snippet, _ = analysis.snippet(text.body, terms, width=SNIPPET)
        hits.append(
            Hit(text.key, kind, text.title, told[r.number].status, round(r.score, 4), "project", snippet, created, path,
                bool(archived), r.factors)
        )  # fmt: skip
    return hits


def newest(
    catalog: Catalog, ground: int | None, asked: Asked, *, now: int, among: Container[int] | None = None
) -> Found:
    """Return the newest memories that pass the filters, the newest first; only *among* these numbers where given."""
    condition, values = where(catalog, ground, asked, now=now)
    if among is not None:
        catalog.connection.create_function("is_among", 1, among.__contains__)
        condition += " AND is_among(m.id)"
    rows = catalog.rows(
        "SELECT m.id, m.key, m.kind, m.title, m.created, m.path, m.archived FROM memory m"
        f" WHERE {condition} ORDER BY m.created DESC, m.key LIMIT ?",
        (*values, asked.limit + 1),
    )
    more = len(rows) > asked.limit
    rows = rows[: asked.limit]
    chains = state.suspects(catalog, ground)
    numbers = [row[0] for row in rows]
    told = state.tell(catalog, ground, numbers, now=now, chains=chains)
    texts = texts_of(catalog, numbers)
    hits = []
    for number, key, kind, title, created, path, archived in rows:
        snippet, _ = analysis.snippet(texts[number].body, (), width=SNIPPET)
        status = told[number].status
        hits.append(Hit(key, kind, title, status, 0.0, "project", snippet, created, path, bool(archived)))
    total = catalog.row(f"SELECT count(*) FROM memory m WHERE {condition}", values)[0] if more else len(hits)
    return Found(tuple(hits), total - len(hits))


def list_memories(catalog: Catalog, ground: int | None, asked: Asked, *, now: int) -> Found:
    """Return memories that pass the filters, the newest first, with their tags and without their text."""
    condition, values = where(catalog, ground, asked, now=now)
    rows = catalog.rows(
        "SELECT m.id, m.key, m.kind, m.title, m.created, m.path, m.archived, t.tags FROM memory m"
        f" JOIN text t ON t.id = m.id WHERE {condition} ORDER BY m.created DESC, m.key",
        values,
    )
    more = max(0, len(rows) - asked.limit)
    rows = rows[: asked.limit]
    told = state.tell(catalog, ground, [row[0] for row in rows], now=now, chains=state.suspects(catalog, ground))
    hits = [
        Hit(key, kind, title, told[number].status, 0.0, "project", "", created, path, bool(archived),
            tags=tuple(listed(tags)), weak=told[number].weak, flapping=told[number].flapping)
        for number, key, kind, title, created, path, archived, tags in rows
    ]  # fmt: skip
    return Found(tuple(hits), more)


def statistics(catalog: Catalog, *, now: int) -> dict[str, object]:
    """Return counts (A7): live memories by kind, and what has left search and why."""
    live = f"{state.LIVE} AND (m.expires IS NULL OR m.expires > {now})"
    kinds = dict(catalog.rows(f"SELECT kind, count(*) FROM memory m WHERE {live} GROUP BY kind ORDER BY 2 DESC, 1"))
    tags = catalog.rows(
        f"SELECT g.tag, count(*) FROM tag g JOIN memory m ON m.id = g.id WHERE {live} GROUP BY 1"
        " ORDER BY 2 DESC, 1 LIMIT 20"
    )
    one = "SELECT count(*) FROM memory m WHERE m.shadowed = 0 AND "
    return {
        "total": sum(kinds.values()),
        "kinds": kinds,
        "tags": dict(tags),
        "archived": catalog.row(one + "m.archived = 1")[0],
        "superseded": catalog.row(one + "m.archived = 0 AND m.superseded = 1")[0],
        "expired": catalog.row(one + "m.archived = 0 AND m.superseded = 0 AND m.expires <= ?", (now,))[0],
    }
