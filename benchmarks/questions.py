"""The timed questions."""

from __future__ import annotations

from random import Random

from benchmarks import vocabulary

# What the generated memories say most, of each list.
_COMMON = [
    word.lower()
    for words in (vocabulary.AREAS, vocabulary.PARTS, vocabulary.ROLES, vocabulary.VERBS, vocabulary.TECHNOLOGIES)
    for word in words[:20]
]

# Five words each, as a person or an agent would ask; a round asks the next one, all commands of a round the same one.
QUESTIONS = (
    "rotate webhook signature before expiry",
    "why does redis evict sessions",
    "invoice export rounding currency mismatch",
    "postgres migration lock during deploy",
    "checkout token cache retry timeout",
)


def varied(count: int) -> list[str]:
    """Return so many different questions of five common words each, always the same ones."""
    rng = Random(5)
    return [" ".join(rng.sample(_COMMON, 5)) for _ in range(count)]
