"""How well a memory's words answer a question: BM25F over the candidates' own text, and what cheap steps add to it.

Computed again here from the candidates' texts, so that every engine ranks alike. Pure: no clock, no index.

The numbers were chosen on the public half of the recall benchmark (LoCoMo turns and sessions, CoSQA, Cranfield: 2,379
questions, one setting for all). nDCG@10 there, from titles and bodies and 30 candidates: BM25F alone 0.489 0.781 0.393
0.526; with pairs 0.494 0.796 0.407 0.537; with coverage 0.495 0.798 0.405 0.535; with related words 0.495 0.800 0.417
0.562.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, log

from gitmem.analysis import terms as analyse
from gitmem.frozen import frozen
from gitmem.search.engine import FIELD_WEIGHTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.model import IndexText
    from gitmem.search.engine import Stats


@frozen
class Weights:
    """How words become a score.

    Attributes:
        fields: What an occurrence in each field counts, in the order of ``FIELDS``.
        k1: How soon more occurrences of a term stop to count, >= 0.
        b: How much long memories are held back, 0 to 1.
        pair: What two neighbouring words of the query count that are neighbours in a title or body too, as a share of
            one word.
        coverage: The share of the score that depends on how much of the query is there, 0 to 1.
        related: The share that comes from words which the best memories have in common, 0 to 1.
        related_memories: How many of the best memories these words come from.
        related_terms: How many such words are taken.

    Source: Robertson, Zaragoza, Taylor 2004, "Simple BM25 extension to multiple weighted fields" (fields, k1, b with
    their usual values); Lavrenko, Croft 2001, "Relevance-based language models", in the form RM3 with its usual 10
    memories (related); the rest and 30 terms: see the module.
    """

    fields: tuple[float, ...] = FIELD_WEIGHTS
    k1: float = 1.2
    b: float = 0.75
    pair: float = 0.3
    coverage: float = 0.2
    related: float = 0.3
    related_memories: int = 10
    related_terms: int = 30


WEIGHTS = Weights()


@frozen
class _Bag:
    """The analysed words of one candidate.

    Attributes:
        number: The memory's row in the catalog.
        counts: How often each term occurs, weighted by field.
        length: How many terms there are, weighted by field.
        norm: BM25's k1 as it applies to this length.
        pairs: How often each pair of the query occurs in title and body.
    """

    number: int
    counts: Mapping[str, float]
    length: float
    norm: float
    pairs: Mapping[tuple[str, str], int]


def lexical_scores(
    query: Sequence[str],
    texts: Iterable[IndexText],
    stats: Stats,
    *,
    weights: Weights = WEIGHTS,
    frequencies: Callable[[Sequence[str]], Stats] | None = None,
) -> dict[int, float]:
    """Score candidates by their words.

    Args:
        query: Analysed terms, each once (``analysis.query_terms``).
        texts: The candidates: some hundred at most, each is analysed here.
        stats: What the engine knows of the query's terms.
        weights: How words become a score.
        frequencies: Looks up more terms (an engine's ``frequencies``). Without it, no related words are used.

    Returns:
        A score > 0 by number for every candidate that has a term of the query; comparable within one call only.
    """
    idf = _idf(stats)
    asked = {term: idf[term] for term in query if term in idf}
    pairs = frozenset(pairwise(asked))
    bags = [_bag(text, pairs, stats, weights) for text in texts]
    scores = {bag.number: _asked_score(bag, asked, weights) for bag in bags}
    bags = [bag for bag in bags if scores[bag.number] > 0]
    scores = {bag.number: scores[bag.number] for bag in bags}
    _add_pairs(scores, bags, stats.documents, weights)
    if frequencies and weights.related and bags:
        _mix_related(scores, bags, asked, frequencies, weights)
    return scores


def coverage(query: Sequence[str], text: IndexText, stats: Stats) -> float:
    """Return how much of a query a memory has, from 0 to 1, by the rarity of its terms.

    Unlike a score it compares across queries, so an absolute gate can use it; a term that no memory has counts as the
    rarest one.
    """
    held = set().union(*map(analyse, text.texts()))
    worth = {term: _rarity(stats.documents, stats.frequency.get(term, 0)) for term in query}
    total = sum(worth.values())
    return sum(value for term, value in worth.items() if term in held) / total if total else 0.0


def _idf(stats: Stats) -> dict[str, float]:
    return {term: _rarity(stats.documents, df) for term, df in stats.frequency.items()}


def _rarity(documents: int, df: int) -> float:
    # Always > 0, also for a term in every memory. Source: Lucene's BM25Similarity.
    return log(1 + (max(documents, df) - df + 0.5) / (df + 0.5))


def _bag(text: IndexText, pairs: frozenset[tuple[str, str]], stats: Stats, weights: Weights) -> _Bag:
    fields = [analyse(part) for part in text.texts()]
    counts: dict[str, float] = {}
    for found, weight in zip(fields, weights.fields, strict=True):
        for term in found:
            counts[term] = counts.get(term, 0.0) + weight
    length = sum(weight * len(found) for found, weight in zip(fields, weights.fields, strict=True))
    average = sum(weight * one for one, weight in zip(stats.lengths, weights.fields, strict=True)) or 1.0
    norm = weights.k1 * (1 - weights.b + weights.b * length / average)
    title, *_, body = fields
    return _Bag(text.number, counts, length, norm, _pairs((title, body), pairs) if pairs else {})


def _pairs(fields: Iterable[list[str]], pairs: frozenset[tuple[str, str]]) -> dict[tuple[str, str], int]:
    counts: dict[tuple[str, str], int] = {}
    for found in fields:
        for pair in pairwise(found):
            if pair in pairs:
                counts[pair] = counts.get(pair, 0) + 1
    return counts


def _saturated(count: float, norm: float, weights: Weights) -> float:
    return count * (weights.k1 + 1) / (count + norm)


def _worth(bag: _Bag, values: Mapping[str, float], weights: Weights) -> float:
    """Return BM25's sum over the terms that the memory has, each with its value."""
    counts = bag.counts
    return sum(
        value * _saturated(counts[term], bag.norm, weights) for term, value in values.items() if counts.get(term)
    )


def _asked_score(bag: _Bag, asked: Mapping[str, float], weights: Weights) -> float:
    total = sum(asked.values())
    share = sum(value for term, value in asked.items() if term in bag.counts) / total if total else 0.0
    return _worth(bag, asked, weights) * (1 - weights.coverage + weights.coverage * share)


def _add_pairs(scores: dict[int, float], bags: list[_Bag], documents: int, weights: Weights) -> None:
    """Add what neighbouring words are worth; how rare a pair is, the candidates tell (nearly all are among them)."""
    df: dict[tuple[str, str], int] = {}
    for bag in bags:
        for pair in bag.pairs:
            df[pair] = df.get(pair, 0) + 1
    for bag in bags:
        for pair, count in bag.pairs.items():
            scores[bag.number] += weights.pair * _rarity(documents, df[pair]) * _saturated(count, bag.norm, weights)


def _mix_related(
    scores: dict[int, float],
    bags: list[_Bag],
    asked: Mapping[str, float],
    frequencies: Callable[[Sequence[str]], Stats],
    weights: Weights,
) -> None:
    """Mix in how well each candidate fits the related words, as if they were a query of as many terms.

    They never weigh more than what was asked: where every memory has that, the rare words of the first ten would leave
    all others below the floor. (Measured: of 120 equal hits ten stayed; this changes nDCG@10 by .001 at most.)
    """
    related = _related(bags, scores, weights)
    idf = _idf(frequencies(list(related)))
    values = {term: len(asked) * share * idf.get(term, 0.0) for term, share in related.items()}
    total = sum(values.values())
    scale = min(1.0, sum(asked.values()) / total) if total else 0.0
    for bag in bags:
        fit = scale * _worth(bag, values, weights)
        scores[bag.number] = (1 - weights.related) * scores[bag.number] + weights.related * fit


def _related(bags: list[_Bag], scores: Mapping[int, float], weights: Weights) -> dict[str, float]:
    """Return the terms that the best candidates have most of, with shares that add up to 1."""
    best = sorted(bags, key=lambda bag: (-scores[bag.number], bag.number))[: weights.related_memories]
    top = scores[best[0].number]
    shares: dict[str, float] = {}
    for bag in best:
        mass = exp(scores[bag.number] - top) / bag.length
        for term, count in bag.counts.items():
            shares[term] = shares.get(term, 0.0) + mass * count
    taken = sorted(shares, key=lambda term: (-shares[term], term))[: weights.related_terms]
    total = sum(shares[term] for term in taken)
    return {term: shares[term] / total for term in taken}
