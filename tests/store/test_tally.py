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


def test_days_are_counted_apart_and_keys_once_a_day(tmp_path: Path) -> None:
    for day in (10, 10, 12):
        tally.add_on(tmp_path, day * tally.DAY_S + 5, tally.RECALLS)
        tally.note_keys(tmp_path, day * tally.DAY_S, ["a", "b"] if day == 10 else ["b"])

    assert tally.days_of(tmp_path) == {10: {tally.RECALLS: 2}, 12: {tally.RECALLS: 1}}
    assert tally.keys_of(tmp_path) == {"a": 10, "b": 12}
    assert (tmp_path / "tally/days/10.keys").read_text() == "a\nb\n"


def test_counts_of_long_ago_are_removed(tmp_path: Path) -> None:
    for day in (1, 2):
        tally.add_on(tmp_path, day * tally.DAY_S, tally.RECALLS)

    tally.sweep(tmp_path, (2 + tally.DAYS_KEPT) * tally.DAY_S)

    assert list(tally.days_of(tmp_path)) == [2]
