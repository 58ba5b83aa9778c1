"""Recall with the query language, and memories similar to one: only the Whoosh index can answer these.

A separate module, because importing Whoosh takes several times as long as starting Python (measured: 100 ms).
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.index import FtsEngine
from gitmem.index.catalog import strings, text_of
from gitmem.index.whoosh import syntax
from gitmem.recall import suggestions
from gitmem.recall.conditions import hit_condition, with_status
from gitmem.recall.inventory import newest
from gitmem.recall.query import Query, RecallResult
from gitmem.recall.ranker import candidates_for, conditions, ranker_of
from gitmem.text.globs import has_to_do

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.index.whoosh.engine import WhooshEngine
    from gitmem.recall.scoring import RecallRun
    from gitmem.recall.searched_store import SearchedStore

# How many key terms of a memory are used to find similar ones. More terms find memories that share only common words.
KEY_TERMS = 15


@frozen
class Similar:
    """The memories similar to one, and the terms by which they were found."""

    terms: tuple[str, ...]
    found: RecallResult


def by_syntax(
    source: SearchedStore,
    query: Query,
    engine: WhooshEngine,
    run: RecallRun,
) -> RecallResult:
    """Return the memories that match a query in the query language, by score, or newest first if it has no words.

    Raises:
        UsageError: The query is invalid; the message says where and why.
    """
    catalog, ground = source.catalog, source.ground

    def among(field: str, value: str) -> frozenset[bytes]:
        if field == "status":
            return engine.names(with_status(catalog, ground, [value.lower()], now=run.now))
        rows = catalog.rows("SELECT id, paths FROM text WHERE paths <> '[]'")
        return engine.names(number for number, places in rows if has_to_do(strings(places), [value]))

    question = syntax.read(query.text, engine.reader, among=among, language=catalog.language)
    wanted, is_scored = candidates_for(query, run), bool(question.terms)
    matched, *rest = [
        engine.match(question.query, limit=wanted, where=condition, parameters=values, is_scored=is_scored)
        for condition, values in conditions(catalog, ground, query, now=run.now)
    ]
    numbers = [candidate.number for match_result in (matched, *rest) for candidate in match_result.candidates]
    notice = _notice(question, is_late=matched.is_cut)
    if not numbers:
        suggestion = suggestions.suggestion(catalog, FtsEngine(catalog.connection), query.text, question.terms)
        return RecallResult((), 0, notice, suggestion)
    if not is_scored:
        return replace(newest(catalog, ground, query, now=run.now, among=frozenset(numbers)), notice=notice)
    ranked = ranker_of(source, query, question.terms, numbers, run).rank(is_exact=True)
    hits = ranked.hits
    if len(hits) < query.limit:  # found by an alternative without words: tag:auth OR jwt
        with_words = {hit.key for hit in hits}
        others = newest(catalog, ground, replace(query, limit=len(numbers)), now=run.now, among=frozenset(numbers))
        hits += tuple(hit for hit in others.hits if hit.key not in with_words)
    hits = hits[: query.limit]
    return RecallResult(hits, matched.total - len(hits), notice, withheld=ranked.withheld)


def _notice(question: syntax.ParsedQuery, *, is_late: bool) -> str:
    if is_late:
        return "the search took too long; these are the best results found so far"
    many = "a pattern matches so many words that only the most frequent ones were searched"
    return many if question.is_cut else ""


def similar(
    source: SearchedStore,
    key: str,
    engine: WhooshEngine,
    *,
    query: Query,
    run: RecallRun,
) -> Similar:
    """Return the memories that share most key terms with one, best first, without that one."""
    catalog = source.catalog
    number, text = text_of(catalog, key)
    terms = engine.key_terms(text, limit=KEY_TERMS)
    condition, values = hit_condition(catalog, source.ground, query, now=run.now)
    candidates = engine.candidates(
        terms,
        limit=candidates_for(query, run),
        where=f"{condition} AND m.id <> ?",
        parameters=(*values, number),
    )
    numbers = [candidate.number for candidate in candidates]
    return Similar(tuple(terms), ranker_of(source, query, terms, numbers, run).rank())
