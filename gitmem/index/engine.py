"""What a search engine is given and what it gives back: the protocol, and its data.

An engine only brings candidates. It analyses with ``gitmem.text.tokens`` and leaves ranking to ``recall.score``, so two
engines with the same memories differ in speed and reach, not in how they rank.
"""

from __future__ import annotations

from gitmem.frozen import fields_of, frozen
from gitmem.model import IndexText
from gitmem.policy.settings import Weights

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Protocol

__all__ = ["FIELDS", "FIELD_WEIGHTS", "WEIGHTS", "Candidate", "IndexText", "Stats"]

# The searched fields of a memory, in the order of every tuple that has one value per field; and what an occurrence
# counts in each, where the policy of a store does not say otherwise.
WEIGHTS: dict[str, float] = fields_of(Weights())
FIELDS, FIELD_WEIGHTS = tuple(WEIGHTS), tuple(WEIGHTS.values())

# The Whoosh index's folder beside the catalog; here, because whoever only asks whether it is there loads no Whoosh.
WHOOSH_FOLDER = "whoosh"
# It is made at 1,000 memories a second (measured): past this many only when asked for (DESIGN, section 4).
WHOOSH_AT_MOST = 20_000


@frozen
class Candidate:
    """A memory that an engine found.

    Attributes:
        number: The memory's row in the catalog.
        rank_score: The engine's own score, the higher the better; comparable within one call only. 0 for a candidate
            that was found but not scored.
    """

    number: int
    rank_score: float


@frozen
class Stats:
    """What BM25 must know of all indexed memories together.

    Attributes:
        documents: How many there are, >= 0.
        frequency: In how many of them each asked term occurs; a term that occurs in none is left out.
        lengths: The average number of terms per field, in the order of ``FIELDS``; all 0 where there are none.
    """

    documents: int
    frequency: Mapping[str, int]
    lengths: tuple[float, ...]


if TYPE_CHECKING:

    class Engine(Protocol):
        """Search data made from one store; deletable at any time.

        How it is brought along is its own: FTS5 takes change sets inside the catalog's transaction (``fts``), Whoosh
        compares what it holds with the catalog (``whoosh.index``). What recall asks is the same.
        """

        def candidates(
            self, terms: Sequence[str], *, limit: int, where: str = "", parameters: Sequence[object] = ()
        ) -> list[Candidate]:
            """Return at most *limit* memories with any of the analysed *terms*, the best first.

            Args:
                terms: Analysed terms.
                limit: How many at most, >= 1.
                where: An SQL condition on the catalog's table ``memory m``, or empty for all memories.
                parameters: The values of its placeholders.
            """
