"""sqlite-vec answers as numpy does, where this Python's SQLite loads extensions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from support.unit_rows import unit_rows, written

from gitmem.index.vectors import sqlite_vec
from gitmem.index.vectors.rows import DamagedError
from gitmem.index.vectors.sqlite_vec import VecTable

needs_sqlite_vec = pytest.mark.skipif(bool(sqlite_vec.can_load()), reason=sqlite_vec.can_load())


@needs_sqlite_vec
def test_table_answers_as_the_flat_file_does(tmp_path: Path) -> None:
    rows, query = unit_rows(200, 8), unit_rows(1, 8, seed=2)[0]
    flat = written(tmp_path / "a", rows)
    connection = sqlite3.connect(tmp_path / "b", isolation_level=None)
    table = VecTable(connection, "rows-1", 8, 0)

    table.write(rows[:50])
    table.write(rows[50:])

    one, other = table.nearest(query, 9), flat.nearest(query, 9)
    assert [row for row, _ in one.rows] == [row for row, _ in other.rows]
    assert [one.mean, one.deviation] == pytest.approx([other.mean, other.deviation], abs=1e-5)
    assert table.cosines(query, [3, 500]) == pytest.approx(flat.cosines(query, [3, 500]), abs=1e-5)
    assert np.array_equal(VecTable(connection, "rows-1", 8, 200).read([7, 3]), rows[[7, 3]])


@pytest.mark.skipif(not sqlite_vec.can_load(), reason="it loads")
def test_where_it_cannot_be_loaded_that_is_reported() -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(DamagedError, match=r"sqlite-vec is not installed|cannot load extensions"),
    ):
        VecTable(connection, "rows-1", 8, 0)
