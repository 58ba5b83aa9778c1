"""Search by meaning in one store: the query's vectors, and the memories with the nearest vectors.

The filters apply as they do for words. If the vectors cannot be used, that is reported once, and the search uses words
alone.
"""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.frozen import replace
from gitmem.index.vectors.plain_rows import EXACT, cosine
from gitmem.index.vectors.rows import DamagedError
from gitmem.recall import fuse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.index.vectors.store import Vectors
    from gitmem.policy.settings import DenseSettings
    from gitmem.recall.scoring import RankedMemory

    Sources = tuple[tuple[str, float], ...]

# How many pieces are found for each requested candidate: the best may all belong to one long memory, or to memories
# that a filter excludes. If that is not enough, every memory that passes the filter is compared.
PIECES = 4
# Without numpy; looking up a piece takes 15 µs at 100,000 memories, and most have a single one.
PLAIN_PIECES = 2
# Without numpy, this many times as many are found if a filter excludes many and too many pass to compare them all.
FILTERED = 4
# A small store says little about the usual distance to a query, so this many unrelated pieces are added to its
# statistics. 0.2 is the deviation of unrelated sentences with MiniLM.
OTHERS, DEVIATION = 10, 0.2
# How many hits diversification chooses from, for each hit that is shown.
MORE = 3


NO_SPREAD = fuse.Spread(0.0, 0.0, 0)
UNRELATED = fuse.Spread(0.0, DEVIATION, OTHERS)


def join_spreads(spreads: Sequence[fuse.Spread]) -> fuse.Spread:
    """Combine the distributions of cosines in several places."""
    total = sum(spread.count for spread in spreads)
    if not total:
        return NO_SPREAD
    mean = sum(spread.count * spread.mean for spread in spreads) / total
    square = sum(spread.count * (spread.deviation**2 + spread.mean**2) for spread in spreads) / total
    return fuse.Spread(mean, max(0.0, square - mean**2) ** 0.5, total)


class Dense:
    """A query to the vectors of one store, as a context manager in which all reads see one state.

    Attributes:
        notice: A line that says why the vectors were not used; or empty.
    """

    def __init__(self, catalog: Catalog, models: Sequence[tuple[Vectors, Any]]) -> None:
        """Prepare the query, given its vector for each model, with the model for prose first."""
        self._catalog, self._asked = catalog, models
        self._spreads = [NO_SPREAD] * len(models)
        self.notice = ""

    def __enter__(self) -> Dense:
        """Begin a read of each model's vectors."""
        for vectors, _ in self._asked:
            self._ask(vectors.begin, "BEGIN")
        return self

    def __exit__(self, *_: object) -> None:
        """Close the vectors."""
        for pair in self._asked:
            pair[0].close()

    @property
    def spread(self) -> fuse.Spread:
        """Return the distribution of cosines to all pieces, known after ``nearest``; empty without vectors."""
        return self._spreads[0] if self._spreads else NO_SPREAD

    def _ask(self, ask: Callable[..., Any], *arguments: object) -> Any:
        """Call a function that reads vectors; return None once reading has failed."""
        if self.notice:
            return None
        try:
            return ask(*arguments)
        except (DamagedError, OSError, sqlite3.Error) as err:
            self.notice = f"the vectors cannot be read ({err}), so this search used words only: gitmem embed rebuild"
            return None

    def nearest(self, condition: str, values: Sequence[object], *, limit: int) -> dict[int, float]:
        """Return the memories that pass a condition and are nearest to the query, at most *limit* of each model.

        Returns:
            Cosines by number, those of the model for code converted to the scale of the first one (``_alike``).
        """
        found: dict[int, float] = {}
        for nth, (vectors, query) in enumerate(self._asked):
            asked = (PLAIN_PIECES if vectors.is_plain else PIECES) * limit
            answer = self._ask(vectors.nearest, query, asked)
            if answer is None:
                return {}
            best, pieces = answer
            own = fuse.Spread(pieces.mean, pieces.deviation, vectors.shape.count)
            self._spreads[nth] = join_spreads([own, UNRELATED])
            passing = self._passing(best, condition, values)
            if len(passing) < limit and len(pieces.rows) == asked:
                passing |= self._compare_all(nth, condition, values, limit=limit)
            # Anything below the average scores 0 (`recall.fuse`).
            near = [number for number, cosine in passing.items() if cosine > self._spreads[nth].mean]
            for _, number in sorted((-passing[number], number) for number in near)[:limit]:
                found[number] = max(found.get(number, -1.0), self._alike(nth, passing[number]))
        return found

    def _compare_all(self, nth: int, condition: str, values: Sequence[object], *, limit: int) -> dict[int, float]:
        """Return the cosine of every memory that passes a condition; without numpy, only of as many as are compared."""
        vectors, query = self._asked[nth]
        every = dict(self._catalog.rows(f"SELECT m.id, m.oid FROM memory m WHERE {condition}", values))
        if vectors.is_plain and len(every) > EXACT:
            answer = self._ask(vectors.nearest, query, FILTERED * PIECES * limit)
            return self._passing(answer[0], condition, values) if answer else {}
        cosines = self._ask(vectors.cosines, query, every.values()) or {}
        return {number: cosines[oid] for number, oid in every.items() if oid in cosines}

    def _passing(self, cosines: dict[str, float], condition: str, values: Sequence[object]) -> dict[int, float]:
        sql = f"SELECT m.id, m.oid FROM memory m WHERE m.oid IN ({{}}) AND {condition}"
        return {number: cosines[oid] for number, oid in self._catalog.each(sql, cosines, values)}

    def _alike(self, nth: int, cosine: float) -> float:
        """Convert a cosine to the first model's scale: the same number of deviations from the mean."""
        own, first = self._spreads[nth], self._spreads[0]
        if not nth or not own.deviation or not first.deviation:
            return cosine
        return first.mean + first.deviation * (cosine - own.mean) / own.deviation

    def _oids(self, numbers: Iterable[int]) -> dict[int, str]:
        return dict(self._catalog.each("SELECT id, oid FROM memory WHERE id IN ({})", numbers))

    def cosines(self, numbers: Iterable[int]) -> dict[int, float]:
        """Return the cosine of the best piece of each memory that has a vector, on the scale of ``nearest``."""
        oids, found = self._oids(numbers), dict[int, float]()
        for nth, (vectors, query) in enumerate(self._asked):
            answer = self._ask(vectors.cosines, query, oids.values()) or {}
            for number, oid in oids.items():
                if oid in answer:
                    found[number] = max(found.get(number, -1.0), self._alike(nth, answer[oid]))
        return found

    def likeness(self, numbers: Iterable[int]) -> Callable[[int, int], float]:
        """Return a function for the similarity of two of these memories, by their pieces nearest to the query.

        It returns their cosine, or 0 if one has no vector or they belong to different models.
        """
        oids = self._oids(numbers)
        spaces = [self._ask(vectors.best_rows, query, oids.values()) or {} for vectors, query in self._asked]

        def alike(one: int, other: int) -> float:
            a, b = oids.get(one, ""), oids.get(other, "")
            return next((_cosine(rows[a], rows[b]) for rows in spaces if a in rows and b in rows), 0.0)

        return alike


def _cosine(row: Any, other: Any) -> float:
    """Return the cosine of two unit rows: tuples, or arrays of numpy."""
    return cosine(row, other) if isinstance(row, tuple) else float(row @ other)


class VectorQuery:
    """A query to the vectors of some stores, as a context manager; numbers are those of ``recall.ranker``.

    The memory *id* of the n-th of N stores has the number id × N + n: with one store, its own number.
    """

    def __init__(self, stores: Sequence[Dense], *, reliance: float = 1.0) -> None:
        """Prepare a query to some stores; *reliance* multiplies the weights of meaning (``fuse.STATIC``)."""
        self._stores, self._reliance = stores, reliance

    def __enter__(self) -> VectorQuery:
        """Begin reading all stores."""
        for dense in self._stores:
            dense.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        """Close the vectors of all stores."""
        for dense in self._stores:
            dense.__exit__()

    @property
    def notices(self) -> list[str]:
        """Return why vectors were not used, each reason once."""
        return list(dict.fromkeys(dense.notice for dense in self._stores if dense.notice))

    def nearest(self, nth: int, condition: str, values: Sequence[object], *, limit: int) -> dict[int, float]:
        """Return the nearest memories of a store, as its own numbers; see ``Dense.nearest``."""
        return self._stores[nth].nearest(condition, values, limit=limit)

    def combine(
        self,
        lexical: Mapping[int, float],
        numbers: Iterable[int],
        settings: DenseSettings,
    ) -> dict[int, tuple[float, Sources]]:
        """Return the score of each candidate by words and meaning, with its parts."""
        cosines: dict[int, float] = {}
        for nth, own in enumerate(self._split(numbers)):
            found_here = self._stores[nth].cosines(own)
            cosines |= {number * len(self._stores) + nth: cosine for number, cosine in found_here.items()}
        spread = join_spreads([dense.spread for dense in self._stores])
        settings = replace(settings, weight=settings.weight * self._reliance)
        found = fuse.fuse(lexical, cosines, spread=spread, settings=settings)
        scores = {}
        for number, fused in found.items():
            parts = {"lexical": fused.lexical, "dense": fused.dense, "weight": fused.weight}
            parts |= {"cosine": cosines[number]} if number in cosines else {}
            scores[number] = fused.score, tuple(parts.items())
        return scores

    def _split(self, numbers: Iterable[int]) -> list[list[int]]:
        split: list[list[int]] = [[] for _ in self._stores]
        for number in numbers:
            split[number % len(split)].append(number // len(split))
        return split

    def diversify(self, ranked: Sequence[RankedMemory], limit: int, settings: DenseSettings) -> Sequence[RankedMemory]:
        """Return the ranked candidates, with at most *limit* of the best ones first in diversified order.

        A likeness counts as little as the nearness of the same model does.
        """
        settings = replace(settings, mmr=settings.mmr * self._reliance)
        if not settings.mmr:
            return ranked
        by_number = {ranked_memory.number: ranked_memory for ranked_memory in ranked[: MORE * limit]}
        likeness = [self._stores[nth].likeness(own) for nth, own in enumerate(self._split(by_number))]

        def alike(one: int, other: int) -> float:
            n = len(self._stores)
            return likeness[one % n](one // n, other // n) if one % n == other % n else 0.0

        scores = {number: ranked.score for number, ranked in by_number.items()}
        first = fuse.diversify(scores, alike, limit=limit, settings=settings)
        taken = set(first)
        return [
            *(by_number[number] for number in first),
            *(ranked_memory for ranked_memory in ranked if ranked_memory.number not in taken),
        ]
