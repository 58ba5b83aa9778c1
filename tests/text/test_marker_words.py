"""The words that mark a learning, and the quick test that says that a text has none."""

from __future__ import annotations

from support.each import each

from gitmem.text import format_json
from gitmem.text.marker_words import MARKERS, may_mark, may_mark_bytes


@each("word", MARKERS)
def test_no_marked_text_is_passed_over_in_an_answer_or_a_transcript(word: str) -> None:
    if word == "fact":  # counts in comments only
        return
    text = f"{word.upper()}: x"

    assert may_mark(text)
    assert may_mark_bytes(text.encode("utf-8"))
    assert may_mark_bytes(f"{word}: x".encode())
    assert may_mark_bytes(format_json(f"{word}: x", is_ascii=True).encode("ascii"))


def test_most_texts_mark_nothing() -> None:
    assert not may_mark("I renamed the button and ran the tests.")
