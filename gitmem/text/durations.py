"""Time spans in words. Pure."""

from __future__ import annotations

HOUR_S = 3600
DAY_S = 86_400


def ago(seconds: int) -> str:
    """Return an age in the largest unit that fits: ``45s``, ``12m``, ``5h``, ``35d``."""
    for unit, size in (("d", DAY_S), ("h", HOUR_S), ("m", 60)):
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def format_duration(seconds: int) -> str:
    """Return a time span for use in a sentence: in hours, and from two days on in days."""
    return f"{seconds // DAY_S} days" if seconds >= 2 * DAY_S else f"{seconds // HOUR_S} hours"
