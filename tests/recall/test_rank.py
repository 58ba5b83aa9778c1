"""Every factor of a score moves the right memory, by how much its documentation says."""

from __future__ import annotations

from math import inf, nan

import pytest
from support.each import each

from gitmem.frozen import replace
from gitmem.model import FAILED, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED
from gitmem.recall.scoring import RANKING, Ranking, Signals, grade, rank, recency


def make_signals(number: int, lexical: float = 1.0, **known: object) -> Signals:
    return replace(Signals(number, lexical), **known)


def without(*names: str) -> Ranking:
    return replace(RANKING, without=names)


@each(
    ("factor", "better", "worse"),
    [
        pytest.param("lexical", {"lexical": 1.2}, {}, id="words"),
        pytest.param("recency", {"half_life_days": 14.0}, {"half_life_days": 14.0, "age_days": 14.0}, id="younger"),
        pytest.param("access", {"accesses": 3}, {}, id="read-often"),
        pytest.param("access", {"accesses": 3}, {"accesses": 3, "accessed_hours": 72.0}, id="read-lately"),
        pytest.param("status", {"status": VERIFIED}, {}, id="verified-before-none"),
        pytest.param("status", {}, {"status": STALE}, id="none-before-stale"),
        pytest.param("status", {"status": UNPROVEN}, {"status": SUSPECT}, id="unproven-before-suspect"),
        pytest.param("status", {"status": SUSPECT}, {"status": FAILED}, id="suspect-before-failed"),
        pytest.param("importance", {"importance": 0.75}, {}, id="important"),
        pytest.param("importance", {}, {"importance": 0.25}, id="unimportant"),
        pytest.param("confidence", {}, {"confidence": 0.5}, id="doubted"),
        pytest.param("status", {"status": STALE}, {"status": UNPROVEN}, id="an-old-proof-before-none"),
        pytest.param("path", {"overlap": 0.5}, {}, id="near-the-work"),
        pytest.param("dependency", {"is_linked": True}, {}, id="linked-with-the-work"),
        pytest.param("workspace", {"workspace": 1.0}, {}, id="learnt-here"),
        pytest.param("scope", {}, {"scope": 0.85}, id="of-this-project"),
        pytest.param("talk", {"talk": 1.4}, {}, id="what-a-question-asks-for"),
        pytest.param("time", {"time": 3.0}, {}, id="the-time-that-a-question-names"),
        pytest.param("provenance", {}, {"is_agents": True}, id="a-persons-before-an-agents"),
    ],
)
def test_factor_moves_the_memory_and_no_other_does(
    factor: str, better: dict[str, object], worse: dict[str, object]
) -> None:
    first, second = rank([make_signals(1, **worse), make_signals(2, **better)], limit=10)

    assert (first.number, second.number) == (2, 1)
    differ = [name for (name, a), (_, b) in zip(first.factors, second.factors, strict=True) if a != b]
    assert differ == [factor]
    if factor != "lexical":
        off = rank([make_signals(1, **worse), make_signals(2, **better)], limit=10, ranking=without(factor))
        assert off[0].score == off[1].score
        assert factor not in dict(off[0].factors)


def test_score_is_the_product_of_the_factors_in_their_order() -> None:
    known = {"age_days": 14.0, "half_life_days": 14.0, "accesses": 9, "status": FAILED, "importance": 1.0}
    signals = make_signals(1, 2.0, **known, confidence=0.5, overlap=1.0, is_linked=True, workspace=1.0, is_agents=True)

    (ranked,) = rank([signals], limit=1)

    assert ranked.factors == (
        ("lexical", 2.0),
        ("recency", 0.75),
        ("access", 1.5),
        ("status", 0.5),
        ("importance", 1.2),
        ("confidence", 0.85),
        ("path", 1.5),
        ("dependency", pytest.approx(11 / 6)),
        ("workspace", 1.2),
        ("scope", 1.0),
        ("talk", 1.0),
        ("provenance", 0.85),
        ("time", 1.0),
    )
    assert ranked.score == pytest.approx(2.0 * 0.75 * 1.5 * 0.5 * 1.2 * 0.85 * 1.5 * 11 / 6 * 1.2 * 0.85)


def test_what_a_check_proves_is_believed_whoever_wrote_it() -> None:
    (ranked,) = rank([make_signals(1, status=VERIFIED, is_agents=True)], limit=1)

    assert dict(ranked.factors)["provenance"] == 1.0


def test_a_memory_of_which_nothing_is_known_keeps_its_lexical_score() -> None:
    (ranked,) = rank([make_signals(1, 3.0)], limit=1)

    assert ranked.score == 3.0


def test_every_status_has_its_factor() -> None:
    assert sorted(name for name, _ in RANKING.statuses) == sorted(STATUSES)


@each("age_days", [0.0, 3.5, 14.0, 100.0])
def test_without_a_floor_the_score_is_d6s_formula(age_days: float) -> None:
    d6 = replace(RANKING, recency=1.0)
    signals = make_signals(1, 0.8, age_days=age_days, half_life_days=14.0, accesses=3, accessed_hours=1.0)

    (ranked,) = rank([signals], limit=1, ranking=d6)

    assert ranked.score == pytest.approx(0.8 * 2 ** (-age_days / 14) * (1 + min(3 / 10, 0.5)))


@each(
    ("age_days", "half_life_days", "expected"),
    [
        pytest.param(365.0, None, 1.0, id="durable"),
        pytest.param(14.0, 14.0, 0.5, id="one-half-life"),
        pytest.param(1e9, 14.0, 0.0, id="very-old"),
        pytest.param(1e308, 1e-9, 0.0, id="beyond-floats"),
        pytest.param(0.0, 14.0, 1.0, id="new"),
        pytest.param(-3.0, 14.0, 1.0, id="from-the-future"),
    ],
)
def test_recency_is(age_days: float, half_life_days: float | None, expected: float) -> None:
    assert recency(age_days, half_life_days) == pytest.approx(expected)


def test_age_takes_half_of_a_score_at_most() -> None:
    (ranked,) = rank([make_signals(1, age_days=1e9, half_life_days=14.0)], limit=1)

    assert ranked.score == 0.5


def test_a_gotcha_of_last_year_comes_before_a_worse_match_of_today() -> None:
    gotcha = make_signals(1, 1.0, age_days=365.0)
    session = make_signals(2, 0.9, age_days=0.0, half_life_days=14.0)

    assert [ranked.number for ranked in rank([session, gotcha], limit=2)] == [1, 2]


@each(
    ("accesses", "hours", "expected"),
    [
        pytest.param(0, 0.0, 1.0, id="never"),
        pytest.param(5, 1.0, 1.5, id="five-times"),
        pytest.param(500, 48.0, 1.5, id="bounded"),
        pytest.param(500, 49.0, 1.25, id="half-after-two-days"),
    ],
)
def test_access_boost_is(accesses: int, hours: float, expected: float) -> None:
    (ranked,) = rank([make_signals(1, accesses=accesses, accessed_hours=hours)], limit=1)

    assert dict(ranked.factors)["access"] == pytest.approx(expected)


def test_hits_far_below_the_best_are_dropped_and_the_best_never() -> None:
    candidates = [make_signals(1, 1.0), make_signals(2, 0.61), make_signals(3, 0.59), make_signals(4, 0.05)]

    assert [ranked.number for ranked in rank(candidates, limit=9)] == [1, 2, 3]
    assert [ranked.number for ranked in rank(candidates, limit=9, ranking=replace(RANKING, floor=0.6))] == [1, 2]
    assert [ranked.number for ranked in rank(candidates, limit=9, ranking=replace(RANKING, floor=1.0))] == [1]
    assert len(rank(candidates, limit=9, ranking=replace(RANKING, floor=0.0))) == 4


def test_no_more_than_the_limit_are_ranked_and_none_of_none() -> None:
    assert [ranked.number for ranked in rank([make_signals(i, i) for i in (1, 2, 3)], limit=2)] == [3, 2]
    assert rank([], limit=2) == []


def test_of_equals_the_younger_comes_first_then_the_smaller_number() -> None:
    candidates = [make_signals(3, age_days=1.0), make_signals(2, age_days=1.0), make_signals(1, age_days=9.0)]

    assert [ranked.number for ranked in rank(candidates, limit=3)] == [2, 3, 1]


@each(
    ("value", "expected"),
    [
        ("critical", 1.0),
        (" High ", 0.75),
        ("medium", 0.5),
        ("low", 0.25),
        ("whatever", 0.9),
        (0.3, 0.3),
        (1, 1.0),
        (7, 1.0),
        (-1, 0.0),
        (inf, 1.0),
        (nan, 0.9),
        (True, 0.9),
        (None, 0.9),
        (["high"], 0.9),
    ],
)
def test_grade_reads(value: object, expected: float) -> None:
    assert grade(value, default=0.9) == expected
