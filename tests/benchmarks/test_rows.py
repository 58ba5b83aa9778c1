"""The walk of benchmarks/rows: its rows and the page say the same, and what is not seen is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.rows import Row, load, select, walk, write_states
from benchmarks.rows.place import Place

FEATURES = Path(__file__).parents[2] / "benchmarks" / "rows" / "README.md"


def test_page_has_the_features_and_walks_of_the_rows() -> None:
    """To write it again: ``make rows ARGS=--write``."""
    text = FEATURES.read_text(encoding="utf-8")

    assert write_states(text, load(), {}) == text
    assert all(f"| {one.name} | " in text for one in load())


def test_each_walk_is_described_in_one_sentence_that_fits_a_cell() -> None:
    assert [one.name for one in load() if not one.about.endswith(".") or "|" in one.about + one.feature] == []


def test_states_are_written_into_their_row_alone() -> None:
    page = "| A1 | old | works | old | by hand |\n| A2 | other | works | other | x |\n"

    assert write_states(page, [Row("A1", "new", walk_nothing)], {"A1": "partly"}) == (
        "| A1 | new | partly | Walk nothing. | by hand |\n| A2 | other | works | other | x |\n"
    )


def walk_nothing(place: Place) -> None:
    """Walk nothing."""


def test_rows_are_selected_by_id_and_letter() -> None:
    rows = [Row(name, "", walk_nothing) for name in ("A1", "A10", "B1")]

    assert [one.name for one in select(rows, ["A10", "B"])] == ["A10", "B1"]
    with pytest.raises(KeyError):
        select(rows, ["Z9"])


def test_what_is_not_seen_is_named_and_ends_no_walk() -> None:
    def look(place: Place) -> None:
        place.type("echo one; exit 3", "two", hides=["one"])
        raise ValueError("later")

    done = walk(Row("A1", "", look))

    assert [one.partition(": ")[0] for one in done.missing] == [
        "`echo one; exit 3` ended with 3, not 0",
        "`echo one; exit 3` does not print 'two'",
        "`echo one; exit 3` prints 'one'",
        "ValueError",
    ]
    assert (done.state, done.lines) == ("partly", ("echo one; exit 3",))
