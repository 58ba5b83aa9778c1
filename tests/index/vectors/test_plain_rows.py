"""Rows searched without numpy: what `numpy_rows` finds, for few rows and for many."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.unit_rows import unit_rows, written

from gitmem.index.vectors.plain_rows import EXACT, PlainFile, cosine, signs_path
from gitmem.index.vectors.signs import write_signs

WIDTH = 48


def clustered(count: int, seed: int = 1) -> np.ndarray:
    """Return rows around a few points, since some are near to a query in any real store."""
    rows = unit_rows(40, WIDTH)[np.arange(count) % 40] + unit_rows(count, WIDTH, seed=seed) / 2
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def test_few_rows_are_compared_as_numpy_compares_them(tmp_path: Path) -> None:
    rows, query = clustered(300), clustered(1, seed=9)[0]
    rows[7] = 0
    with_numpy = written(tmp_path / "rows-0.f32", rows)
    plain, asked = PlainFile(str(tmp_path / "rows-0.f32"), WIDTH, 300), tuple(query.tolist())

    found, expected = plain.nearest(asked, 20), with_numpy.nearest(query, 20)

    assert [row for row, _ in found.rows] == [row for row, _ in expected.rows]
    assert [found.mean, found.deviation] == pytest.approx([expected.mean, expected.deviation], abs=1e-5)
    assert plain.cosines(asked, [7, 3, 300, -1]) == pytest.approx(with_numpy.cosines(query, [7, 3, 300, -1]), abs=1e-5)
    assert np.allclose(plain.read([3, 5]), rows[[3, 5]])


@pytest.mark.parametrize("covered", [0, 3 * EXACT, 3 * EXACT + 40])
def test_of_many_rows_the_nearest_are_found_by_signs_and_among_the_newest(tmp_path: Path, covered: int) -> None:
    rows, query = clustered(3 * EXACT + 40), clustered(1, seed=9)[0]
    path = str(tmp_path / "rows-0.f32")
    with_numpy = written(tmp_path / "rows-0.f32", rows)
    if covered:
        write_signs(signs_path(path), rows[:covered])

    found = PlainFile(path, WIDTH, len(rows)).nearest(tuple(query.tolist()), 240)

    expected = with_numpy.nearest(query, 240)
    best = {row for row, _ in expected.rows[:10]}
    assert len(best & {row for row, _ in found.rows}) >= 9
    assert [found.mean, found.deviation] == pytest.approx([expected.mean, expected.deviation], abs=3e-3)


def test_rows_that_are_written_are_those_that_numpy_writes(tmp_path: Path) -> None:
    rows = clustered(5)
    written(tmp_path / "rows-0.f32", rows)
    plain = PlainFile(str(tmp_path / "rows-1.f32"), WIDTH, 0)

    plain.write([tuple(row) for row in rows[:3].tolist()])
    plain.write([tuple(row) for row in rows[3:].tolist()])

    assert (tmp_path / "rows-1.f32").read_bytes() == (tmp_path / "rows-0.f32").read_bytes()
    assert np.allclose(plain.read([4]), rows[4:])


def test_damaged_row_is_near_to_nothing() -> None:
    query = (1.0, 0.0)

    assert [cosine(row, query) for row in ((float("nan"), 0.0), (9.0, 0.0), (0.0, 0.0), (1.0, 0.0))] == [-1, -1, 0, 1]
