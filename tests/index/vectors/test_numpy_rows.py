"""The exact search, compared with the obvious way; and files that are not what they should be."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from support.unit_rows import unit_rows, written

from gitmem.index.vectors.numpy_rows import FlatFile
from gitmem.index.vectors.rows import DamagedError


def test_nearest_rows_are_those_of_a_sorted_list(tmp_path: Path) -> None:
    rows, query = unit_rows(300, 16), unit_rows(1, 16, seed=2)[0]
    flat = written(tmp_path / "a", rows)

    found = flat.nearest(query, 12)

    best = sorted(range(300), key=lambda row: -float(rows[row] @ query))[:12]
    assert [row for row, _ in found.rows] == best
    assert [cosine for _, cosine in found.rows] == pytest.approx([float(rows[row] @ query) for row in best], abs=1e-6)
    assert (found.mean, found.deviation) == pytest.approx(((rows @ query).mean(), (rows @ query).std()), abs=1e-6)
    assert flat.cosines(query, [best[0], 300, -1]) == pytest.approx([found.rows[0][1], -1, -1], abs=1e-6)


def test_rows_are_added_behind_those_that_are_there_and_over_what_was_cut_short(tmp_path: Path) -> None:
    rows = unit_rows(5, 4)
    written(tmp_path / "a", rows[:2])
    with (tmp_path / "a").open("ab") as file:
        file.write(b"\xff" * 21)  # a process was killed in the middle of its rows

    again = FlatFile(str(tmp_path / "a"), 4, 2)
    again.write(rows[2:])

    assert np.array_equal(FlatFile(str(tmp_path / "a"), 4, 5).read([0, 1, 2, 3, 4]), rows)


def test_file_that_is_shorter_than_its_rows_is_refused(tmp_path: Path) -> None:
    written(tmp_path / "a", unit_rows(3, 4))
    os.truncate(tmp_path / "a", 47)

    with pytest.raises(DamagedError, match="47 of 48"):
        FlatFile(str(tmp_path / "a"), 4, 3)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to("/dev/zero")])
def test_what_is_no_plain_file_is_refused_and_not_waited_for(tmp_path: Path, make) -> None:
    make(tmp_path / "a")

    with pytest.raises((DamagedError, OSError)):
        FlatFile(str(tmp_path / "a"), 4, 3)


def test_numbers_that_are_no_unit_rows_are_no_match(tmp_path: Path) -> None:
    rows = unit_rows(4, 4)
    rows[1], rows[2], rows[3] = np.nan, 1e30, np.inf
    flat = written(tmp_path / "a", rows)
    query = unit_rows(1, 4, seed=3)[0]

    assert [row for row, _ in flat.nearest(query, 4).rows] == [0]
    assert flat.cosines(query, [1, 2, 3]) == [-1, -1, -1]
