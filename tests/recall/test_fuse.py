"""Words and meaning in one score: each setting moves the right memory, and what always holds of a fusion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.frozen import replace
from gitmem.recall.fuse import DENSE, Spread, admit, diversify, fuse

# Of 500 pieces, as MiniLM has them: the average is 0.2, and 0.1 the deviation.
SPREAD = Spread(0.2, 0.1, 500)
# A question whose nearest stand out no more than chance would have it (3.5 deviations), and one where they do.
TOPIC = {n: 0.5 - n / 100 for n in range(10)}
KNOWN = {n: 0.9 - n / 100 for n in range(10)}

SCORES = st.dictionaries(st.integers(0, 30), st.floats(0.01, 100), max_size=20)
COSINES = st.dictionaries(st.integers(0, 30), st.floats(-1, 1), max_size=20)
SPREADS = st.builds(Spread, st.floats(-0.2, 0.5), st.floats(0, 0.3), st.integers(0, 100_000))


def order(scores: dict[int, float], cosines: dict[int, float], **changes: float) -> list[int]:
    fused = fuse(scores, cosines, spread=SPREAD, settings=replace(DENSE, **changes))
    return sorted(fused, key=lambda number: (-fused[number].score, number))


def test_weight_lifts_what_is_near_in_meaning_over_what_has_the_words() -> None:
    words = {5: 10.0, 0: 8.0}

    assert order(words, KNOWN)[0] == 0
    assert order(words, KNOWN, weight=0.0) == [5, 0]


@each(("cosines", "first"), [pytest.param(KNOWN, 0, id="stand-out"), pytest.param(TOPIC, 99, id="as-by-chance")])
def test_adapt_trusts_the_vectors_only_where_the_nearest_stand_out(cosines: dict[int, float], first: int) -> None:
    words = {99: 10.0, 5: 2.0}

    assert order(words, cosines | {99: 0.2})[0] == first


def test_without_adapting_every_question_has_the_weight_of_the_policy() -> None:
    weights = {
        fuse({1: 1.0}, cosines, spread=SPREAD, settings=replace(DENSE, adapt=0.0))[1].weight
        for cosines in (KNOWN, TOPIC, {1: 0.21})
    }

    assert weights == {DENSE.weight / (1 + DENSE.weight)}


def test_a_best_cosine_that_stands_out_counts_less_where_it_is_one_of_more() -> None:
    few, many = (
        fuse({1: 1.0}, KNOWN, spread=replace(SPREAD, count=count), settings=DENSE)[1].weight for count in (100, 100_000)
    )

    assert few > many


def test_what_only_the_vectors_brought_is_found_and_what_is_no_nearer_than_most_is_not() -> None:
    fused = fuse({}, {1: 0.6, 2: 0.4, 3: 0.2, 4: -0.3}, spread=SPREAD, settings=DENSE)

    assert [(number, one.lexical, one.weight) for number, one in fused.items()] == [(1, 0.0, 1.0), (2, 0.0, 1.0)]
    assert fused[1].score == 1.0
    assert fused[2].score == pytest.approx(0.5)


def test_a_fused_score_says_what_it_is_made_of() -> None:
    one = fuse({1: 10.0, 2: 4.0}, {1: 0.3, 2: 0.6}, spread=SPREAD, settings=DENSE)[2]

    assert (one.lexical, one.dense) == (0.4, 1.0)
    assert one.score == pytest.approx(10.0 * ((1 - one.weight) * one.lexical + one.weight * one.dense))


@given(SCORES, SPREADS)
def test_without_vectors_the_lexical_scores_stay_as_they_are(words: dict[int, float], spread: Spread) -> None:
    assert {n: one.score for n, one in fuse(words, {}, spread=spread, settings=DENSE).items()} == words


@given(SCORES, COSINES, SPREADS)
def test_scores_are_bounded_by_the_best_lexical_one(
    words: dict[int, float], cosines: dict[int, float], spread: Spread
) -> None:
    for one in fuse(words, cosines, spread=spread, settings=DENSE).values():
        assert 0 < one.score <= max(words.values(), default=1.0) * (1 + 1e-12)
        assert all(0 <= part <= 1 for part in (one.lexical, one.dense, one.weight))


@given(SCORES, COSINES, SPREADS)
def test_the_order_in_which_candidates_come_changes_nothing(
    words: dict[int, float], cosines: dict[int, float], spread: Spread
) -> None:
    turned = fuse(dict(sorted(words.items())), dict(sorted(cosines.items(), reverse=True)), spread=spread)

    assert turned == fuse(words, cosines, spread=spread)


@given(SCORES, COSINES, st.integers(0, 30), st.floats(0.01, 1), st.booleans())
def test_more_words_or_more_meaning_never_lower_a_place(
    words: dict[int, float], cosines: dict[int, float], number: int, more: float, is_meaning: bool
) -> None:
    def below(words: dict[int, float], cosines: dict[int, float]) -> set[int]:
        fused = fuse(words, cosines, spread=SPREAD, settings=replace(DENSE, adapt=0.0))
        own = fused[number].score if number in fused else 0.0
        return {other for other, one in fused.items() if one.score < own * (1 - 1e-9)}

    before = below(words, cosines)
    if is_meaning:
        cosines = cosines | {number: cosines.get(number, -1.0) + more}
    else:
        words = words | {number: words.get(number, 0.0) + 100 * more}
    fused = fuse(words, cosines, spread=SPREAD, settings=replace(DENSE, adapt=0.0))

    assert all(fused[other].score <= fused[number].score * (1 + 1e-9) for other in before if other in fused)


def test_mmr_puts_something_else_before_the_same_thing_again() -> None:
    scores = {1: 1.0, 2: 0.95, 3: 0.8}
    twins = {frozenset((1, 2)): 0.99}

    def likeness(one: int, other: int) -> float:
        return twins.get(frozenset((one, other)), 0.1)

    assert diversify(scores, likeness, limit=3, settings=replace(DENSE, mmr=0.3)) == [1, 3, 2]
    assert diversify(scores, likeness, limit=2, settings=replace(DENSE, mmr=0.3)) == [1, 3]
    assert diversify(scores, likeness, limit=3, settings=replace(DENSE, mmr=0.0)) == [1, 2, 3]


@given(SCORES, st.integers(1, 30), st.floats(0, 1))
def test_mmr_drops_and_doubles_nothing(scores: dict[int, float], limit: int, mmr: float) -> None:
    found = diversify(scores, lambda a, b: 1 / (1 + abs(a - b)), limit=limit, settings=replace(DENSE, mmr=mmr))

    assert len(found) == len(set(found)) == min(limit, len(scores))
    assert set(found) <= set(scores)


@each(
    ("gate", "cosines", "expected"),
    [
        pytest.param(0.55, {1: 0.56, 2: 0.3}, [1, 2], id="near-enough"),
        pytest.param(0.55, {1: 0.54, 2: 0.9}, [], id="the-best-hit-is-not-near"),
        pytest.param(0.55, {2: 0.9}, [], id="the-best-hit-has-no-vector"),
        pytest.param(0.55, {}, [1, 2], id="no-provider"),
        pytest.param(0.0, {1: -0.5}, [1, 2], id="no-gate"),
    ],
)
def test_gate_lets_nothing_pass_unless_the_best_hit_is_near(
    gate: float, cosines: dict[int, float], expected: list[int]
) -> None:
    assert admit([(1, 10.0), (2, 9.0)], cosines, floor=0.6, settings=replace(DENSE, gate=gate)) == expected


@each(
    ("floor", "expected"),
    [
        pytest.param(DENSE.floor, [1, 2, 3], id="session"),
        pytest.param(DENSE.turn_floor, [1, 2], id="turn"),
        pytest.param(0.0, [1, 2, 3, 4], id="off"),
    ],
)
def test_floor_drops_what_is_far_behind_the_best(floor: float, expected: list[int]) -> None:
    ranked = [(1, 10.0), (2, 8.5), (3, 6.0), (4, 5.9)]

    assert admit(ranked, {1: 0.9}, floor=floor, settings=DENSE) == expected
    assert admit([], {}, floor=floor, settings=DENSE) == []
