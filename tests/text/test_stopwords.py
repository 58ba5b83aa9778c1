"""The lists hold words as analysis meets them, and nothing that somebody might look for alone."""

from __future__ import annotations

from support.each import each

from gitmem.text.tokens import GENERAL, QUESTION, words_of


@each("words", [GENERAL, QUESTION], ids=["general", "question"])
def test_words_are_single_lower_case_ones(words: frozenset[str]) -> None:
    assert all(word.isalpha() and word.isascii() and word.islower() for word in words)


def test_no_word_is_in_both_lists() -> None:
    assert GENERAL.isdisjoint(QUESTION)


@each("word", ["test", "set", "get", "key", "new", "error", "fail", "need", "work", "use", "make"])
def test_word_that_tells_something_about_code_is_kept(word: str) -> None:
    assert word not in GENERAL | QUESTION


@each(("language", "word"), [("german", "und"), ("norwegian", "ikke"), ("russian", "и")])
def test_other_languages_have_the_stop_words_that_whoosh_brings(language: str, word: str) -> None:
    assert word in words_of(language)


@each("language", ["hindi", "dutch_porter", "basque"])
def test_language_that_no_one_has_a_list_for_keeps_all_words(language: str) -> None:
    assert words_of(language) == frozenset()
