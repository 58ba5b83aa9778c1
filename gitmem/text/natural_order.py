"""The order of keys in which numbers count as numbers. Pure; it imports nothing that has to be installed."""

from __future__ import annotations

from itertools import groupby

# Longer numbers in keys are sorted like text.
DIGITS = 20
_DIGITS = frozenset("0123456789")


def natural_order(key: str) -> tuple[str, str]:
    """Return what keys are sorted by, so that ``fact-2`` comes before ``fact-10``."""
    runs = ((is_number, "".join(run)) for is_number, run in groupby(key, _DIGITS.__contains__))
    return "".join(run.zfill(DIGITS) if is_number else run for is_number, run in runs), key
