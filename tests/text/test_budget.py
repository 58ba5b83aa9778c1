"""Tokens are estimated, and a text is cut where a sentence ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.hard_texts import joined_text

from gitmem.text.budget import count_tokens, opening_of


@each(
    ("text", "tokens"),
    [
        pytest.param("", 0, id="empty"),
        pytest.param("a b c", 4, id="words"),
        pytest.param("x" * 40, 10, id="characters"),
        pytest.param("認証トークン", 6, id="other-scripts"),
        # 11 according to the source of the estimate
        pytest.param("You miss 100% of the shots you don't take", 12, id="openai-example"),
    ],
)
def test_tokens_are_estimated(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(joined_text, joined_text)
def test_more_text_never_has_fewer_tokens(one: str, other: str) -> None:
    assert count_tokens(f"{one} {other}") >= max(count_tokens(one), count_tokens(other))


@each(
    ("text", "limit", "kept"),
    [
        ("All of it.", 50, "All of it."),
        ("One two. Three four five six.", 4, "One two."),
        ("One two. Three four five six.", 2, ""),
        ("See src/a.py and v1.2 of it there. More words stand here.", 14, "See src/a.py and v1.2 of it there."),
        ("- one\n- two three four five", 4, "- one"),
        ("猫は猫。犬は犬。", 5, "猫は猫。"),
    ],
)
def test_opening_ends_where_a_sentence_or_line_does(text: str, limit: int, kept: str) -> None:
    assert opening_of(text, limit_tokens=limit) == kept


@given(joined_text, st.integers(1, 40))
def test_opening_is_a_beginning_within_the_limit(text: str, limit: int) -> None:
    found = opening_of(text, limit_tokens=limit)

    assert text.strip().startswith(found)
    assert count_tokens(found) <= limit
