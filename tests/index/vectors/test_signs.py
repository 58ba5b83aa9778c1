"""Signs of rows: the rows with most equal signs, and the distribution of all cosines."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.each import each
from support.unit_rows import unit_rows

from gitmem.index.vectors.signs import count_signs, read_signs, write_signs

# Not a multiple of the block or of 8, so that both ends are partial.
COUNT, WIDTH = 8201, 64


@pytest.fixture(scope="module")
def rows() -> np.ndarray:
    return unit_rows(COUNT, WIDTH)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory, rows: np.ndarray) -> str:
    path = str(tmp_path_factory.mktemp("signs") / "rows-0.signs")
    write_signs(path, rows)
    return path


@each("limit", [1, 60, 500])
def test_nearest_have_the_fewest_different_signs(rows: np.ndarray, path: str, limit: int) -> None:
    signs, query = read_signs(path, WIDTH, COUNT), unit_rows(1, WIDTH, seed=2)[0]
    assert signs is not None
    differ = ((rows > 0) != (query > 0)).sum(axis=1)

    found = signs.nearest(tuple(query.tolist()), limit)

    assert len(set(found)) == limit
    assert sorted(differ[found]) == sorted(differ)[:limit]


def test_spread_is_that_of_all_cosines(rows: np.ndarray, path: str) -> None:
    signs, query = read_signs(path, WIDTH, COUNT), unit_rows(1, WIDTH, seed=3)[0]
    assert signs is not None

    mean, variance = signs.spread(tuple(query.tolist()))

    assert mean == pytest.approx(float((rows @ query).mean()), abs=1e-5)
    assert variance**0.5 == pytest.approx(float((rows @ query).std()), rel=0.02)


def test_file_of_other_rows_is_not_used(path: str, tmp_path: Path) -> None:
    (tmp_path / "cut").write_bytes(Path(path).read_bytes()[:-1])
    (tmp_path / "empty").touch()

    assert read_signs(path, WIDTH, COUNT - 1) is None  # it covers more rows than there are
    assert read_signs(path, WIDTH + 1, COUNT) is None
    assert [read_signs(str(tmp_path / name), WIDTH, COUNT) for name in ("cut", "empty", "missing")] == [None] * 3
    assert [count_signs(path, WIDTH, COUNT), count_signs(path, WIDTH, 9), count_signs("/missing", WIDTH, 9)] == [
        COUNT,
        0,
        0,
    ]
