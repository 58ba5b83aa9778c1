"""Similarity of claims: properties that always hold, and pairs that it must distinguish."""

from __future__ import annotations

import json
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.text.similarity import likeness, most_missing, numerals, text_to_compare, wording_of

PAIRS = Path(__file__).parents[2] / "benchmarks" / "pairs.jsonl"
WORDS = st.sampled_from(
    ["gateway", "drops", "3", "retries", "never", "index", "v2.4", "use_cache", "src/a.py", "before", "the", "C++"]
)
TEXTS = st.lists(WORDS, max_size=12).map(" ".join)


def like(a: str, b: str) -> float:
    return likeness(wording_of(a), wording_of(b))


@given(TEXTS | st.text(max_size=30), TEXTS | st.text(max_size=30))
def test_likeness_is_symmetric_within_0_and_1_and_1_for_itself(a: str, b: str) -> None:
    assert like(a, b) == like(b, a)
    assert 0 <= like(a, b) <= 1
    assert like(a, a) == 1


@given(st.lists(WORDS, min_size=1, max_size=12), st.sampled_from([" ", "  ", "\n", "\t"]), st.sampled_from(".!?,;:)"))
def test_case_white_space_and_punctuation_make_no_difference(words: list[str], gap: str, mark: str) -> None:
    assert like(" ".join(words), gap.join(f"({word.upper()}{mark}" for word in words)) == 1


def test_no_labelled_pair_that_differs_is_taken_for_the_same_and_most_others_are() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]
    lines = [pair for pair in pairs if like(pair["a"], pair["b"]) >= 0.85]

    assert [pair for pair in lines if not pair["same"]] == []
    assert len(lines) >= 47


@each(
    ("a", "b"),
    [
        ("In staging, deploys need the VPN", "Deploys need the VPN in staging"),
        ("Never use floats for money", "Do not use floats for money."),
        ("Retries are capped at three in the client", "Retries are capped at 3 in the client"),
        ("At most 1,000 rows are read", "At most 1000 rows are read"),
    ],
)
def test_other_words_for_the_same_are_the_same(a: str, b: str) -> None:
    assert like(a, b) >= 0.85


@each(
    ("a", "b"),
    [
        ("Written here", "Written there"),
        ("Some naïve text", "Other naïve text"),
        ("Who deploys", "When to deploy"),
    ],
)
def test_of_few_words_every_one_tells(a: str, b: str) -> None:
    assert like(a, b) < 0.5


def test_title_that_its_body_begins_with_counts_once() -> None:
    assert text_to_compare("Deploys need VPN", "Deploys need VPN. Ask ops.\n") == "Deploys need VPN. Ask ops."
    assert text_to_compare("Deploys need VPN", "Ask ops.") == "Deploys need VPN\nAsk ops."


@given(st.integers(1, 60), st.sampled_from([0.5, 0.85, 0.9, 1.0]))
def test_no_more_words_may_be_missing_than_the_threshold_leaves(words: int, threshold: float) -> None:
    missing = most_missing(words, threshold)

    assert (words - missing) / words >= threshold - 1e-9
    assert (words - missing - 1) / words < threshold


FIGURES = st.lists(
    st.sampled_from([*"19,_.-#/ a\n", "000", "1,000", "two", "One", "v2", "\u00b2", "\u0663", "\u2463"])
    | st.characters(),
    max_size=16,
).map("".join)


@given(FIGURES)
def test_texts_with_the_same_numbers_have_the_same_numerals(text):
    # A function of the numbers that are compared: two texts with other numerals are never near duplicates.
    found = {run for number in wording_of(text).numbers for run in re.findall(r"\d+", number)}

    assert numerals(text) == found - {"0", *map(str, range(2, 13))}
