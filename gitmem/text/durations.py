"""Plausible times for a memory, and time spans in words. Pure."""

from __future__ import annotations

HOUR_S = 3600
DAY_S = 86_400
# 1971 and 2106: git fsck reports a commit with a time before the epoch as broken, and some readers use 32 bits.
EARLIEST_S, LATEST_S = 365 * DAY_S, 2**32 - 1


def plausible(seconds: float) -> int:
    """Return a time in epoch seconds, limited to 1971 to 2106 in case the clock is wrong."""
    return int(min(max(seconds, EARLIEST_S), LATEST_S))


def ago(seconds: int) -> str:
    """Return an age in the largest unit that fits: ``45s``, ``12m``, ``5h``, ``35d``."""
    for unit, size in (("d", DAY_S), ("h", HOUR_S), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def lasted(seconds: int) -> str:
    """Return a time span for use in a sentence: in hours, and from two days on in days."""
    return f"{seconds // DAY_S} days" if seconds >= 2 * DAY_S else f"{seconds // HOUR_S} hours"
