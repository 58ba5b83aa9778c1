"""The order of keys with numbers."""

from __future__ import annotations

from gitmem.text.natural_order import natural_order


def test_keys_are_sorted_by_the_numbers_in_them() -> None:
    names = ["fact", "fact-1", "fact-01", "fact-2", "fact-2-a", "fact-2-b", "fact-10", "fact-a", "v1-9-0", "v1-10-0"]

    assert sorted(sorted(names), key=natural_order) == [*names[:1], "fact-01", "fact-1", *names[3:]]
