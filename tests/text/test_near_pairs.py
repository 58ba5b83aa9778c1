"""Similar pairs are the same as with comparing all pairs."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.similarity import likeness, near_pairs, wording_of

WORDS = [
    "gateway",
    "drops",
    "requests",
    "trace",
    "index",
    "orders",
    "3",
    "5",
    "never",
    "deploy",
    "vpn",
    "staging",
    "queue",
]


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join), max_size=14, unique=True))
def test_every_pair_that_is_alike_is_found_and_no_other(texts: list[str]) -> None:
    wordings = [wording_of(text) for text in texts]
    wanted = {(a, b) for a, b in combinations(range(len(texts)), 2) if likeness(wordings[a], wordings[b]) >= 0.75}

    assert {(a, b) for a, b, _ in near_pairs(wordings, 0.75)} == wanted


def test_many_with_the_same_words_are_each_compared_once() -> None:
    wordings = [wording_of("Deploys need the VPN")] * 3000

    assert list(near_pairs(wordings, 0.85)) == [(0, number, 1.0) for number in range(1, 3000)]


def test_so_many_words_are_compared_and_no_more():
    words = [a + b for a in "abcdefg" for b in "xyz"]
    wordings = [wording_of(f"gateway drops requests index orders {word}") for word in words]

    whole, some = list(near_pairs(wordings, 0.3)), list(near_pairs(wordings, 0.3, most=200))

    assert 0 < len(some) < len(whole)
    assert set(some) <= set(whole)
