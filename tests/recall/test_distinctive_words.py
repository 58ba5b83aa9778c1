"""What of a question tells memories apart: the words that many memories have are left out of its second text."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.frozen import replace
from gitmem.index import Stats
from gitmem.recall.distinctive_words import DENSE, distinctive_text
from gitmem.text.tokens import query_terms

NO_LENGTHS = (0.0,) * 5


def stats_of(query: str, documents: int, **common: int) -> Stats:
    return Stats(documents, {term: common.get(term, 1) for term in query_terms(query)}, NO_LENGTHS)


@each(
    ("query", "expected"),
    [
        pytest.param("When did Caroline go to the support group?", "When did go to the support group?", id="a-name"),
        pytest.param("What is Caroline's job?", "What is job?", id="a-name-s"),
        pytest.param("When did Melanie run?", "", id="nothing-common"),
        pytest.param("Caroline?", "", id="nothing-left"),
        pytest.param("What of Caroline", "", id="only-stop-words-left"),
        pytest.param("", "", id="nothing-asked"),
    ],
)
def test_words_of_many_memories_are_left_out_and_the_others_stay_as_typed(query: str, expected: str) -> None:
    assert distinctive_text(query, stats_of(query, 100, carolin=41)) == expected


@each(
    ("documents", "df", "common"),
    [
        pytest.param(100, 40, 0.4, id="no-more-than-the-share"),
        pytest.param(9, 9, 0.4, id="too-few-memories"),
        pytest.param(100, 100, 0.0, id="switched-off"),
    ],
)
def test_nothing_is_left_out(documents: int, df: int, common: float) -> None:
    query = "When did Caroline go?"

    assert distinctive_text(query, stats_of(query, documents, carolin=df), settings=replace(DENSE, common=common)) == ""


def test_a_word_goes_only_with_all_its_parts() -> None:
    query = "where is load_user called"

    assert distinctive_text(query, stats_of(query, 100, load=90)) == ""
