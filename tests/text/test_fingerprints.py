"""A fingerprint finds its text and no other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gitmem.text.fingerprints import SHORTEST, fingerprint, format_fingerprint, parse_fingerprint

TEXTS = st.binary(min_size=SHORTEST, max_size=40)


@given(TEXTS, st.binary(max_size=60), st.binary(max_size=60))
def test_text_is_found_wherever_it_is(text: bytes, before: bytes, after: bytes) -> None:
    assert fingerprint(text).find(before + text + after) == text


@given(TEXTS, st.binary(max_size=200))
def test_text_is_found_only_where_it_is(text: bytes, content: bytes) -> None:
    assert (fingerprint(text).find(content) is not None) == (text in content)


@given(TEXTS)
def test_fingerprint_survives_its_own_format_and_does_not_contain_the_text(text: bytes) -> None:
    one = fingerprint(text)
    words = format_fingerprint(one)

    assert parse_fingerprint(words.split()) == one
    assert one != fingerprint(text)
    assert text.hex() not in words


def test_other_words_are_no_fingerprint() -> None:
    good = format_fingerprint(fingerprint(b"a text of some length")).split()

    for words in ([], good[:3], ["x", *good[1:]], [good[0], "zz", *good[2:]], ["0", *good[1:]], [*good[:3], "00"]):
        assert parse_fingerprint(words) is None
