"""The texts of candidates, and of memories beside them in a log."""

from __future__ import annotations

from gitmem.index.catalog.search_texts import texts_of
from gitmem.recall import logs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog.catalog import Catalog
    from gitmem.model import IndexText


def runs_in(
    catalog: Catalog, texts: dict[int, IndexText], condition: str, parameters: Sequence[object]
) -> list[list[int]]:
    """Return which candidates stand in a log one after the other; neighbours that are none yet come to *texts*."""
    runs = logs.runs_of(catalog, texts, condition, parameters)
    texts |= texts_of(catalog, (number for run in runs for number in run if number not in texts))
    return runs


def text_of(catalog: Catalog, key: str) -> tuple[int, IndexText]:
    """Return the number and the text of the memory that counts for a key."""
    number = catalog.row("SELECT id FROM memory WHERE key = ? ORDER BY shadowed", (key,))[0]
    return number, texts_of(catalog, [number])[number]
