"""Versions of lines are read as they were written, and joined in one order."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitmem.store.merge.versions import Lines, format_versions, join_versions, parse_versions

NAMES = st.text("abc XYZ.", min_size=1).map(str.strip).filter(bool)
TEXTS = st.lists(st.sampled_from(["One.", "", "> quoted", "- x"]), max_size=4).map(
    lambda lines: "\n".join(lines).strip("\n")
)


@given(st.lists(st.builds(Lines, NAMES, TEXTS), min_size=2, max_size=8))
def test_what_is_written_is_read_again(versions: list[Lines]) -> None:
    assert parse_versions(format_versions(versions)) == versions


def test_they_are_in_the_order_of_the_text_whichever_is_joined_first() -> None:
    texts = {"Ana": "z", "Bob": "a", "Cem": "m", "Dana": ""}
    found = set()
    for names in permutations(texts):
        joined = texts[names[0]]
        for name in names[1:]:
            joined = format_versions(join_versions(joined, texts[name], names[0], name))
        found.add(joined)

    assert len(found) == 1
    assert [one.who for one in parse_versions(found.pop())] == ["Dana", "Bob", "Cem", "Ana"]


def test_a_text_that_two_have_is_there_once() -> None:
    both = format_versions([Lines("Ana", "a"), Lines("Bob", "b")])

    assert join_versions(both, "b\n", "x", "Cem") == [Lines("Ana", "a"), Lines("Bob", "b")]


@pytest.mark.parametrize("text", ["", "plain\n", "> **End of the two versions.**\n", "before\n{both}", "{both}after\n"])
def test_what_holds_anything_else_is_one_version(text: str) -> None:
    both = format_versions([Lines("Ana", "a"), Lines("Bob", "b")])

    assert parse_versions(text.format(both=both)) == []
