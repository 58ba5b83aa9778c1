"""Compress the long texts of a large catalog, each sort with its own dictionary.

Each row is compressed separately, with a dictionary made from the store's own texts: rows must be read one at a time
and are too short to compress well alone (to 60 % of their size). With 16 KB of the store's own words as a dictionary
they shrink to 33 % (measured on 100,000 memories; 4 us to decompress one). A catalog that never received
``gitmem.index.catalog.inserts.BATCH`` new memories at once has no dictionary and stores its texts uncompressed.

Source: RFC 1951 (deflate); zlib manual, deflateSetDictionary.
"""

from __future__ import annotations

import _sqlite3 as sqlite3

from gitmem.index.catalog import dictionary_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


# Deflate without a header, with a window of 16 KB (zlib manual, deflateInit2). Each text gets a copy of the compressor.
# Deflate's largest window, 32 KB, makes that 160 KB, which the C library returns to the system and requests again each
# time: 86 instead of 41 us a memory, for 31 instead of 33 % (measured).
_WINDOW = -14
# The rest of a longer dictionary would not be used.
DICTIONARY_BYTES = 16_000
# How many texts a dictionary is made from: enough to fill it with a part of each.
SAMPLES = 400
# A shorter text is not compressed: copying the compressor costs more time than the room is worth (5 us, measured).
SHORTEST = 48
# zlib's default is 8. Less memory makes a compressor quicker to set up and gives the same output here (measured).
_MEMORY_LEVEL = 6
# zlib's default is 6, which takes half as much time again for 31 % instead of 33 % (measured: 60 and 41 us a memory).
_LEVEL = 3


def packer(db: sqlite3.Connection, name: str, texts: Sequence[str] = ()) -> Callable[[str], str | bytes]:
    """Return a function that compresses texts of one sort, inside the caller's transaction.

    Args:
        db: The catalog's database.
        name: The sort of text.
        texts: Texts to make a missing dictionary from; without a dictionary, texts stay uncompressed.
    """
    dictionary = dictionary_of(db, name)
    if not dictionary and texts:
        dictionary = _sample(texts)
        db.execute("INSERT OR REPLACE INTO dictionary VALUES (?, ?)", (name, dictionary))
    if not dictionary:
        return str
    import zlib  # 0.3 ms, and only in large catalogs

    ready = zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY_LEVEL, zlib.Z_DEFAULT_STRATEGY, dictionary)

    def pack(text: str) -> str | bytes:
        if len(text) < SHORTEST:
            return text
        compressor = ready.copy()  # five times as fast as loading the dictionary again (measured)
        return compressor.compress(text.encode("utf-8", "surrogatepass")) + compressor.flush()

    return pack


def _sample(texts: Sequence[str]) -> bytes:
    """Return a dictionary: the beginnings of texts from the whole list, in equal shares."""
    step = max(1, len(texts) // SAMPLES)
    chosen = [text.encode("utf-8", "surrogatepass") for text in texts[::step][:SAMPLES]]
    share = max(64, DICTIONARY_BYTES // max(1, len(chosen)))
    return b"\n".join(text[: 4 * share] for text in chosen)[:DICTIONARY_BYTES]
