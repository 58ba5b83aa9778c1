"""A slug is empty or a key, and its own slug."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.each import each
from support.hard_texts import joined_text

from gitmem.text.slugs import KEY_TEXT, hashed_slug, slug

KEY = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


@each(
    ("text", "expected"),
    [
        pytest.param(
            "TaskGroup requires @Sendable closures in strict concurrency mode.",
            "taskgroup-requires-sendable-closures-in-strict-concurrency",
            id="cut-at-a-word",
        ),
        pytest.param("Don't  use\nHS256!", "dont-use-hs256", id="apostrophe-and-white-space"),
        pytest.param("Größe, naïve Ærø & Łódź", "grosse-naive-aero-lodz", id="transliterated"),
        pytest.param("src/auth.py: 3.11", "src-auth-py-3-11", id="no-dots"),
        pytest.param("x" * 100, "x" * 60, id="one-long-word"),
        pytest.param("a" * 60 + " b", "a" * 60, id="a-word-ends-at-the-limit"),
        pytest.param("認証", "", id="nothing-latin"),
        pytest.param(" --- ", "", id="no-word"),
    ],
)
def test_slug_of(text: str, expected: str) -> None:
    assert slug(text) == expected


@given(joined_text, st.integers(min_value=1, max_value=80))
def test_slug_is_empty_or_a_key_within_the_limit_and_its_own_slug(text: str, limit: int) -> None:
    made = slug(text, limit=limit)

    assert made == "" or KEY.fullmatch(made)
    assert len(made) <= limit
    assert slug(made, limit=limit) == made


@given(st.text(st.characters(max_codepoint=127), max_size=60))
def test_slug_of_ascii_is_that_of_the_same_text_before_a_word_in_another_script(text: str) -> None:
    assert slug(text, limit=80) == slug(f"{text} 認", limit=80)


@given(joined_text)
def test_hashed_slug_is_a_short_key_that_ends_with_the_hash(text: str) -> None:
    made = hashed_slug(text, "0a1b2c3d", otherwise="code_pattern")

    assert KEY.fullmatch(made)
    assert len(made) <= KEY_TEXT
    assert made.removesuffix("-0a1b2c3d") in (slug(text, limit=31), "code-pattern")
