"""Every part of a score moves the right memory, by how much its documentation says."""

from __future__ import annotations

from math import exp, inf, log, nan
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.analysis import query_terms, terms
from gitmem.frozen import replace
from gitmem.model import FAILED, STALE, STATUSES, SUSPECT, UNPROVEN, VERIFIED, IndexText
from gitmem.search.engine import FIELDS, Stats
from gitmem.search.score import RANKING, WEIGHTS, Signals, coverage, grade, lexical, path_overlap, rank, recency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.search.score import Weights

# BM25F alone: each further part is switched on by the test that is about it.
ALONE = replace(WEIGHTS, pair=0.0, coverage=0.0, related=0.0)
FILLER = "alpha beta gamma delta"


def make_text(number: int, body: str = "", **fields: str) -> IndexText:
    return IndexText(**({"number": number, "title": "", "tags": "", "key": "", "paths": "", "body": body} | fields))


def stats_of(texts: Sequence[IndexText], asked: Sequence[str], documents: int = 1000) -> Stats:
    """Return exact statistics, as if all other memories were as long and had none of the words."""
    held = [[terms(part) for part in text.texts()] for text in texts]
    df = {term: sum(any(term in field for field in fields) for fields in held) for term in asked}
    lengths = tuple(sum(len(fields[i]) for fields in held) / len(held) for i in range(len(FIELDS)))
    return Stats(documents, {term: count for term, count in df.items() if count}, lengths)


def scores(query: str, *texts: IndexText, weights: Weights = ALONE) -> dict[int, float]:
    asked = query_terms(query)
    look_up = (lambda more: stats_of(texts, more)) if weights.related else None
    return lexical(asked, texts, stats_of(texts, asked), weights=weights, frequencies=look_up)


def order(query: str, *texts: IndexText, weights: Weights = ALONE) -> list[int]:
    found = scores(query, *texts, weights=weights)
    return sorted(found, key=lambda number: (-found[number], number))


def test_one_term_scores_as_the_formula_says() -> None:
    stats = Stats(documents=100, frequency={"jwt": 4}, lengths=(2.0, 0.0, 0.0, 0.0, 10.0))
    text = make_text(1, "jwt alpha beta", title="jwt keys")

    found = lexical(["jwt"], [text], stats, weights=ALONE)

    idf = log(1 + (100 - 4 + 0.5) / (4 + 0.5))
    count, length, average = 3 * 1 + 1, 3 * 2 + 3, 3 * 2 + 10
    norm = 1.2 * (1 - 0.75 + 0.75 * length / average)
    assert found == {1: pytest.approx(idf * count * 2.2 / (count + norm))}


def test_memory_without_a_word_of_the_query_has_no_score() -> None:
    assert list(scores("jwt", make_text(1, "jwt"), make_text(2, FILLER), weights=WEIGHTS)) == [1]


def test_query_without_known_words_scores_nothing() -> None:
    assert scores("absent", make_text(1, "jwt"), weights=WEIGHTS) == {}
    assert scores("", make_text(1, "jwt"), weights=WEIGHTS) == {}
    assert lexical(["jwt"], [], Stats(0, {}, (0.0,) * 5)) == {}


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        pytest.param("jwt", {"title": "jwt", "body": FILLER}, {"title": "alpha", "body": f"jwt {FILLER}"}, id="title"),
        pytest.param("jwt", {"tags": "jwt", "body": FILLER}, {"body": f"jwt {FILLER}"}, id="tags"),
        pytest.param("jwt", {"body": "jwt alpha"}, {"body": f"jwt {FILLER} {FILLER}"}, id="shorter"),
        pytest.param("jwt", {"body": f"jwt jwt {FILLER}"}, {"body": f"jwt alpha {FILLER}"}, id="more-often"),
    ],
)
def test_a_word_counts_more_in_or_when(query: str, better: dict[str, str], worse: dict[str, str]) -> None:
    assert order(query, make_text(1, **worse), make_text(2, **better)) == [2, 1]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    texts = [make_text(1, "token alpha"), make_text(2, "jwt alpha"), *(make_text(i, "token beta") for i in range(3, 9))]

    assert order("token jwt", *texts)[0] == 2


def test_repeating_a_word_counts_less_and_less() -> None:
    found = scores("jwt", *(make_text(i, "jwt " * i + "alpha " * (10 - i)) for i in (1, 2, 3)))

    assert found[3] - found[2] < found[2] - found[1]


@pytest.mark.parametrize("field", ["title", "body"])
def test_words_that_stand_together_as_in_the_query_count_more(field: str) -> None:
    apart, together = make_text(1, **{field: "signing alpha key"}), make_text(2, **{field: "alpha signing keys"})

    assert scores("signed key", apart, together)[1] == scores("signed key", apart, together)[2]
    assert order("signed key", apart, together, weights=replace(ALONE, pair=0.1)) == [2, 1]
    assert order("key signed", apart, together, weights=replace(ALONE, pair=0.1)) == [1, 2]


def test_having_more_of_the_query_counts_more() -> None:
    one_often = make_text(1, "jwt jwt jwt", title="jwt jwt")
    both_once = make_text(2, f"jwt session {FILLER * 15}")

    assert order("jwt session", one_often, both_once) == [1, 2]
    assert order("jwt session", one_often, both_once, weights=replace(ALONE, coverage=0.8)) == [2, 1]


def test_sharing_words_with_the_best_memories_counts() -> None:
    best = [make_text(i, "jwt jwt signature gateway") for i in (1, 2, 3)]
    stray, akin = make_text(4, "jwt pancake recipe flour"), make_text(5, "jwt gateway signature flour")

    assert scores("jwt", *best, stray, akin)[4] == scores("jwt", *best, stray, akin)[5]
    assert order("jwt", *best, stray, akin, weights=replace(ALONE, related=0.3)) == [1, 2, 3, 5, 4]


def test_related_words_are_those_of_the_best_memories_weighted_by_their_scores() -> None:
    asked: list[list[str]] = []
    texts = [make_text(1, "jwt jwt signature"), make_text(2, "jwt alpha beta gamma delta pancake")]

    def look_up(more: Sequence[str]) -> Stats:
        asked.append(list(more))
        return stats_of(texts, more)

    weights = replace(ALONE, related=0.3, related_terms=2)
    plain = lexical(["jwt"], texts, stats_of(texts, ["jwt"]), weights=ALONE)
    found = lexical(["jwt"], texts, stats_of(texts, ["jwt"]), weights=weights, frequencies=look_up)

    second = exp(plain[2] - plain[1])
    assert asked == [["jwt", "signatur"]]
    jwt, signature = 2 / 3 + second / 6, 1 / 3
    norm = 1.2 * (0.25 + 0.75 * 3 / 4.5)
    worth = [(jwt, 2, 2), (signature, 1, 1)]
    idf = {df: log(1 + (1000 - df + 0.5) / (df + 0.5)) for df in (1, 2)}
    values = [share / (jwt + signature) * idf[df] for share, _, df in worth]
    fit = sum(value * count * 2.2 / (count + norm) for value, (_, count, _) in zip(values, worth, strict=True))
    fit *= idf[2] / sum(values)  # the related words weigh no more than the asked one
    assert found[1] == pytest.approx(0.7 * plain[1] + 0.3 * fit)


def test_words_of_the_first_hits_leave_no_equal_one_below_the_floor() -> None:
    texts = [make_text(n, f"the gateway of region{n} and zone{n}") for n in range(120)]

    found = scores("gateway", *texts, weights=WEIGHTS)

    assert min(found.values()) > 0.5 * max(found.values())


def test_related_words_need_somebody_to_look_them_up() -> None:
    texts = [make_text(1, "jwt signature"), make_text(2, "jwt pancake flour")]
    stats = stats_of(texts, ["jwt"])

    assert lexical(["jwt"], texts, stats) == lexical(["jwt"], texts, stats, weights=replace(WEIGHTS, related=0.0))


bodies = st.lists(st.lists(st.sampled_from(["jwt", "key", "signing", "alpha"]), max_size=8).map(" ".join), max_size=6)


@given(bodies, st.randoms(use_true_random=False))
def test_scores_do_not_depend_on_the_order_of_candidates_and_are_positive(bodies: list[str], random: object) -> None:
    texts = [make_text(i, body, title=body[:3]) for i, body in enumerate(bodies, 1)]
    mixed = texts.copy()
    random.shuffle(mixed)  # type: ignore[attr-defined]

    found, other = (scores("signing key jwt", *some, weights=WEIGHTS) if some else {} for some in (texts, mixed))

    assert found == {number: pytest.approx(score) for number, score in other.items()}
    assert all(0 < score < inf for score in found.values())


@pytest.mark.parametrize(
    ("body", "low", "high"),
    [
        pytest.param("signing keys for jwt", 1.0, 1.0, id="all"),
        pytest.param("jwt", 0.3, 0.4, id="one-of-three"),
        pytest.param("pancake", 0.0, 0.0, id="none"),
    ],
)
def test_coverage_is_the_share_of_the_query_by_rarity(body: str, low: float, high: float) -> None:
    stats = Stats(1000, {"sign": 10, "key": 10, "jwt": 10}, (0.0,) * 5)

    assert low <= coverage(["sign", "key", "jwt"], make_text(1, body), stats) <= high


def test_a_word_that_no_memory_has_lowers_coverage_most() -> None:
    stats = Stats(1000, {"jwt": 10}, (0.0,) * 5)

    assert coverage(["jwt", "zebra"], make_text(1, "jwt"), stats) < 0.5
    assert coverage([], make_text(1, "jwt"), stats) == 0.0


def make_signals(number: int, lexical: float = 1.0, **known: object) -> Signals:
    return replace(Signals(number, lexical), **known)


@pytest.mark.parametrize(
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
        pytest.param("path", {"overlap": 0.5}, {}, id="near-the-work"),
    ],
)
def test_factor_moves_the_memory_and_no_other_does(
    factor: str, better: dict[str, object], worse: dict[str, object]
) -> None:
    first, second = rank([make_signals(1, **worse), make_signals(2, **better)], limit=10)

    assert (first.number, second.number) == (2, 1)
    differ = [name for (name, a), (_, b) in zip(first.factors, second.factors, strict=True) if a != b]
    assert differ == [factor]


def test_score_is_the_product_of_the_factors_in_their_order() -> None:
    known = {"age_days": 14.0, "half_life_days": 14.0, "accesses": 9, "status": FAILED, "importance": 1.0}
    signals = make_signals(1, 2.0, **known, confidence=0.5, overlap=1.0)

    (ranked,) = rank([signals], limit=1)

    assert ranked.factors == (
        ("lexical", 2.0),
        ("recency", 0.75),
        ("access", 1.5),
        ("status", 0.5),
        ("importance", 1.2),
        ("confidence", 0.85),
        ("path", 1.5),
        ("scope", 1.0),
    )
    assert ranked.score == pytest.approx(2.0 * 0.75 * 1.5 * 0.5 * 1.2 * 0.85 * 1.5)


def test_a_memory_of_which_nothing_is_known_keeps_its_lexical_score() -> None:
    (ranked,) = rank([make_signals(1, 3.0)], limit=1)

    assert ranked.score == 3.0


def test_every_status_has_its_factor() -> None:
    assert sorted(name for name, _ in RANKING.statuses) == sorted(STATUSES)


@pytest.mark.parametrize("age_days", [0.0, 3.5, 14.0, 100.0])
def test_without_a_floor_the_score_is_d6s_formula(age_days: float) -> None:
    d6 = replace(RANKING, recency_floor=0.0)
    signals = make_signals(1, 0.8, age_days=age_days, half_life_days=14.0, accesses=3, accessed_hours=1.0)

    (ranked,) = rank([signals], limit=1, ranking=d6)

    assert ranked.score == pytest.approx(0.8 * 2 ** (-age_days / 14) * (1 + min(3 / 10, 0.5)))


@pytest.mark.parametrize(
    ("age_days", "half_life_days", "expected"),
    [
        pytest.param(365.0, None, 1.0, id="durable"),
        pytest.param(14.0, 14.0, 0.75, id="one-half-life"),
        pytest.param(1e9, 14.0, 0.5, id="very-old"),
        pytest.param(1e308, 1e-9, 0.5, id="beyond-floats"),
        pytest.param(0.0, 14.0, 1.0, id="new"),
        pytest.param(-3.0, 14.0, 1.0, id="from-the-future"),
    ],
)
def test_recency_is(age_days: float, half_life_days: float | None, expected: float) -> None:
    assert recency(age_days, half_life_days, floor=0.5) == pytest.approx(expected)


def test_a_gotcha_of_last_year_comes_before_a_worse_match_of_today() -> None:
    gotcha = make_signals(1, 1.0, age_days=365.0)
    session = make_signals(2, 0.9, age_days=0.0, half_life_days=14.0)

    assert [ranked.number for ranked in rank([session, gotcha], limit=2)] == [1, 2]


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
    ("patterns", "places", "expected"),
    [
        pytest.param(["src/auth/**"], ["src/auth/jwt.py"], 1.0, id="inside-a-glob"),
        pytest.param(["src/auth/jwt.py"], ["src/auth/jwt.py"], 1.0, id="the-file"),
        pytest.param(["src/auth/jwt.py"], ["src"], 1.0, id="below-a-folder"),
        pytest.param(["src/auth/jwt.py"], ["src/auth/key.py"], 2 / 3, id="beside-it"),
        pytest.param(["src/web/x.py"], ["src/auth/key.py"], 1 / 3, id="same-top-folder"),
        pytest.param(["docs/**"], ["src"], 0.0, id="elsewhere"),
        pytest.param(["**/*.py"], ["src/x.py"], 0.0, id="a-glob-that-says-no-place"),
        pytest.param(["docs/**", "./src/"], ["x", "src/x.py"], 1.0, id="the-best-pair"),
        pytest.param([], ["src"], 0.0, id="no-paths"),
        pytest.param(["src"], [], 0.0, id="no-place"),
        pytest.param(["srcs/x"], ["src/x"], 0.0, id="whole-names-only"),
    ],
)
def test_paths_overlap_by(patterns: list[str], places: list[str], expected: float) -> None:
    assert path_overlap(patterns, places) == pytest.approx(expected)
