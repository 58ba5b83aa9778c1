"""Merging the fields of a memory that is recorded again."""

from __future__ import annotations

import pytest

from gitmem.write.draft import Draft
from gitmem.write.merge_fields import unite_fields

BEFORE = {"title": "Old", "kind": "learned", "tags": ["a"], "ttl": "30d", "created": "then", "retired": {"by": "x"}}


@pytest.mark.parametrize(
    ("is_explicit", "expected"),
    [
        (True, {"title": "New", "kind": "learned", "tags": ["b"], "created": "then"}),
        (False, {"title": "New", "kind": "learned", "tags": ["a", "b"], "ttl": "30d", "created": "then"}),
    ],
    ids=["with-a-key", "without"],
)
def test_with_a_key_the_second_time_counts_and_without_both_unite(
    is_explicit: bool, expected: dict[str, object]
) -> None:
    new = {"title": "New", "kind": "learned", "tags": ["b"], "created": "now"}

    assert unite_fields(BEFORE, new, Draft("k", is_explicit, new, "", ("created",))) == expected


def test_new_check_takes_nothing_of_the_old_one_over() -> None:
    before = {"title": "T", "kind": "fact", "verify": "old", "refute": "rm x", "timeout": "5s"}
    new = {"title": "T", "kind": "fact", "verify": ["grep", "-q", "x", "y"]}

    assert unite_fields(before, new, Draft("k", False, new, "")) == new
