"""Find near duplicates among many texts, without comparing all pairs. Pure.

Two texts that say the same have the same numbers, negations and words of polarity, and one of their rarest words in
common: the number of rarest words to consider follows from the share of words that both must have.

Source: prefix filtering, Bayardo, Ma, Srikant 2007, "Scaling up all pairs similarity search".
"""

from __future__ import annotations

from gitmem.text.similarity import likeness, most_missing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from gitmem.text.similarity import Claim

# The most texts with a common rare word that are compared with each new one: otherwise a store full of similar texts
# would need all pairs.
MOST_IN_A_BUCKET = 200


def near_pairs(
    claims: Sequence[Claim],
    threshold: float,
    *,
    progress: Callable[[int, int], None] | None = None,
    most: int | None = None,
) -> Iterator[tuple[int, int, float]]:
    """Yield the pairs of texts with at least this likeness: ``(first, second, likeness)``, ``first < second``.

    Of texts with exactly the same words, only the first is compared with others, and each later one is paired with it.

    Args:
        claims: The texts.
        threshold: From 0 to 1.
        progress: Called with the number of texts processed and the total.
        most: The most words of pairs to compare; after that, only equal texts are found. None for no limit.
    """
    left = most
    frequency: dict[str, int] = {}
    for claim in claims:
        for word in claim.counts:
            frequency[word] = frequency.get(word, 0) + 1
    same: dict[str, int] = {}
    buckets: dict[tuple[object, ...], list[int]] = {}
    for number, claim in enumerate(claims):
        if progress is not None and number % 500 == 0:
            progress(number, len(claims))
        first = same.setdefault(claim.plain, number)
        if first != number:
            yield first, number, 1.0
            continue
        found: set[int] = set()
        for bucket in _buckets(claim, threshold, frequency):
            held = buckets.setdefault(bucket, [])
            found.update(held)
            if len(held) < MOST_IN_A_BUCKET:
                held.append(number)
        for other in sorted(found):
            if left is not None:
                left -= len(claim.words) + len(claims[other].words)
                if left < 0:
                    break
            if not claim.is_contrary(claims[other]) and (value := likeness(claims[other], claim)) >= threshold:
                yield other, number, value


def _buckets(claim: Claim, threshold: float, frequency: dict[str, int]) -> Iterator[tuple[object, ...]]:
    """Yield what a text has in common with every similar one, at least one of them: a rare word, and all numbers."""
    rarest = sorted(claim.counts, key=lambda word: (frequency[word], word))
    kept = sum(claim.counts.values())
    signature = hash((claim.numbers, claim.negations, claim.polar))
    for word in rarest[: most_missing(kept, threshold) + 1]:
        yield signature, word
