from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from support.each import each

from gitmem.policy.settings import DenseSettings
from gitmem.recall.fuse import STATIC
from gitmem.recall.scoring import RankedMemory
from gitmem.recall.semantic import VectorQuery


class AllAlike:
    """A store whose model finds every memory alike."""

    def likeness(self, numbers: Iterable[int]) -> Callable[[int, int], float]:
        """Return the same likeness for every pair but those with the third memory."""
        return lambda one, other: 0.0 if 3 in (one, other) else 1.0


@each(("reliance", "order"), [(1.0, [1, 3, 2]), (STATIC, [1, 2, 3])])
def test_likeness_by_a_static_model_moves_memories_as_little_as_its_nearness(reliance: float, order: list[int]) -> None:
    stores: Any = [AllAlike()]
    ranked = [RankedMemory(number, score, ()) for number, score in ((1, 1.0), (2, 0.32), (3, 0.30))]

    found = VectorQuery(stores, reliance=reliance).diversify(ranked, 10, DenseSettings(mmr=0.05))

    assert [one.number for one in found] == order
