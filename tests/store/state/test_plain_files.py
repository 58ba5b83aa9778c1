"""Counters of a clone: files that grow by a byte, and files of a day."""

from __future__ import annotations

from pathlib import Path

from gitmem.store.state import plain_files


def test_what_is_counted_adds_up_and_a_full_disk_is_no_failure(tmp_path: Path) -> None:
    assert plain_files.read_count(tmp_path, plain_files.CAPTURES) == 0

    plain_files.add_count(tmp_path, plain_files.CAPTURES)
    plain_files.add_count(tmp_path, plain_files.CAPTURES, 3)
    plain_files.add_count(tmp_path, plain_files.SHOWN, 0)
    (tmp_path / "file").write_text("")
    plain_files.add_count(tmp_path / "file", plain_files.CAPTURES)

    assert (
        plain_files.read_count(tmp_path, plain_files.CAPTURES),
        plain_files.read_count(tmp_path, plain_files.SHOWN),
    ) == (4, 0)


def test_days_are_counted_apart_and_keys_once_a_day(tmp_path: Path) -> None:
    for day in (10, 10, 12):
        plain_files.add_daily_count(tmp_path, day * plain_files.DAY_S + 5, plain_files.RECALLS)
        plain_files.note_shown_keys(tmp_path, day * plain_files.DAY_S, ["a", "b"] if day == 10 else ["b"])

    assert plain_files.daily_counts(tmp_path) == {10: {plain_files.RECALLS: 2}, 12: {plain_files.RECALLS: 1}}
    assert plain_files.shown_keys(tmp_path) == {"a": 10, "b": 12}
    assert (tmp_path / "tally/days/10.keys").read_text() == "a\nb\n"


def test_counts_of_long_ago_are_removed(tmp_path: Path) -> None:
    for day in (1, 2):
        plain_files.add_daily_count(tmp_path, day * plain_files.DAY_S, plain_files.RECALLS)

    plain_files.sweep_counts(tmp_path, (2 + plain_files.DAYS_KEPT) * plain_files.DAY_S)

    assert list(plain_files.daily_counts(tmp_path)) == [2]
