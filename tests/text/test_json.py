"""JSON texts and values are those of the standard library's ``json``."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.text import format_json, parse_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(value=VALUES, is_ascii=st.booleans(), is_compact=st.booleans())
def test_text_is_that_of_json_and_gives_the_value_again(value: object, is_ascii: bool, is_compact: bool) -> None:
    text = format_json(value, is_ascii=is_ascii, is_compact=is_compact)

    assert text == json.dumps(value, ensure_ascii=is_ascii, separators=(",", ":") if is_compact else None)
    assert parse_json(text) == value


@given(text=st.text(st.sampled_from('[]{}",:0-1.5eE \n\ttrufalsn\\é\x00'), max_size=12))
def test_any_text_is_read_as_json_reads_it(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        with pytest.raises(ValueError):
            parse_json(text)
    else:
        assert parse_json(text) == expected


def test_bytes_are_utf_8() -> None:
    assert parse_json('{"a": "é"}'.encode()) == {"a": "é"}
    with pytest.raises(ValueError):
        parse_json(b'"\xe9"')


def test_constants_are_those_of_json() -> None:
    assert parse_json("[Infinity, -Infinity]") == [math.inf, -math.inf]
    assert math.isnan(parse_json("NaN"))


def test_deep_nesting_is_refused_not_fatal() -> None:
    with pytest.raises(RecursionError):
        parse_json("[" * 100_000)


def test_another_type_is_refused_or_replaced() -> None:
    with pytest.raises(TypeError):
        format_json({1, 2})
    assert format_json([{1}], default=str) == '["{1}"]'
