"""Read from the catalog what is searched of memories."""

from __future__ import annotations

from gitmem.index.fts import SEPARATOR
from gitmem.model import IndexText

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.index.catalog.catalog import Catalog


def texts_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, IndexText]:
    """Return the texts of memories by number, as ``Inserts.add_memory`` returned them."""
    rows = catalog.each(
        "SELECT m.id, m.title, t.tags, m.key, t.paths, t.body, unpacked('terms', a.terms) FROM memory m"
        " JOIN searched t ON t.id = m.id JOIN analysed a ON a.id = m.id WHERE m.id IN ({})",
        numbers,
    )
    return {
        number: IndexText(number, title, words(tags), key, words(paths), body, _kept(terms))
        for number, title, tags, key, paths, body, terms in rows
    }


def text_of(catalog: Catalog, key: str) -> tuple[int, IndexText]:
    """Return the number and the text of the memory that counts for a key."""
    number = catalog.row("SELECT id FROM memory WHERE key = ? ORDER BY shadowed", (key,))[0]
    return number, texts_of(catalog, [number])[number]


def _kept(terms: str | None) -> tuple[str, ...]:
    return tuple(terms.split(SEPARATOR)) if terms else ()


def words(listed: str) -> str:
    """Return the strings of a JSON list, as the catalog keeps tags and paths, separated by spaces."""
    # Quicker than the import of a JSON parser (1 ms): without a backslash, no string has a quotation mark in it.
    return listed[2:-2].replace('", "', " ") if "\\" not in listed else " ".join(strings(listed))


def strings(listed: str) -> list[str]:
    """Return the strings of a JSON list, as the catalog keeps tags and paths."""
    if listed == "[]":
        return []
    import json  # 1 ms, and only where a filter or a listing asks

    found: list[str] = json.loads(listed)
    return found
