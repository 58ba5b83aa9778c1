"""Which words a negation denies."""

from __future__ import annotations

import re

from support.each import each

from gitmem.text.negation import DENIED_AT_MOST, NEGATION, denied_words


@each(
    ("tokens", "denied"),
    [
        ("use fetch not axios", {"axios"}),
        ("not axios , fetch", {"axios"}),
        ("never axios ; use fetch", {"axios"}),
        ("not axios nicht fetch", {"axios", "fetch"}),
        ("use fetch", set()),
    ],
)
def test_a_negation_denies_the_words_up_to_the_end_of_its_clause(tokens: str, denied: set[str]) -> None:
    assert denied_words(tokens.split()) == denied


def test_a_negation_denies_only_the_nearest_words() -> None:
    assert denied_words(["not", *"abcdefgh"]) == set("abcdefgh"[:DENIED_AT_MOST])


@each(
    ("text", "count"),
    [("it doesn't lack tests", 2), ("ohne netz", 1), ("不 使用", 1), ("a notable note", 0), ("nobody, nowhere", 2)],
)
def test_every_negation_of_a_text_is_counted(text: str, count: int) -> None:
    assert len(re.findall(NEGATION, text)) == count
