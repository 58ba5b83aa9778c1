"""Count the live memories."""

from __future__ import annotations

from gitmem.index.catalog.state import LIVE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.index.catalog import Catalog


def count_live(catalog: Catalog, *, without: Iterable[str], now: int) -> int:
    """Return how many memories are live, without those of some kinds.

    Uses two indexes: a single condition would read every memory (measured: 12 ms at 10,000, not 1).
    """
    kinds = tuple(without)
    counting = f"SELECT count(*) FROM memory m {{}} WHERE {LIVE} AND m.kind NOT IN ({','.join('?' * len(kinds))})"
    live = catalog.row(counting.format("INDEXED BY memory_live"), kinds)[0]
    expired = catalog.row(f"{counting.format('INDEXED BY memory_expires')} AND m.expires <= ?", (*kinds, now))[0]
    return int(live) - int(expired)
