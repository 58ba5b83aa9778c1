"""The table of cases that one test walks: every row is tried, and every one that fails is named."""

from __future__ import annotations

import inspect

import pytest
from support.each import each


def test_every_row_is_tried_and_all_that_fail_are_named() -> None:
    tried: list[tuple[int, str]] = []

    @each("number", [1, pytest.param(2, id="two")])
    @each(("sign", "is_fine"), [("+", True), ("-", False)], ids=["plus", "minus"])
    def walk(number: int, sign: str, is_fine: bool) -> None:
        tried.append((number, sign))
        if number == 2:
            pytest.fail("no row holds of it")
        assert is_fine, f"{number} {sign}"

    with pytest.raises(AssertionError, match=r"1 -") as caught:
        walk()

    assert tried == [(1, "+"), (1, "-"), (2, "+"), (2, "-")]
    assert [note.partition(":")[0] for note in caught.value.__notes__] == ["row minus", "row [1]", "row two"]


def test_fixtures_are_handed_on_and_rows_are_not_asked_of_pytest() -> None:
    @each("row", [1])
    def walk(row: int, shelf: str) -> None:
        assert (row, shelf) == (1, "a fixture")

    assert list(inspect.signature(walk).parameters) == ["shelf"]
    walk(shelf="a fixture")
    with pytest.raises(AssertionError, match="without a row"):
        each("row", [])
