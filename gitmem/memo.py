"""Caches of functions, and SQLite's C module, without ``functools``.

Its import takes 2 ms with that of ``collections`` (measured), a twentieth of a ``recall``, which needs neither. The C
module of SQLite imports it for one name, ``lru_cache``.
"""

from __future__ import annotations

import sys
from _functools import _lru_cache_wrapper  # type: ignore[import-not-found]  # what `functools` makes its caches of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from functools import cache, lru_cache
else:

    def lru_cache(maxsize=128):
        """Return a decorator that caches a function's results for the last *maxsize* arguments."""
        return lambda function: _lru_cache_wrapper(function, maxsize, False, _counts)

    def cache(function):
        """Cache a function's results for all arguments."""
        return _lru_cache_wrapper(function, None, False, _counts)


def _counts(*counts: int) -> tuple[int, ...]:
    return counts


def load_sqlite() -> None:
    """Import SQLite's C module, which finds ``lru_cache`` here if nothing has imported ``functools`` before.

    A program with threads has: ``threading`` imports it, so no thread sees the stand-in.
    """
    if "functools" not in sys.modules:
        stand_in = type(sys)("functools")
        vars(stand_in)["lru_cache"] = lru_cache
        sys.modules["functools"] = stand_in
        try:
            import _sqlite3  # noqa: F401
        finally:
            del sys.modules["functools"]


__all__ = ["cache", "load_sqlite", "lru_cache"]
