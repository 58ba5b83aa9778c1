"""Combine words and meaning: fuse lexical scores with cosines, diversify hits, and gate automatic context.

Pure: no clock, no index, no model, and no slow imports. The caller supplies the numbers; the settings are the policy's
``[recall.dense]``.

A cosine alone says little, because models map all texts into a small part of their range. So it is measured by how many
standard deviations it is above the mean of all pieces. The weight of this against words depends on the query: if the
best cosines stand out more than the best of as many random numbers would, the model recognizes the subject; if not, it
recognizes only the topic, and words decide.

Measured on the recall benchmark's public half with MiniLM, recall@5 and nDCG@10, one setting for all four tasks, on
turns, sessions, CoSQA and Cranfield: words alone .657 .594, .842 .797, .528 .439, .374 .573; the best fixed weight .703
.609, .867 .823, .678 .546, .377 .571; this .702 .614, .860 .818, .714 .581, .386 .577. Equal-weight reciprocal ranks
give CoSQA .658 .559. Trees boosted on twelve such numbers of each candidate do no better by five-fold cross-validation:
.676 .579, .857 .819, .710 .586, .386 .568. In these figures a turn's vector was the mean of its own and of one with the
turn before, and sessions were embedded by lines; turns on their own give .696 .610.
"""

from __future__ import annotations

from math import fsum, log, sqrt

from gitmem.frozen import frozen
from gitmem.policy.settings import DenseSettings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

DENSE = DenseSettings()
# The average of at most this many of the best cosines, and of at most one in EACH_OF pieces, measures how much they
# stand out. Measured: the mean of ten separates CoSQA (1.38, deviation .22) from the other tasks (1.03 to .83, .2)
# better than the best one alone.
BEST = 10
EACH_OF = 10
# How much a static model's nearness counts against a transformer's: it averages words, so what is far from every other
# piece is less often an answer. Fitted with wordllama by leaving out one task at a time (`benchmarks/mix.py`). With the
# weight of a transformer, Cranfield loses .020 of recall@5 and .031 of nDCG@10 against words alone.
STATIC = 0.15
# With a smaller deviation all cosines are considered equal: float32 rows differ by rounding.
ALIKE = 1e-3


@frozen
class Spread:
    """The distribution of a query's cosines to all pieces of a store, against which one cosine is measured.

    Attributes:
        mean: The average of their cosines.
        deviation: Their standard deviation, >= 0.
        count: How many pieces there are, >= 0.
    """

    mean: float
    deviation: float
    count: int


@frozen
class FusedScore:
    """The combined score of a candidate's words and meaning.

    Attributes:
        score: > 0, at most the best lexical score (1 if no candidate has one); comparable within one call only.
        lexical: The score of its words relative to the best, from 0 to 1.
        dense: The score of its meaning relative to the best, from 0 to 1.
        weight: The share of meaning in the score, the same for all candidates of a query, 0 to 1.
    """

    score: float
    lexical: float
    dense: float
    weight: float


def fuse(
    lexical: Mapping[int, float],
    dense: Mapping[int, float],
    *,
    spread: Spread,
    settings: DenseSettings = DENSE,
) -> dict[int, FusedScore]:
    """Fuse the two scores of each candidate.

    Args:
        lexical: The score by words, > 0, of every candidate that has one, including those found only by vectors.
        dense: The cosine, -1 to 1, of the best piece of every candidate that has a vector, including those found only
        by words, and at least of the nearest ``BEST`` of the store. Empty if there is no provider.
        spread: The distribution of the cosines of all pieces.
        settings: The policy's: ``weight`` 0 leaves meaning out, ``adapt`` 0 gives every query the same weight.

    Returns:
        Every candidate with a positive score. If meaning has no weight, the lexical scores unchanged.
    """
    top = max(lexical.values(), default=0.0)
    near = {number: max(0.0, _standard(cosine, spread)) for number, cosine in dense.items()}
    nearest = max(near.values(), default=0.0)
    weight = _weight(near, spread.count, settings) if nearest else 0.0
    if not weight:
        return {number: FusedScore(score, score / top, 0.0, 0.0) for number, score in lexical.items() if score > 0}
    share = weight / (1 + weight) if top else 1.0
    fused = {}
    for number in lexical.keys() | near.keys():
        words = lexical.get(number, 0.0) / top if top else 0.0
        meaning = near.get(number, 0.0) / nearest
        if worth := (1 - share) * words + share * meaning:
            fused[number] = FusedScore(worth * (top or 1.0), words, meaning, share)
    return fused


def _standard(cosine: float, spread: Spread) -> float:
    return (cosine - spread.mean) / spread.deviation if spread.deviation > ALIKE else 0.0


def _weight(near: Mapping[int, float], count: int, settings: DenseSettings) -> float:
    """Return the weight of meaning for a query, relative to a weight of 1 for words."""
    return settings.weight * _peak(near, count) ** settings.adapt if settings.weight else 0.0


def _peak(near: Mapping[int, float], count: int) -> float:
    """Return how far the best stand out, relative to the best of as many random numbers.

    The average of the *k* highest of *n* normal deviates is a little below sqrt(2 ln(n / k)).

    Source: Leadbetter, Lindgren, Rootzén 1983, "Extremes and related properties of random sequences", 1.5.
    """
    count = max(count, len(near))
    size = max(1, min(BEST, count // EACH_OF, len(near)))
    best = sorted(near.values(), reverse=True)[:size]
    return fsum(best) / size / sqrt(2 * log(max(count / size, 2.0)))


def diversify(
    scores: Mapping[int, float],
    likeness: Callable[[int, int], float],
    *,
    limit: int,
    settings: DenseSettings = DENSE,
) -> list[int]:
    """Return the best candidates, trading score for difference from earlier ones (Maximal Marginal Relevance).

    Args:
        scores: The final scores, > 0.
        likeness: The cosine of two candidates; 0 if one has no vector.
        limit: How many, >= 1.
        settings: The policy's; with ``mmr`` 0 the order is by score alone.

    Returns:
        At most *limit* numbers; equal candidates are sorted by number.

    Source: Carbonell, Goldstein 1998, "The use of MMR, diversity-based reranking for reordering documents and producing
    summaries"; ``mmr`` is its 1 - lambda.
    """
    left = sorted(scores, key=lambda number: (-scores[number], number))
    if not settings.mmr or not left:
        return left[:limit]
    top = scores[left[0]]
    alike = dict.fromkeys(left, 0.0)
    chosen: list[int] = []
    while left and len(chosen) < limit:
        best = max(left, key=lambda n: (1 - settings.mmr) * scores[n] / top - settings.mmr * alike[n])
        left.remove(best)
        chosen.append(best)
        for number in left:
            alike[number] = max(alike[number], likeness(best, number))
    return chosen


def admit(
    ranked: Sequence[tuple[int, float]], dense: Mapping[int, float], *, floor: float, settings: DenseSettings = DENSE
) -> list[int]:
    """Return the hits to show unprompted: none unless the best is near enough, then those nearly as good.

    Args:
        ranked: Numbers and final scores, best first.
        dense: Their cosines; empty without a provider, and then only the floor holds.
        floor: The share of the best score that a hit must have (``settings.floor``; per turn, ``settings.turn_floor``).
        settings: The policy's: ``gate`` 0 lets everything pass.

    Source: the dotfiles' memory: an absolute gate for the best hit, a relative floor for the others.
    """
    is_gated = bool(dense) and settings.gate > 0
    if not ranked or (is_gated and dense.get(ranked[0][0], -1.0) < settings.gate):
        return []
    least = floor * ranked[0][1]
    return [number for number, score in ranked if score >= least]
