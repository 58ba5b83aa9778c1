"""The fit of the mix: a setting is never chosen by the task that it is reported for, and losses count more."""

from __future__ import annotations

import pytest

from benchmarks.mix import GRID, Record, best_of, value
from gitmem.recall import Ranking, Signals
from gitmem.recall.fuse import Spread


def test_setting_for_a_task_is_the_best_of_the_others() -> None:
    here, there = GRID[0], GRID[1]
    nothing = dict.fromkeys(GRID, 0.0)
    values = {"one": nothing | {here: 9.0}, "two": nothing | {there: 1.0}, "three": nothing | {there: 1.0}}

    assert best_of(values, without="one") == there
    assert best_of(values) == here


def test_loss_counts_three_times() -> None:
    assert value((0.5, 0.5), (0.4, 0.6)) == pytest.approx(0.1 - 0.3)


def test_record_is_ranked_with_the_functions_of_recall() -> None:
    signals = {number: Signals(number, 1.0, key=str(number)) for number in (1, 2)}
    cosines = {1: 0.1, 2: 0.9}
    one = Record({1: 2.0, 2: 1.0}, cosines, Spread(0.1, 0.1, 100), signals, Ranking(), {1: "a", 2: "b"}, {"b": 1})

    assert one.ranked((0.0, 0.0)) == ["a", "b"]
    assert one.ranked((3.0, 1.0)) == ["b", "a"]
