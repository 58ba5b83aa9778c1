"""Find memories by words: the protocol of search engines, and the data that they take and return.

``fts`` is the engine inside the catalog's SQLite file. An engine only finds candidates: it analyses text with
``gitmem.text.tokens`` and leaves ranking to ``recall.score``, so two engines over the same memories differ in speed and
in which memories they find, not in how they rank.
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

# The searched fields of a memory, in the order of every tuple with one value per field, and the weight of an occurrence
# in each unless the policy of a store sets another.
WEIGHTS: dict[str, float] = fields_of(Weights())
FIELDS, FIELD_WEIGHTS = tuple(WEIGHTS), tuple(WEIGHTS.values())

# The Whoosh index's folder next to the catalog; defined here so that checking for it does not load Whoosh.
WHOOSH_FOLDER = "whoosh"
# It is built at 1,000 memories a second (measured); above this many, only on request (DESIGN, section 4).
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

        Engines differ in how they are updated: FTS5 applies changes inside the catalog's transaction (``fts``), Whoosh
        compares its contents with the catalog (``whoosh.index``). Recall uses them in the same way.
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
