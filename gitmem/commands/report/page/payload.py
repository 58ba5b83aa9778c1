"""Pack the memories for the page's script: columns of their fields, and texts in blocks, compressed. Pure.

A page of 20,000 memories should take at most three megabytes. So each field of all memories is one list, which
compresses to a third of a list of memories, and texts come last: if they do not fit, the longest are cut, evenly. The
script creates elements as they are scrolled into view. A served page has no texts: its script requests the blocks.

Source: RFC 1951 (deflate), RFC 4648 (base64).
"""

from __future__ import annotations

import json
import re
import zlib
from base64 import b64encode

from gitmem.commands.report.page.markup import line
from gitmem.commands.report.page.model import Page, PageMemory
from gitmem.frozen import fields_of, frozen
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

# Memories whose texts are packed together: opening one memory reads its block.
BLOCK = 500
# Characters of a key that is derived from a title.
KEY = 60
# How close to its limit the compressed text must come, and how many lengths are tried.
NEAR, TRIES = 0.97, 6
_TEXTS = frozenset(("body",))


@frozen
class Payload:
    """The data for the page's script.

    Attributes:
        columns: The fields of all memories and the data for ranking, as JSON, compressed, in base64.
        blocks: The texts, ``BLOCK`` memories each, in the same form; empty if the script requests them.
        cut_at: The number of bytes after which texts are cut; 0 if all are complete.
    """

    columns: str
    blocks: tuple[str, ...] = ()
    cut_at: int = 0


def pack(page: Page, *, at_most: int | None, is_served: bool = False) -> Payload:
    """Return a page's memories for its script.

    Args:
        page: The page.
        at_most: The size limit in bytes, as far as cutting texts can meet it; None for complete texts.
        is_served: Whether to leave out texts.
    """
    entries = in_order(page.entries)
    bodies = [] if is_served else [body(entry) for entry in entries]
    table = _columns(page, entries)
    columns = _compress(table)
    limit = _find_limit(bodies, at_most - len(columns)) if at_most is not None else 0
    if limit:
        table["memories"]["cut"] = [len(text) - len(_truncate(text, limit)) for text in bodies]
        columns = _compress(table)
    return Payload(columns, tuple(_blocks(bodies, limit)), limit)


def in_order(entries: Sequence[PageMemory]) -> list[PageMemory]:
    """Return memories in the script's order: by their numbers in the catalog."""
    return sorted(entries, key=lambda entry: (entry.number, entry.key))


def body(entry: PageMemory) -> str:
    """Return a memory's text, safe to show."""
    return display(entry.body, lines=True, sequences=True)


def _columns(page: Page, entries: Sequence[PageMemory]) -> dict[str, Any]:
    """Return the fields of all memories, each as a list with 0 for empty values, and the tables of the page."""
    columns: dict[str, list[Any]] = {}
    for entry in entries:
        values = {name: value for name, value in fields_of(entry).items() if name not in _TEXTS}
        values["key"] = 0 if entry.key == key_of_title(entry.title) else entry.key
        values["places"] = () if entry.places == entry.paths else entry.places
        values["since"] = 0 if entry.since == entry.created else entry.since
        values["factor"] = 0 if entry.factor == 1 else entry.factor
        for name, value in values.items():
            columns.setdefault(name, []).append(_as_lines(value) if value else 0)
    columns.pop("number", None)
    full = {name: column for name, column in columns.items() if any(column)}
    places = {entry.key: at for at, entry in enumerate(entries)}
    links = [(places[needed], places[key]) for needed, key in page.links if needed in places and key in places]
    return {"made": page.made, "block": BLOCK, "memories": full, "links": links, "ranking": page.ranking or None,
            "count": len(entries)}  # fmt: skip


def _as_lines(value: Any) -> Any:
    if isinstance(value, str):
        return line(value)
    if isinstance(value, tuple):
        return [line(entry) for entry in value]
    return int(value) if isinstance(value, bool) else value


def key_of_title(title: str) -> str:
    """Return the key of most memories with this title, which is then left out; the script derives it likewise."""
    words = re.sub("[^a-z0-9]+", "-", re.sub("['\u2019]", "", line(title).lower())).strip("-")
    if len(words) <= KEY:
        return words
    return words[:KEY] if words[KEY] == "-" else words[:KEY].rpartition("-")[0]


def _find_limit(bodies: Sequence[str], room: int) -> int:
    """Return the length in bytes at which texts are cut to fit, compressed, into a limit; 0 if all fit."""
    size = _size(bodies, 0)
    if size <= room:
        return 0
    lengths = sorted(len(text.encode("utf-8", "replace")) for text in bodies)
    low, high, limit = 0, max(lengths, default=0), 0
    wanted = max(room, 1) / size * sum(lengths)
    for _ in range(TRIES):
        limit = min(max(_even_length(lengths, wanted), low + 1), max(high - 1, 1))
        size = _size(bodies, limit)
        if size <= room:
            low = limit
            if size >= NEAR * room:
                break
        else:
            high = limit
        wanted *= max(room, 1) / size
    return max(low, 1)


def _even_length(lengths: Sequence[int], room: float) -> int:
    """Return the length at which to cut sorted lengths so that their sum meets a limit."""
    left, limit = room, 0
    for nth, length in enumerate(lengths):
        limit = int(left / (len(lengths) - nth))
        if length > limit:
            break
        left -= length
    return limit


def _size(bodies: Sequence[str], limit: int) -> int:
    return sum(map(len, _blocks(bodies, limit)))


def _blocks(bodies: Sequence[str], limit: int) -> Iterator[str]:
    for at in range(0, len(bodies), BLOCK):
        yield _compress([_truncate(text, limit) for text in bodies[at : at + BLOCK]])


def _truncate(text: str, limit: int) -> str:
    """Return the beginning of a text within a size in bytes; all of it without a limit."""
    if not limit or len(text) * 4 <= limit:
        return text
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def _compress(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = compressor.compress(text.encode("utf-8", "replace")) + compressor.flush()
    return b64encode(data).decode("ascii")
