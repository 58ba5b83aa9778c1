"""The fit of the mix: a setting is never chosen by the task that it is reported for, and losses count more."""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Any

import pytest
from support.each import each

from benchmarks import mix
from benchmarks.mix import GRID, Corpus, Record, best_of, value
from gitmem.frozen import replace
from gitmem.policy.settings import DenseSettings
from gitmem.recall.fuse import Spread, fuse
from gitmem.recall.scoring import Ranking, Signals, rank


def test_setting_for_a_task_is_the_best_of_the_others() -> None:
    here, there = GRID[0], GRID[1]
    nothing = dict.fromkeys(GRID, 0.0)
    values = {"one": nothing | {here: 9.0}, "two": nothing | {there: 1.0}, "three": nothing | {there: 1.0}}

    assert best_of(values, without="one") == there
    assert best_of(values) == here


def test_loss_counts_three_times() -> None:
    assert value((0.5, 0.5), (0.4, 0.6)) == pytest.approx(0.1 - 0.3)


def record(**changes: Any) -> Record:
    signals = {number: Signals(number, 1.0, key=str(number)) for number in (1, 2, 3)}
    cosines = {1: 0.1, 2: 0.9, 3: 0.3}
    one = Record(
        ["a"], ["b"], {1: 2.0, 2: 1.0}, cosines, Spread(0.1, 0.1, 100), signals, Ranking(),
        {1: "a", 2: "b", 3: "c"}, {"b": 1},
    )  # fmt: skip
    return dataclasses.replace(one, **changes)


def test_record_is_ranked_by_another_setting() -> None:
    assert record().ranked((0.0, 0.0)) == ["a", "b"]
    assert record().ranked((3.0, 1.0)) == ["b", "a", "c"]


@each("setting", [(0.0, 0.0), (0.05, 6.0), (0.7, 4.0), (3.0, 1.0), (5.0, 0.0)])
@each("lexical", [{1: 2.0, 2: 1.0}, {2: 1.0, 3: 4.0}, {}])
def test_ranks_are_those_of_recall(setting: tuple[float, float], lexical: dict[int, float]) -> None:
    signals = {
        1: Signals(1, 1.0, key="1", age_days=30, half_life_days=14),
        2: Signals(2, 1.0, key="2", importance=1.0),
        3: Signals(3, 1.0, key="3", status="failed"),
    }
    one = record(lexical=lexical, signals=signals)
    settings = DenseSettings(weight=setting[0], adapt=setting[1])

    fused = fuse(lexical, one.cosines, spread=one.spread, settings=settings)
    found = rank([replace(signals[n], lexical=part.score) for n, part in fused.items()], limit=10)

    assert one.ranked(setting) == [one.ids[hit.number] for hit in found]


def test_a_second_run_uses_the_store_and_finds_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_STATE_HOME", "GITMEM_BACKGROUND", "GITMEM_VIEW", "GITMEM_EMBED"):
        monkeypatch.setenv(name, "")
    docs = [
        {"id": name, "title": f"About {name}", "text": "", "date": None, "tags": []} for name in ("gateways", "tokens")
    ]
    queries = [{"text": "gateway", "relevant": {"gateways": 1}}]

    first, again = (list(mix.record(Corpus("one", docs, queries), "off", tmp_path)) for _ in range(2))

    assert first[0].words == first[0].in_use == again[0].words == ["gateways"]
    assert mix.mean_of(again, [one.words for one in again]) == (1.0, 1.0)
    tip = ["git", "-C", str(tmp_path / "off" / "one" / "repo"), "rev-list", "--count", "memory"]
    assert subprocess.run(tip, capture_output=True, text=True, check=True).stdout == "2\n"
