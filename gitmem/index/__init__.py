"""Find memories by words: the protocol of search engines, what they take and return, and the default engine.

``FtsEngine`` is inside the catalog's SQLite file: an FTS5 table of analysed terms, which ``fts_update`` writes. An
engine only finds candidates: it analyses text with ``gitmem.text.tokens`` and leaves ranking to ``recall``, so
two engines over the same memories differ in speed and in which memories they find, not in how they rank.

Source: sqlite.org/fts5.html, section 5.1.1 (bm25).
"""

from __future__ import annotations

from math import log

from gitmem.frozen import fields_of, frozen
from gitmem.memo import load_sqlite
from gitmem.model import IndexText
from gitmem.policy.settings import Weights

load_sqlite()
import _sqlite3 as sqlite3  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Mapping, Sequence
    from typing import Any, Protocol

__all__ = ["FIELDS", "FIELD_WEIGHTS", "WEIGHTS", "Candidate", "FtsEngine", "IndexText", "Stats"]

# The searched fields of a memory, in the order of every tuple with one value per field, and the weight of an occurrence
# in each unless the policy of a store sets another.
WEIGHTS: dict[str, float] = fields_of(Weights())
FIELDS, FIELD_WEIGHTS = tuple(WEIGHTS), tuple(WEIGHTS.values())

# The Whoosh index's folder next to the catalog; defined here so that checking for it does not load Whoosh.
WHOOSH_FOLDER = "whoosh"
# It is built at 1,000 memories a second (measured); above this many, only on request.
WHOOSH_AT_MOST = 20_000


@frozen
class Candidate:
    """A memory that an engine found.

    Attributes:
        number: The memory's row in the catalog.
        rank_score: The engine's own score, higher is better; comparable within one call only. 0 for a candidate
        that was found but not scored.
    """

    number: int
    rank_score: float


@frozen
class Stats:
    """The statistics of all indexed memories that BM25 needs.

    Attributes:
        documents: How many memories there are, >= 0.
        frequency: In how many of them each query term occurs; a term that occurs in none is left out.
        lengths: The average number of terms per field, in the order of ``FIELDS``; all 0 if there are no memories.
    """

    documents: int
    frequency: Mapping[str, int]
    lengths: tuple[float, ...]


if TYPE_CHECKING:

    class Engine(Protocol):
        """Search data made from one store; it can be deleted at any time.

        Engines differ in how they are updated: FTS5 applies changes inside the catalog's transaction (``fts_update``),
        Whoosh compares its contents with the catalog (``whoosh.index``). Recall uses them in the same way.
        """

        def candidates(
            self, terms: Sequence[str], *, limit: int, where: str = "", parameters: Sequence[object] = ()
        ) -> list[Candidate]:
            """Return at most *limit* memories with any of the analysed *terms*, best first.

            Args:
                terms: Analysed terms.
                limit: How many at most, >= 1.
                where: An SQL condition on the catalog's table ``memory m``, or empty for all memories.
                parameters: The values of its placeholders.
            """


# FTS5's bm25() is smaller for better matches. A rough order is enough, since recall ranks the candidates again.
_SCORED = f"-bm25(fts, {', '.join(map(str, FIELD_WEIGHTS))})"

_BEST = f"SELECT fts.rowid, {_SCORED} FROM fts {{join}} WHERE fts MATCH ? {{also}} ORDER BY 2 DESC, 1 DESC LIMIT ?"
_WORTH = f"SELECT rowid, {_SCORED} FROM fts WHERE fts MATCH ?"
_BEST_AMONG = (
    f"SELECT rowid, {_SCORED} FROM fts WHERE fts MATCH ? AND +rowid IN (SELECT rowid FROM fts WHERE fts MATCH ?)"
    " ORDER BY 2 DESC, 1 DESC LIMIT ?"
)
_PASSING = "SELECT m.id FROM memory m WHERE m.id IN ({}) AND ({})"
_NEWEST = "SELECT fts.rowid FROM fts {join} WHERE fts MATCH ? {also} ORDER BY fts.rowid DESC LIMIT ?"

# bm25() costs at least 0.6 us for each matching memory, matching alone 0.02 us (measured at 100,000 memories), so
# scoring this many takes some 15 ms.
SCORED_AT_MOST = 20_000
# A term in more than this share of the memories distinguishes few of them: if rarer terms find enough memories, it adds
# no candidates (but counts in their scores). Saves 6 of 9 ms at 6,000 memories that all contain one word of the query
# (measured); with at most FEW matches there is nothing to save.
EVERYWHERE = 0.25
FEW = 2_000
# One more in this many candidates is checked against a filter, because most filters exclude few.
SPARE = 4
# At most this many are checked by their numbers (SQLite before 3.32 takes 999 parameters).
ASKED_AT_MOST = 500
# The most terms with one beginning: a few dozen words of a language have the same four letters.
LISTED_AT_MOST = 500
# Cached scores for later queries, summed over all terms: 8 MB.
KEPT_AT_MOST = 500_000
# How many times as many memories as are wanted get exact scores: those with the most words, weighted by rarity. Of the
# 60 best of 100,000 memories by exact scores, 58 to 60 are among them (measured, 5 questions).
ENOUGH = 10
# The most words for which sets of words are formed: more would have hundreds.
WORDS_AT_MOST = 8


class FtsEngine:
    """The FTS5 index in a SQLite database.

    A search before the first ``fts_update.apply`` raises ``sqlite3.OperationalError``, because there is no index.
    """

    def __init__(self, connection: sqlite3.Connection, kept: dict[str, Any] | None = None) -> None:
        """Use a database, and the cache of earlier queries on the same state of it (``Catalog.query_cache``)."""
        self._db = connection
        self._kept = kept

    def frequencies(self, terms: Sequence[str]) -> Stats:
        """Return how many memories there are, their average lengths, and how many contain each term."""
        documents, *lengths = self._db.execute("SELECT * FROM total").fetchone()
        marks = ", ".join("?" * len(terms))
        cursor = self._db.execute(f"SELECT term, df FROM term WHERE term IN ({marks})", tuple(terms))
        return Stats(documents, dict(cursor), tuple(length / max(documents, 1) for length in lengths))

    def list_terms(self, beginning: str) -> list[str]:
        """Return the known terms that begin with a text, in order, at most ``LISTED_AT_MOST``."""
        sql = "SELECT term FROM term WHERE term >= ? AND term < ? ORDER BY term LIMIT ?"
        values = (beginning, f"{beginning}\U0010ffff", LISTED_AT_MOST)
        return [term for (term,) in self._db.execute(sql, values)]

    def candidates(
        self, terms: Sequence[str], *, limit: int, where: str = "", parameters: Sequence[object] = ()
    ) -> list[Candidate]:
        """Return at most *limit* memories with any of the terms, best first.

        If the terms match many memories, only those with the most words get scores (``_scored``). If that gives too
        few, and there are more than ``SCORED_AT_MOST``, those with the rarest terms do, as many of these as stay below
        it, and those with all the other terms; or, if no term is that rare, those with a term in title or tags. If
        these are too few (or far too many), the newest memories with any term follow, unscored.

        Args:
            terms: Analysed terms (``analysis.query_terms``).
            limit: How many at most, >= 1.
            where: An SQL condition on ``memory m`` (``m.id`` is the memory's number), or empty.
            parameters: The values of its placeholders.
        """
        stats = self.frequencies(terms)
        rarest = distinctive(sorted(stats.frequency, key=lambda term: (stats.frequency[term], term)), stats, limit)
        if not rarest:
            return []
        candidates = self._best(rarest, stats, limit=limit, where=where, parameters=parameters)
        if len(candidates) == limit or _is_affordable(rarest, stats):
            return candidates
        numbers = {candidate.number for candidate in candidates}
        newest = [row[0] for row in self._db.execute(_select(_NEWEST, where), (_any(rarest), *parameters, limit))]
        more = [Candidate(number, 0.0) for number in newest if number not in numbers]
        return candidates + more[: limit - len(candidates)]

    def _best(
        self, rarest: list[str], stats: Stats, *, limit: int, where: str, parameters: Sequence[object]
    ) -> list[Candidate]:
        """Return at most *limit* matching memories that pass the filter, by FTS5's score.

        Most memories pass most filters, and checking one costs as much as scoring it (measured: 0.7 us, so 9 ms of 18
        at 100,000 memories). So only the best are checked, and the others only if too few of these pass.
        """
        if not where:
            return [Candidate(*row) for row in self._scored(rarest, stats, limit)]
        wanted = limit + limit // SPARE
        if wanted <= ASKED_AT_MOST:
            best = self._scored(rarest, stats, wanted)
            ids = [row[0] for row in best]
            sql = _PASSING.format(",".join("?" * len(ids)), where)
            passing = {row[0] for row in self._db.execute(sql, (*ids, *parameters))}
            if len(passing) >= limit or len(best) < wanted:
                return [Candidate(*row) for row in best if row[0] in passing][:limit]
        match = self._affordable(rarest, stats)
        rows = self._db.execute(_select(_BEST, where), (match, *parameters, limit)) if match else ()
        return [Candidate(*row) for row in rows]

    def _scored(self, rarest: list[str], stats: Stats, limit: int) -> list[tuple[int, float]]:
        """Return the *limit* best matching memories with their exact scores, mostly without scoring the others.

        FTS5 takes 0.6 us to score a memory and 0.02 to see that it has some words. So only the memories are scored
        whose words, by their rarity, are worth the most together: some ``ENOUGH`` times as many as are wanted.
        """
        if self._kept is not None and _is_affordable(rarest, stats):
            return self._add_up(rarest, limit, self._kept)
        if len(rarest) > 1 and sum(stats.frequency[term] for term in rarest) >= FEW:
            most = _with_most(rarest[:WORDS_AT_MOST], stats, ENOUGH * limit)
            best: list[tuple[int, float]] = self._db.execute(_BEST_AMONG, (_any(rarest), most, limit)).fetchall()
            if len(best) == limit:
                return best
        match = self._affordable(rarest, stats)
        return self._db.execute(_select(_BEST, ""), (match, limit)).fetchall() if match else []

    def _add_up(self, rarest: list[str], limit: int, kept: dict[str, Any]) -> list[tuple[int, float]]:
        """Return the same result by adding up the scores of each term, cached because queries often share words.

        FTS5 adds up term by term in the order of the query, so the sums are equal to the last bit. FTS5 takes 0.6 us
        for each matching memory, this takes 0.15 (measured).
        """
        from heapq import nlargest  # an extension module: 0.2 ms, and only in a process that queries again

        scores = dict(zip(*self._worth(rarest[0], kept), strict=True))
        for term in rarest[1:]:
            for number, worth in zip(*self._worth(term, kept), strict=True):
                scores[number] = scores.get(number, 0.0) + worth
        return [(number, score) for score, number in nlargest(limit, zip(scores.values(), scores, strict=True))]

    def _worth(self, term: str, kept: dict[str, Any]) -> tuple[array[int], array[float]]:
        """Return the memories with a term, and its score in each."""
        known: tuple[array[int], array[float]] | None = kept.get(term)
        if known is None:
            from array import array  # as above

            rows = self._db.execute(_WORTH, (quote(term),)).fetchall()
            known = array("q", [row[0] for row in rows]), array("d", [row[1] for row in rows])
            while kept and sum(len(numbers) for numbers, _ in kept.values()) + len(rows) > KEPT_AT_MOST:
                del kept[next(iter(kept))]
            kept[term] = known
        return known

    def _affordable(self, rarest: list[str], stats: Stats) -> str:
        """Return an FTS5 expression for the memories that are worth scoring; empty if there are too many of them."""
        if _is_affordable(rarest, stats):
            return _any(rarest)
        room, taken = SCORED_AT_MOST, 0
        while stats.frequency[rarest[taken]] <= room:
            room -= stats.frequency[rarest[taken]]
            taken += 1
        rare, common = rarest[:taken], rarest[taken:]
        tries = [f"({' AND '.join(map(quote, common))})"]
        if not rare:  # next to rare words, a common word would score by its frequency in titles
            tries.append(f"{{title tags}} : ({_any(common)})")
        sizes = [(self._count(part), part) for part in tries]
        parts = [part for size, part in sizes if size <= room / len(tries)]
        least, smallest = min(sizes)
        return " OR ".join([*map(quote, rare), *parts]) or (smallest if least <= 2 * SCORED_AT_MOST else "")

    def _count(self, match: str) -> int:
        size: int = self._db.execute("SELECT count(*) FROM fts WHERE fts MATCH ?", (match,)).fetchone()[0]
        return size


def distinctive(rarest: list[str], stats: Stats, limit: int) -> list[str]:
    """Return the terms without very common ones, if the others still find *limit* memories."""
    if sum(stats.frequency.values()) <= FEW:
        return rarest
    kept = [term for term in rarest if stats.frequency[term] <= EVERYWHERE * stats.documents]
    return kept if sum(stats.frequency[term] for term in kept) >= limit else rarest


def _is_affordable(rarest: list[str], stats: Stats) -> bool:
    """Return whether all memories with any of the terms can be scored."""
    return min(sum(stats.frequency[term] for term in rarest), stats.documents) <= SCORED_AT_MOST


def _with_most(rarest: Sequence[str], stats: Stats, enough: int) -> str:
    """Return an FTS5 expression for the memories whose terms are worth the most together: about *enough* of them.

    How many have which terms is estimated as if each term were in any memory with the same probability.
    """
    worth = {term: _rarity(stats.frequency[term], stats.documents) for term in rarest}
    sets = [(0.0, 1.0)]
    for term in rarest:
        share = stats.frequency[term] / max(stats.documents, stats.frequency[term])
        sets = [(own, part * (1 - share)) for own, part in sets] + [
            (own + worth[term], part * share) for own, part in sets
        ]
    expected, least = 0.0, 0.0
    for own, part in sorted(sets, reverse=True)[:-1]:
        expected, least = expected + part * stats.documents, own
        if expected >= enough:
            break
    return _worth_at_least(least - 1e-9, rarest, worth)


def _rarity(df: int, documents: int) -> float:
    # As ``recall.bm25.rarity``: > 0, also for a term in every memory.
    return log(1 + (max(documents, df) - df + 0.5) / (df + 0.5))


def _worth_at_least(least: float, terms: Sequence[str], worth: Mapping[str, float]) -> str:
    """Return an FTS5 expression for the memories whose terms are together worth *least* (> 0); empty if none can be."""
    if sum(worth[term] for term in terms) < least:
        return ""
    first, others = terms[0], terms[1:]
    rest = least - worth[first]
    with_first = quote(first)
    if rest > 0:
        with_first = f"({with_first} AND ({_worth_at_least(rest, others, worth)}))"
    without = _worth_at_least(least, others, worth)
    return f"{with_first} OR {without}" if without else with_first


def _select(order: str, where: str) -> str:
    # CROSS JOIN keeps SQLite from querying FTS5 once for each memory that passes the filter.
    join = "CROSS JOIN memory m ON m.id = fts.rowid" if where else ""
    return order.format(join=join, also=f"AND ({where})" if where else "")


def quote(term: str) -> str:
    """Return the FTS5 expression for one analysed term."""
    return f'"{term}"'


def _any(terms: Sequence[str]) -> str:
    return " OR ".join(map(quote, terms))
