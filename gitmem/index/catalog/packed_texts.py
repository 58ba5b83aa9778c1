"""The texts of the catalog: read the searched texts of memories, and compress long ones in a large catalog.

Each row is compressed separately, with a dictionary made from the store's own texts: rows must be read one at a time
and are too short to compress well alone (to 60 % of their size). With 32 KB of the store's own words as a dictionary
they shrink to 31 % (measured on 100,000 memories; 4 us to decompress one). A catalog that never received
``gitmem.index.catalog.inserts.BATCH`` new memories at once has no dictionary and stores its texts uncompressed.

Source: RFC 1951 (deflate); zlib manual, deflateSetDictionary.
"""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.model import IndexText
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.index.catalog import Catalog

# Deflate's window: the rest of a longer dictionary would not be used (RFC 1951, section 2).
DICTIONARY_BYTES = 32_000
# How many texts a dictionary is made from: enough to fill it with a part of each.
SAMPLES = 400
# zlib's default is 8. Less memory makes a compressor quicker to set up and gives the same output here (measured).
_MEMORY_LEVEL = 6
_RAW = -15
# zlib's default is 6, which takes half as much time again for 30 % instead of 31 % (measured: 98 and 63 us a memory).
_LEVEL = 3

# Separates the terms of two fields; no term contains it.
SEPARATOR = "\n"
# The texts that are compressed, each with its own dictionary.
TAGS, FIELDS, BODY, TERMS = "tags", "fields", "body", "terms"


def packer(db: sqlite3.Connection, name: str, texts: Sequence[str] = ()) -> Callable[[str], str | bytes]:
    """Return a function that compresses texts of one sort, inside the caller's transaction.

    Args:
        db: The catalog's database.
        name: The sort of text.
        texts: Texts to make a missing dictionary from; without a dictionary, texts stay uncompressed.
    """
    dictionary = _read(db, name)
    if not dictionary and texts:
        dictionary = _sample(texts)
        db.execute("INSERT OR REPLACE INTO dictionary VALUES (?, ?)", (name, dictionary))
    if not dictionary:
        return str
    import zlib  # 0.3 ms, and only in large catalogs

    ready = zlib.compressobj(_LEVEL, zlib.DEFLATED, _RAW, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, dictionary)

    def pack(text: str) -> bytes:
        compressor = ready.copy()  # five times as fast as loading the dictionary again (measured)
        return compressor.compress(text.encode("utf-8", "surrogatepass")) + compressor.flush()

    return pack


def unpacker(db: sqlite3.Connection) -> Callable[[str, str | bytes | None], str | None]:
    """Return a function that decompresses a text, given its sort; it returns plain texts and None unchanged."""
    known: dict[str, tuple[int, bytes]] = {}

    def unpack(name: str, packed: str | bytes | None) -> str | None:
        if not isinstance(packed, bytes):
            return packed
        import zlib

        # Read again after each write, which may have made the dictionary and may have been rolled back.
        changes, dictionary = known.get(name, (-1, b""))
        if changes != db.total_changes:
            dictionary = _read(db, name)
            known[name] = db.total_changes, dictionary
        try:
            return zlib.decompressobj(_RAW, dictionary).decompress(packed).decode("utf-8", "surrogatepass")
        except (zlib.error, UnicodeDecodeError) as err:
            raise sqlite3.DatabaseError(f"a packed text is damaged: {err}") from err

    return unpack


def register(db: sqlite3.Connection) -> None:
    """Define the SQL function ``unpacked(sort, text)``, with which the views return texts as they were written."""
    db.create_function("unpacked", 2, unpacker(db), deterministic=True)


def _read(db: sqlite3.Connection, name: str) -> bytes:
    row = db.execute("SELECT content FROM dictionary WHERE name = ?", (name,)).fetchone()
    return row[0] if row else b""


def _sample(texts: Sequence[str]) -> bytes:
    """Return a dictionary: the beginnings of texts from the whole list, in equal shares."""
    step = max(1, len(texts) // SAMPLES)
    chosen = [text.encode("utf-8", "surrogatepass") for text in texts[::step][:SAMPLES]]
    share = max(64, DICTIONARY_BYTES // max(1, len(chosen)))
    return b"\n".join(text[: 4 * share] for text in chosen)[:DICTIONARY_BYTES]


def texts_of(catalog: Catalog, numbers: Iterable[int]) -> dict[int, IndexText]:
    """Return the texts of memories by number, as ``Inserts.add_memory`` returned them."""
    rows = catalog.each(
        "SELECT m.id, m.title, t.tags, m.key, t.paths, t.body, unpacked('terms', a.terms), m.kind,"
        " m.task FROM memory m"
        " JOIN searched t ON t.id = m.id JOIN analysed a ON a.id = m.id WHERE m.id IN ({})",
        numbers,
    )
    return {
        number: IndexText(number, title, named(words(tags), task), key, words(paths), body, _kept(terms), kind)
        for number, title, tags, key, paths, body, terms, kind, task in rows
    }


def text_of(catalog: Catalog, key: str) -> tuple[int, IndexText]:
    """Return the number and the text of the memory that counts for a key."""
    number = catalog.row("SELECT id FROM memory WHERE key = ? ORDER BY shadowed", (key,))[0]
    return number, texts_of(catalog, [number])[number]


def _kept(terms: str | None) -> tuple[str, ...]:
    return tuple(terms.split(SEPARATOR)) if terms else ()


def named(tags: str, task: str) -> str:
    """Return the words of the tags field, including the task, so that its id finds what was learned in it."""
    return f"{tags} {task}".strip() if task else tags


def words(listed: str) -> str:
    """Return the strings of a JSON list, as ``strings`` does, joined with spaces."""
    # Quicker than importing a JSON parser (1 ms): without a backslash, no string contains a quotation mark.
    return listed[2:-2].replace('", "', " ") if "\\" not in listed else " ".join(strings(listed))


def strings(listed: str) -> list[str]:
    """Return the strings of a JSON list in which the catalog stores tags or paths."""
    if listed == "[]":
        return []
    found: list[str] = parse_json(listed)
    return found
