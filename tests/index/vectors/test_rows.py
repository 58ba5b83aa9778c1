"""The file of rows: mapped if it is whole."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.index.vectors.rows import DamagedError, map_file, write_at


def test_bytes_that_were_written_are_mapped(tmp_path: Path) -> None:
    path = str(tmp_path / "rows")
    write_at(path, b"abcd", 0)
    write_at(path, b"xy", 2)

    with map_file(path, 4) as found:
        assert found[:] == b"abxy"


def test_file_that_is_missing_short_or_no_file_is_damaged(tmp_path: Path) -> None:
    (tmp_path / "short").write_bytes(b"abc")
    os.mkfifo(tmp_path / "pipe")

    for name in ("missing", "short", "pipe"):
        with pytest.raises(DamagedError):
            map_file(str(tmp_path / name), 4)
