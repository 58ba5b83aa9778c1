"""The lists hold words as analysis meets them, and nothing that somebody might look for alone."""

from __future__ import annotations

import pytest

from gitmem.stopwords import GENERAL, QUESTION


@pytest.mark.parametrize("words", [GENERAL, QUESTION], ids=["general", "question"])
def test_words_are_single_lower_case_ones(words: frozenset[str]) -> None:
    assert all(word.isalpha() and word.isascii() and word.islower() for word in words)


def test_no_word_is_in_both_lists() -> None:
    assert GENERAL.isdisjoint(QUESTION)


@pytest.mark.parametrize("word", ["test", "set", "get", "key", "new", "error", "fail", "need", "work", "use", "make"])
def test_word_that_tells_something_about_code_is_kept(word: str) -> None:
    assert word not in GENERAL | QUESTION
