"""Spans of time in words."""

from __future__ import annotations

from support.each import each

from gitmem.text.durations import DAY_S, ago, format_duration


@each(("seconds", "expected"), [(0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (DAY_S, "1d")])
def test_ages_are_described_in_the_largest_unit_that_fits(seconds: int, expected: str) -> None:
    assert ago(seconds) == expected


@each(("seconds", "expected"), [(7200, "2 hours"), (2 * DAY_S - 1, "47 hours"), (2 * DAY_S, "2 days")])
def test_spans_are_described_in_hours_and_then_in_days(seconds: int, expected: str) -> None:
    assert format_duration(seconds) == expected
