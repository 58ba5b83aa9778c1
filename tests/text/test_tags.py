"""A text gets the tags whose words it has, in any inflection."""

from __future__ import annotations

import pytest
from support.each import each

from gitmem.text.tags import find_tags


@each(
    ("text", "expected"),
    [
        pytest.param("Two race  CONDITIONS in startup", ["concurrency"], id="phrase-and-stem"),
        pytest.param("see fetch_async() and TaskGroups", ["async", "tasks"], id="in-identifiers"),
        pytest.param("a task group and a taskgroup", ["tasks"], id="apart-or-joined"),
        pytest.param("asynchrony, condition of race", [], id="not-inside-words-nor-turned-round"),
        pytest.param("", [], id="empty"),
    ],
)
def test_tags_are_found_by_their_words(text: str, expected: list[str]) -> None:
    words = {"tasks": ["task-group"], "concurrency": ["deadlock", "race condition"], "async": ["async"], "none": ["!?"]}

    assert find_tags(text, words) == expected


def test_tags_are_found_in_the_inflections_of_the_language() -> None:
    words = {"bau": ["Haus"]}

    assert find_tags("Die Häuser stehen", words, "german") == ["bau"]
    assert find_tags("Die Häuser stehen", words) == []
