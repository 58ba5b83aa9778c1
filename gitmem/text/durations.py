"""Points of time that a memory may have, and spans of time in words. Pure."""

from __future__ import annotations

HOUR_S = 3600
DAY_S = 86_400
# 1971 and 2106: a commit of a time before the epoch is broken for git fsck, and some readers keep 32 bits of it.
EARLIEST_S, LATEST_S = 365 * DAY_S, 2**32 - 1


def plausible(seconds: float) -> int:
    """Return a time, epoch seconds, kept between 1971 and 2106 where a clock is wrong."""
    return int(min(max(seconds, EARLIEST_S), LATEST_S))


def ago(seconds: int) -> str:
    """Return an age in the largest unit that fits: ``45s``, ``12m``, ``5h``, ``35d``."""
    for unit, size in (("d", DAY_S), ("h", HOUR_S), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def lasted(seconds: int) -> str:
    """Return a time span for a sentence: hours, and from two days on, days."""
    return f"{seconds // DAY_S} days" if seconds >= 2 * DAY_S else f"{seconds // HOUR_S} hours"
