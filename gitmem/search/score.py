"""The one scorer: how well a memory's words answer a query, and what else counts.

``lexical`` is BM25F over the candidates' own text, computed again here so that every engine ranks alike; ``rank``
multiplies it with what is known of the memory. Pure: no clock, no index.

The numbers were chosen on the public half of the recall benchmark (LoCoMo turns and sessions, CoSQA, Cranfield: 2,379
questions, one setting for all). nDCG@10 there, from titles and bodies and 30 candidates: BM25F alone 0.489 0.781 0.393
0.526; with pairs 0.494 0.796 0.407 0.537; with coverage 0.495 0.798 0.405 0.535; with related words 0.495 0.800 0.417
0.562. The best hit scores 1.4 to 1.7 times as much as the second and 2 to 3 times as much as the fifth (medians): a
factor must be as large to move a memory as far.
"""

from __future__ import annotations

from itertools import pairwise
from math import exp, isnan, log

from gitmem.analysis import terms as analyse
from gitmem.frozen import frozen
from gitmem.model import FAILED, STALE, SUSPECT, UNPROVEN, VERIFIED
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


def lexical(
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


@frozen
class Signals:
    """What is known of one candidate besides its words.

    Attributes:
        number: The memory's row in the catalog.
        lexical: Its score by words, > 0.
        age_days: Since it was created or last confirmed; negative counts as 0.
        half_life_days: In how many days a memory of its kind loses half of what may decay (> 0), or None if age does
            not matter to it.
        accesses: How often it was read.
        accessed_hours: Since it was last read.
        status: One of ``model.STATUSES``, or empty.
        importance: From 0 to 1; 0.5 where nobody said.
        confidence: From 0 to 1; 1 where nobody said.
        overlap: How near its paths are to where the reader works, from 0 to 1 (``path_overlap``).
        scope: The factor of its scope, > 0: 1 for the project's own memories.
    """

    number: int
    lexical: float
    age_days: float = 0.0
    half_life_days: float | None = None
    accesses: int = 0
    accessed_hours: float = 0.0
    status: str = ""
    importance: float = 0.5
    confidence: float = 1.0
    overlap: float = 0.0
    scope: float = 1.0


@frozen
class Ranking:
    """How much each signal may move a memory; a factor of 1 moves nothing.

    Attributes:
        recency_floor: What is left of the score at any age. 0.5 moves a best hit to about the third to fifth place and
            no further: a gotcha of last year may be the answer. 0 gives D6's formula.
        access_boost: The largest factor for memories that are read often (D6: 1.5 at five reads).
        access_hours: Within how many hours of the last read the boost counts whole, half after (D6: 48).
        statuses: The factor for each status. 0.5 as above; 0.7 moves a best hit to about the second place; 0.9 and 1.1
            decide between equals. What failed stays visible: that it is false is worth knowing.
        importance: The factor runs from 1 - this to 1 + this.
        confidence: The factor runs from 1 - this to 1.
        path: The factor runs from 1 to 1 + this: enough to lift a second place to the first.
        floor: Hits below this share of the best are dropped. 0.1 drops 3 % of the ten best on LoCoMo's turns and 0.1 %
            of the right ones (12 % and 1.1 % on its sessions); for injection, E10 asks for 0.6, or 0.85 per turn.

    Source: FEATURES, rows D6 and E10; the places: see the module.
    """

    recency_floor: float = 0.5
    access_boost: float = 1.5
    access_hours: float = 48.0
    statuses: tuple[tuple[str, float], ...] = (
        (FAILED, 0.5),
        (SUSPECT, 0.7),
        (UNPROVEN, 0.9),
        (STALE, 0.9),
        (VERIFIED, 1.1),
    )
    importance: float = 0.2
    confidence: float = 0.3
    path: float = 0.5
    floor: float = 0.1


@frozen
class Ranked:
    """A candidate with its final score.

    Attributes:
        number: The memory's row in the catalog.
        score: The product of the factors, > 0; comparable within one call only.
        factors: ``lexical`` and every other factor by name, in the order they were applied.
    """

    number: int
    score: float
    factors: tuple[tuple[str, float], ...]


RANKING = Ranking()


def rank(candidates: Iterable[Signals], *, limit: int, ranking: Ranking = RANKING) -> list[Ranked]:
    """Return the best candidates: at most *limit* (>= 1), by score, then the younger, then the smaller number."""
    found = [(signals, _ranked(signals, ranking)) for signals in candidates]
    found.sort(key=lambda pair: (-pair[1].score, pair[0].age_days, pair[0].number))
    least = found[0][1].score * ranking.floor if found else 0.0
    return [ranked for _, ranked in found if ranked.score >= least][:limit]


def _ranked(signals: Signals, ranking: Ranking) -> Ranked:
    factors = (
        ("lexical", signals.lexical),
        ("recency", recency(signals.age_days, signals.half_life_days, floor=ranking.recency_floor)),
        ("access", _access(signals, ranking)),
        ("status", dict(ranking.statuses).get(signals.status, 1.0)),
        ("importance", 1 + ranking.importance * (2 * signals.importance - 1)),
        ("confidence", 1 - ranking.confidence * (1 - signals.confidence)),
        ("path", 1 + ranking.path * signals.overlap),
        ("scope", signals.scope),
    )
    score = 1.0
    for _, factor in factors:
        score *= factor
    return Ranked(signals.number, score, factors)


def recency(age_days: float, half_life_days: float | None, *, floor: float) -> float:
    """Return the factor for an age: 1 when new, *floor* at the end; always 1 without a half-life.

    ``floor + (1 - floor) * 2^(-age / half_life)``: D6's decay on the part above the floor.
    """
    if half_life_days is None or age_days <= 0:
        return 1.0
    return float(floor + (1 - floor) * 2 ** (-age_days / half_life_days))


def _access(signals: Signals, ranking: Ranking) -> float:
    # "Full boost" within the hours, half of it after: agent-swarm's reranker, which D6 describes.
    share = 1.0 if signals.accessed_hours <= ranking.access_hours else 0.5
    return 1 + min(signals.accesses / 10, ranking.access_boost - 1) * share


def grade(value: object, *, default: float) -> float:
    """Return an importance or confidence of the frontmatter as a number from 0 to 1.

    Knows ``critical`` (1), ``high`` (0.75), ``medium`` (0.5), ``low`` (0.25) and numbers, which are kept within 0 and
    1; anything else gives the default.

    Source: FEATURES, row C10; the words are those of its document.
    """
    words = {"critical": 1.0, "high": 0.75, "medium": 0.5, "low": 0.25}
    if isinstance(value, str):
        return words.get(value.strip().lower(), default)
    if isinstance(value, bool) or not isinstance(value, int | float) or isnan(value):
        return default
    return float(min(max(value, 0), 1))


def path_overlap(patterns: Iterable[str], places: Sequence[str]) -> float:
    """Return how near the paths of a memory are to the places where somebody works, from 0 to 1 (the best pair).

    The share of leading folders that a pattern and a place have in common, of the shorter of the two; a pattern counts
    up to its first wildcard. ``src/auth/**`` and ``src/auth/jwt.py``: 1; ``src/auth/jwt.py`` and ``src/auth/key.py``:
    2/3; ``docs/**`` and ``src``: 0.

    Args:
        patterns: Paths or globs inside the code tree, with ``/``.
        places: Files or folders inside it.
    """
    known = [_fixed(place) for place in places]
    return max((_common(_fixed(pattern), place) for pattern in patterns for place in known), default=0.0)


def _fixed(pattern: str) -> list[str]:
    parts: list[str] = []
    for part in pattern.strip("/").split("/"):
        if any(sign in part for sign in "*?["):
            break
        if part not in ("", "."):
            parts.append(part)
    return parts


def _common(a: list[str], b: list[str]) -> float:
    shorter = min(len(a), len(b))
    same = next((i for i in range(shorter) if a[i] != b[i]), shorter)
    return same / shorter if shorter else 0.0
