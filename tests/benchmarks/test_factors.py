"""The benchmark of factors: judged as documented, the same every time, and a placebo that only shuffles."""

from __future__ import annotations

import pytest
from support.each import each

from benchmarks.factors import judge, p_value, rows_of, shuffled, table
from benchmarks.world import World
from gitmem.model import FAILED, VERIFIED
from gitmem.recall import ranker
from gitmem.recall.scoring import Signals


def test_world_is_the_same_every_time_and_another_with_another_seed() -> None:
    texts = [[one.text() for one in World(seed).told] for seed in (1, 1, 2)]

    assert texts[0] == texts[1] != texts[2]


def test_what_is_judged_right_says_what_the_code_says() -> None:
    world = World(3)
    by_key = {one.key: one for one in world.told}

    for question in world.questions:
        values = {value for (component, _), value in world.values.items() if component == question.component}
        for key in question.judged:
            text = f"{by_key[key].title} {by_key[key].body}".replace(".", " ")
            assert values & {int(word) for word in text.split() if word.isdigit()}


@each(
    ("found", "ndcg", "reciprocal"),
    [
        (["a", "b"], 1.0, 1.0),
        (["x", "a", "b"], 0.644, 0.5),
        (["b"], 0.131, 0.0),
        (["x", "x", "x", "x", "x", "a"], 0.0, 1 / 6),
        ([], 0.0, 0.0),
    ],
)
def test_answers_are_judged(found: list[str], ndcg: float, reciprocal: float) -> None:
    assert judge(found, {"a": 3, "b": 1}) == (pytest.approx(ndcg, abs=1e-3), pytest.approx(reciprocal))


def test_paired_test_tells_a_difference_from_none() -> None:
    assert p_value([1.0] * 20, [0.0] * 20) < 0.001
    assert p_value([1.0, 0.0] * 10, [0.0, 1.0] * 10) > 0.5


def test_placebo_keeps_the_words_and_exchanges_the_rest() -> None:
    signals = [Signals(n, 10.0 + n, status=(FAILED, VERIFIED)[n % 2]) for n in range(1, 21)]
    rank = ranker.rank

    with shuffled(1):
        found = ranker.rank(signals, limit=20)

    assert ranker.rank is rank
    assert {one.number: dict(one.factors)["lexical"] for one in found} == {n: 10.0 + n for n in range(1, 21)}
    given = {one.number: dict(one.factors)["status"] for one in found}
    assert sorted(given.values()) == [0.5] * 10 + [1.1] * 10
    assert [given[n] for n in range(1, 21)] != [(0.5, 1.1)[n % 2] for n in range(1, 21)]


def test_table_has_a_row_for_each_arm() -> None:
    arms = {"words only": [(0.0, 0.0)] * 9, "all factors": [(1.0, 1.0)] * 9}

    lines = table(rows_of(arms)).splitlines()

    assert lines[2].startswith("| words only | 0.000 | 0.000 |  | -1.000 (p = 0.0")
    assert len(lines) == 4
