"""Counters of a clone."""

from __future__ import annotations

from pathlib import Path

from gitmem.store import tally


def test_what_is_counted_adds_up_and_a_full_disk_is_no_failure(tmp_path: Path) -> None:
    assert tally.count(tmp_path, tally.CAPTURES) == 0

    tally.add(tmp_path, tally.CAPTURES)
    tally.add(tmp_path, tally.CAPTURES, 3)
    tally.add(tmp_path, tally.SHOWN, 0)
    (tmp_path / "file").write_text("")
    tally.add(tmp_path / "file", tally.CAPTURES)

    assert (tally.count(tmp_path, tally.CAPTURES), tally.count(tmp_path, tally.SHOWN)) == (4, 0)
