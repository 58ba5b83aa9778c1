"""Spans of time in words."""

from __future__ import annotations

import pytest

from gitmem.text.durations import DAY_S, EARLIEST_S, LATEST_S, ago, lasted, plausible


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0, "0s"), (59, "59s"), (60, "1m"), (3599, "59m"), (3600, "1h"), (DAY_S, "1d")]
)
def test_ages_are_told_in_the_largest_unit_that_fits(seconds: int, expected: str) -> None:
    assert ago(seconds) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"), [(7200, "2 hours"), (2 * DAY_S - 1, "47 hours"), (2 * DAY_S, "2 days")]
)
def test_spans_are_told_in_hours_and_then_in_days(seconds: int, expected: str) -> None:
    assert lasted(seconds) == expected


@pytest.mark.parametrize(
    ("clock", "kept"),
    [
        (-1e18, EARLIEST_S),
        (-1, EARLIEST_S),
        (0, EARLIEST_S),
        (1.79e9 + 0.5, 1_790_000_000),
        (2**32, LATEST_S),
        (1e300, LATEST_S),
    ],
)
def test_a_time_is_kept_between_1971_and_2106(clock: float, kept: int) -> None:
    assert plausible(clock) == kept
