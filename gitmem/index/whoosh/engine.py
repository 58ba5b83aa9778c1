"""The engine that searches the Whoosh index, for terms or for a query in the query language.

``recall`` ranks its candidates. Term frequencies come from the catalog, where they are exact: Whoosh's own counts
include deleted memories until their segment is merged.
"""

from __future__ import annotations

import time
from array import array
from heapq import nlargest

from gitmem.frozen import frozen
from gitmem.index import Candidate
from gitmem.index.whoosh.index import TEXTS, QuietImport, name_of, names_in, with_missing
from gitmem.text.tokens import terms

with QuietImport():
    from whoosh import matching, query
    from whoosh.searching import Searcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.index.whoosh.index import SearchableIndex
    from gitmem.model import IndexText

# The time limit of a query; after that, the memories found so far are returned and marked as incomplete.
SECONDS_AT_MOST = 2.0
_LOOK_AT_CLOCK = 256
# How many terms have their scores cached: 10 MB for words that occur in 2,000 memories.
_MOST_TERMS = 300
# How many memories at a time, best first, are checked against the filter.
_ASKED = 200


@frozen
class MatchResult:
    """The memories that match a query.

    Attributes:
        candidates: The best *limit* of them, or all if they were not scored (then in no order).
        total: How many memories match.
        is_cut: Whether time ran out before the search was complete.
    """

    candidates: tuple[Candidate, ...]
    total: int
    is_cut: bool = False


class Among(query.Query):  # type: ignore[misc]
    """A query for the memories with these names: for statuses and paths, which only the catalog knows.

    If the names are None, it matches every memory.
    """

    def __init__(self, names: frozenset[bytes] | None) -> None:
        self.names = names
        self.fieldname, self.boost = None, 1.0

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Among) and self.names == other.names

    def __hash__(self) -> int:
        return hash(self.names)

    def estimate_size(self, reader: Any) -> int:
        """Return the most memories that this can match."""
        return reader.doc_count_all() if self.names is None else len(self.names)

    def matcher(self, searcher: Any, context: Any = None) -> Any:
        """Return a matcher of one segment."""
        wanted, held = self.names, names_in(searcher.reader())
        numbers = sorted(number for name, number in held if wanted is None or name in wanted)
        return matching.ListMatcher(numbers, all_weights=1.0) if numbers else matching.NullMatcher()


class WhooshEngine:
    """The Whoosh index of one store, with the catalog that says which of its memories still exist.

    Attributes:
        reader: Whoosh's reader, extended with the catalog's other memories if they are few.
        behind: A line that says which commit it shows if memories of the catalog are missing; else empty.
    """

    def __init__(self, shown: SearchableIndex, catalog: Catalog) -> None:
        self._catalog = catalog
        rows = catalog.rows("SELECT id, path, oid FROM memory")
        ids = {name_of(path, oid): number for number, path, oid in rows}
        self.reader, is_whole = with_missing(shown.reader, catalog, ids)
        self._numbers = {number: ids[name] for name, number in names_in(self.reader) if name in ids}
        self._searcher = Searcher(self.reader)
        self._scores: dict[str, tuple[array[int], array[float]]] = {}
        self.behind = "" if is_whole else shown.behind

    def candidates(
        self, terms: Sequence[str], *, limit: int, where: str = "", parameters: Sequence[object] = ()
    ) -> list[Candidate]:
        """Return at most *limit* memories with any of the terms, best first (``index.Engine``)."""
        scores: dict[int, float] = {}
        deadline = time.monotonic() + SECONDS_AT_MOST
        for term in terms:
            for number, worth in zip(*self._scores_of(term, deadline), strict=True):
                scores[number] = scores.get(number, 0.0) + worth
        best = sorted(zip(scores.values(), scores, strict=True), reverse=True)
        candidates: list[Candidate] = []
        for at in range(0, len(best), _ASKED):
            part = best[at : at + _ASKED]
            sql = f"SELECT m.id FROM memory m WHERE m.id IN ({{}}) AND ({where or '1'})"
            passing = {row[0] for row in self._catalog.each(sql, [number for _, number in part], parameters)}
            candidates += [Candidate(number, score) for score, number in part if number in passing]
            if len(candidates) >= limit:
                break
        return candidates[:limit]

    def _scores_of(self, term: str, deadline: float) -> tuple[array[int], array[float]]:
        """Return the memories with a term, and its score in each.

        Cached, because Whoosh takes 5 us for each memory, and queries often share words.
        """
        known = self._scores.get(term)
        if known is not None:
            return known
        scores: dict[int, float] = {}
        is_cut = False
        for text in in_texts(term).subqueries:
            for number, score in self._postings(text):
                scores[number] = scores.get(number, 0.0) + score
                if len(scores) % _LOOK_AT_CLOCK == 0 and time.monotonic() > deadline:
                    is_cut = True
                    break
        known = array("q", scores), array("d", scores.values())
        if not is_cut:
            if len(self._scores) >= _MOST_TERMS:
                del self._scores[next(iter(self._scores))]
            self._scores[term] = known
        return known

    def _postings(self, query: Any) -> Iterator[tuple[int, float]]:
        """Yield the number and score of every memory of the catalog that a query matches."""
        context = self._searcher.context()
        for leaf, offset in self._searcher.leaf_searchers():
            matcher = query.matcher(leaf, context)
            while matcher.is_active():
                number = self._numbers.get(offset + matcher.id())
                if number is not None:
                    yield number, matcher.score()
                matcher.next()

    def match(
        self,
        query: Any,
        *,
        limit: int,
        where: str = "",
        parameters: Sequence[object] = (),
        is_scored: bool = True,
    ) -> MatchResult:
        """Return the memories that match a query of Whoosh's and pass a condition.

        Args:
            query: The query, its patterns expanded.
            limit: How many at most, best first, >= 1; ignored without scores.
            where: An SQL condition on ``memory m``, or empty.
            parameters: The values of its placeholders.
            is_scored: Whether to score and order the memories.
        """
        passing = {row[0] for row in self._catalog.rows(f"SELECT id FROM memory m WHERE {where or '1'}", parameters)}
        if not passing:
            return MatchResult((), 0)
        scored: list[tuple[float, int]] = []
        deadline = time.monotonic() + SECONDS_AT_MOST
        context = self._searcher.context() if is_scored else self._searcher.boolean_context()
        for leaf, offset in self._searcher.leaf_searchers():
            matcher, steps = query.matcher(leaf, context), 0
            while matcher.is_active():
                number = self._numbers.get(offset + matcher.id())
                if number is not None and number in passing:
                    scored.append((matcher.score() if is_scored else 0.0, number))
                matcher.next()
                steps += 1
                if steps % _LOOK_AT_CLOCK == 0 and time.monotonic() > deadline:
                    return _matched(scored, limit if is_scored else None, is_cut=True)
        return _matched(scored, limit if is_scored else None)

    def names(self, numbers: Iterable[int]) -> frozenset[bytes]:
        """Return the names that memories of the catalog have in the index."""
        rows = self._catalog.each("SELECT path, oid FROM memory WHERE id IN ({})", numbers)
        return frozenset(name_of(path, oid) for path, oid in rows)

    def key_terms(self, text: IndexText, *, limit: int) -> list[str]:
        """Return the terms that say most about the content of a memory, best first.

        Source: Whoosh's Bo1 model (Amati, van Rijsbergen 2002, "Probabilistic models of information retrieval"), each
        text against the same text of all memories.
        """
        worth: dict[str, float] = {}
        for field, own in (("title", text.title), ("names", text.tags), ("body", text.body)):
            if any(
                (field, term) in self.reader for term in terms(own, self._catalog.language)
            ):  # Whoosh divides by the best score
                for term, weight in self._searcher.key_terms_from_text(field, own, numterms=limit):
                    worth[term] = worth.get(term, 0.0) + weight
        return sorted(worth, key=lambda term: (-worth[term], term))[:limit]


def in_texts(term: str) -> Any:
    """Return the query that searches all text fields for one analysed term."""
    return query.Or([query.Term(field, term, boost=boost) for field, boost in TEXTS.items()])


def _matched(scored: list[tuple[float, int]], limit: int | None, *, is_cut: bool = False) -> MatchResult:
    best = scored if limit is None else nlargest(limit, scored)
    return MatchResult(tuple(Candidate(number, score) for score, number in best), len(scored), is_cut)
