"""What is searched of memories, read from the catalog."""

from __future__ import annotations

from gitmem.recall import logs
from gitmem.search.engine import IndexText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.catalog.catalog import Catalog


def texts_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, IndexText]:
    """Return what is searched of each memory, by number."""
    rows = catalog.each(
        "SELECT m.id, m.title, t.tags, m.key, t.paths, t.body, f.c0, f.c1, f.c2, f.c3, f.c4 FROM memory m"
        " JOIN searched t ON t.id = m.id JOIN fts_content f ON f.id = m.id WHERE m.id IN ({})",
        numbers,
    )
    return {row[0]: IndexText(row[0], row[1], words(row[2]), row[3], words(row[4]), row[5], row[6:]) for row in rows}


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


def words(listed: str) -> str:
    """Return a JSON list of strings, as the catalog keeps tags and paths, as words separated by spaces.

    Quicker than a JSON parser's import (1 ms), and it is only searched: what an escape would become matters little.
    """
    return listed[2:-2].replace('", "', " ") if len(listed) > 2 else ""


def listed(text: str) -> list[str]:
    """Return a JSON list of strings, as the catalog keeps tags and paths, exactly."""
    if text == "[]":
        return []
    import json  # 1 ms, and only where a filter or a listing asks

    found: list[str] = json.loads(text)
    return found
