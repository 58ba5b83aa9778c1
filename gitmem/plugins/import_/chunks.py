"""Cut imported documents at their headings, so that each section becomes a memory: all (``--chunk``), or long ones."""

from __future__ import annotations

import re
from collections import Counter
from itertools import zip_longest

from gitmem.commands.adopt.chunks import LINES_AT_MOST, prose_chunks
from gitmem.frozen import replace
from gitmem.plugins.import_.fields import Unreadable
from gitmem.store import layout
from gitmem.text.slugs import slug
from gitmem.write.draft import key_from

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from gitmem.commands.adopt.chunks import Chunk
    from gitmem.plugins.import_.fields import ImportRecord

# Characters of a heading in the key of its section, and of a document's name before it.
HEADING_KEY, NAME_KEY = 40, 40
# About how many bytes the fields take that the import adds.
MADE = 512
# The beginning of a block of code, also in a list item.
_FENCE = re.compile(r"([ \t]{0,12})(?:[-*+][ \t]{1,4}|\d{1,4}[.)][ \t]{1,4})?(`{3,}|~{3,})")
LONG = "it is longer than a memory can be, and its sections became memories"


def cut_documents(
    records: Iterable[ImportRecord | Unreadable], *, only_long: bool = False
) -> Iterator[ImportRecord | Unreadable]:
    """Yield records, a document with headings as one for each section.

    The text before the first heading keeps the document's key and title; a section has both, followed by its headings,
    so that the same document gives the same keys. Of a document without a key, each section gets one from its own text:
    another document may have the same title. Files of gitmem and retired memories stay whole.

    Args:
        records: The records.
        only_long: Whether to cut only what no memory can hold; tasks and facts are never cut then.
    """
    for record in records:
        is_whole = isinstance(record, Unreadable) or record.text != "" or record.archived
        if isinstance(record, Unreadable) or is_whole or (only_long and not _is_long(record)):
            yield record
        elif only_long:
            first, *others = _sections(record, has_links=True)
            yield replace(first, remark="; ".join(filter(None, (record.remark, LONG))))
            yield from (replace(record, remark="") for record in others)
        else:
            yield from _sections(record)


def _is_long(record: ImportRecord) -> bool:
    if record.fields.get("kind") == "task" or "verify" in record.fields:
        return False
    size = len(record.body) + MADE
    if size + len(str(record.fields)) < layout.MEMORY_LIMIT // 4:  # a character has at most four bytes
        return False
    return len(f"{record.fields}{record.body}".encode("utf-8", "replace")) + MADE > layout.MEMORY_LIMIT


def _sections(record: ImportRecord, *, has_links: bool = False) -> Iterator[ImportRecord]:
    """Yield the sections of a document; if other notes may link to it, the first one has its key."""
    parts = prose_chunks("\n".join(part for line in record.body.split("\n") for part in _cut(line)))
    if len(parts) < 2:
        yield record
        return
    title = str(record.fields.get("title") or "")
    base = record.key
    texts = _with_fences(parts)
    taken = set[str]()
    numbers = Counter[str]()  # of the headings that repeat
    for part, text in zip(parts, texts, strict=True):
        name = " › ".join(filter(None, (title, part.name)))
        is_target = not part.name or (has_links and not taken)
        key = base if is_target else key_from(f"{base[:NAME_KEY]}-{slug(part.name, limit=HEADING_KEY)}")
        own = key
        while own in taken:
            numbers[key] += 1
            own = f"{key}.{numbers[key] + 1}"
        taken.add(own)
        file = f"{record.name}#{own}" if record.name else ""
        fields = {**record.fields, "title": name} if name else record.fields
        where, own = f"{record.where}:{part.first}", own if base else ""
        yield replace(record, where=where, key=own, name=file, fields=fields, body=_text(text))


def _with_fences(parts: Sequence[Chunk]) -> list[str]:
    """Return the texts of parts; a block of code that goes on in the next part is closed and opened again."""
    texts, opened = [], ""
    for part, following in zip_longest(parts, parts[1:]):
        text, fence = (f"{opened}\n{part.text}" if opened else part.text), ""
        opened = ""
        for line in text.split("\n"):
            mark = _FENCE.match(line)
            if mark and not opened:
                opened, fence = line, mark[2]
            elif mark and mark[2].startswith(fence) and line.strip() == mark[2]:
                opened = ""
        mark = _FENCE.match(opened)
        is_cut = mark is not None and following is not None and following.name == part.name
        texts.append(f"{text}\n{mark[1]}{fence}" if mark and is_cut else text)
        opened = opened if is_cut else ""
    return texts


def _cut(line: str) -> Iterator[str]:
    """Yield a line in parts that fit into a memory: cut after a sentence, else at a blank, else anywhere."""
    while len(line) > LINES_AT_MOST:
        half = LINES_AT_MOST // 2
        ends = (line.rfind(sign, half, LINES_AT_MOST) + 1 for sign in (". ", "! ", "? ", "。"))
        at = max(ends) or line.rfind(" ", half, LINES_AT_MOST) + 1 or LINES_AT_MOST
        yield line[:at].rstrip(" ")
        line = line[at:].lstrip(" ")
    yield line


def _text(section: str) -> str:
    """Return a section without its heading, which its title has."""
    first, _, rest = section.partition("\n")
    return rest.strip() or section if first.lstrip().startswith("#") else section
