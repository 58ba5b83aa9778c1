"""Read memories from JSONL, one object per line, or from one JSON value: gitmem's export, logs, other systems' exports.

The file cannot do harm: a line is read up to a bound, and anything but an object is one bad line.
"""

from __future__ import annotations

import codecs
import io
import json

from gitmem.document.format import format as format_document
from gitmem.document.parse import parse
from gitmem.errors import FormatError
from gitmem.frozen import replace
from gitmem.plugins.import_.encodings import to_utf8
from gitmem.plugins.import_.fields import (
    DELETED_REASON,
    ImportRecord,
    Unreadable,
    from_table,
    is_deleted,
    is_prose,
    with_remark,
)
from gitmem.plugins.import_.systems import Graph, as_ended, in_common_terms, is_ended, list_objects
from gitmem.plugins.import_.trackers import is_issue, read_issue
from gitmem.store import layout

# Exports of chats are downloaded as one.
ARCHIVED = "it is a zip archive: unzip it, then import the folder that it was unpacked to"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import IO, Any

# A memory of 64 KiB in which every byte needs an escape of six, twice (as text and in its fields).
LINE_LIMIT = 1 << 20
# A file that is one JSON value is read into memory up to this size.
DOCUMENT_LIMIT = 64 << 20
_BOM = b"\xef\xbb\xbf"


def read_jsonl(
    file: IO[bytes], *, name: str, kind: str, is_archive: bool = False
) -> Iterator[ImportRecord | Unreadable]:
    """Yield the memories of each line, or the reason why there are none; empty lines only count.

    A file that is one JSON value of several lines, or one list, is read as a whole.

    Args:
        file: An open file.
        name: Its name in reports.
        kind: The kind if a memory names none.
        is_archive: Whether its memories were archived by rotation, and stay archived.
    """
    graph = Graph()
    for record in _read(file, name, kind, graph):
        is_old = is_archive and isinstance(record, ImportRecord) and not record.text
        yield replace(record, archived=True) if is_old else record
    yield from graph.records(kind)


def _read(file: IO[bytes], name: str, kind: str, graph: Graph) -> Iterator[ImportRecord | Unreadable]:
    number, remark = 0, ""
    is_begun = False
    while line := file.readline(LINE_LIMIT + 1):
        number += 1
        where = f"{name}:{number}"
        if number == 1:
            if b"\0" in line or line.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                data, remark = to_utf8(line + file.read(DOCUMENT_LIMIT))
                file = io.BytesIO(data)
                line = file.readline(LINE_LIMIT + 1)
            if b"\0" in line:
                yield Unreadable(name, ARCHIVED if line.startswith(b"PK") else "it is not text")
                return
            line = line.removeprefix(_BOM)
        if not is_begun and line.strip():
            is_begun = True
            whole, other, file = _whole(line, file)
            if whole is not None:
                yield from with_remark(_read_value(whole, name, kind, graph), other or remark)
                return
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := file.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
            yield Unreadable(where, f"the line is longer than {LINE_LIMIT} bytes")
        elif stripped := line.strip():
            text, other = to_utf8(stripped)
            value = _load(text, where)
            records = [value] if isinstance(value, Unreadable) else _read_value(value, where, kind, graph)
            yield from with_remark(records, other or remark)


def _whole(first: bytes, file: IO[bytes]) -> tuple[Any, str, IO[bytes]]:
    """Return the JSON value in a file that is not JSONL, or None; a remark; and the file from its second line.

    Args:
        first: Its first line that is not empty.
        file: The rest of it.
    """
    if isinstance(_load(first, ""), dict):
        return None, "", file
    data = file.read(DOCUMENT_LIMIT)
    text, remark = to_utf8(first + data) if len(data) < DOCUMENT_LIMIT else (b"", "")
    value = _load(text, "")
    if isinstance(value, str):  # some agent files of Letta are JSON in a JSON text
        value = _load(value.encode("utf-8", "replace"), "")
    if isinstance(value, dict | list):
        return value, remark, file
    rest = io.BytesIO(data) if len(data) < DOCUMENT_LIMIT else io.BufferedReader(_Joined(data, file))
    return None, "", rest


class _Joined(io.RawIOBase):
    """Bytes that were read of a file, and what follows them in it."""

    def __init__(self, data: bytes, file: IO[bytes]) -> None:
        self._data, self._file = io.BytesIO(data), file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._data.read(len(buffer)) or self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _load(line: bytes, where: str) -> Any:
    """Return the JSON value in a line, or why there is none."""
    try:
        # Python writes and reads NaN, which no frontmatter can have: a field with it is left out, and named.
        return json.loads(line.decode("utf-8"), object_pairs_hook=_table_of)
    except UnicodeDecodeError:
        return Unreadable(where, "it is not UTF-8")
    except RecursionError:
        return Unreadable(where, "it is nested too deeply")
    except ValueError as err:
        message = getattr(err, "msg", "") or "a number has too many digits"
        return Unreadable(where, f"it is not JSON: {message}")


def _read_value(value: Any, where: str, kind: str, graph: Graph) -> Iterator[ImportRecord | Unreadable]:
    for place, found in list_objects(value, where):
        if isinstance(found, Unreadable):
            yield found
        elif isinstance(found, str) and is_prose(found):
            yield from_table({"text": found}, where=place, kind=kind)
        elif not isinstance(found, dict):
            yield Unreadable(place, "it is not a JSON object")
        elif is_issue(found):
            yield from read_issue(found, where=place)
        elif (own := _of_ours(found, place)) is not None:
            yield own
        elif is_deleted(found):
            yield Unreadable(place, DELETED_REASON, is_skipped=True)
        elif not graph.add(found, place):
            table = in_common_terms(found, place)
            record = table if isinstance(table, Unreadable) else from_table(table, where=place, kind=kind)
            yield as_ended(record, found) if isinstance(record, ImportRecord) and is_ended(found) else record


def _table_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object; of a name that occurs twice, the last value has it, and others stay under further names."""
    table = dict(pairs)
    if len(table) < len(pairs):
        for number, (name, value) in enumerate(pairs, 1):
            if value != table[name]:
                table[f"{name} ({number})"] = value
    return table


def _of_ours(table: dict[str, Any], where: str) -> ImportRecord | Unreadable | None:
    """Return the memory of a line written by ``gitmem export``; None for other lines."""
    key, fields, body, text = (table.get(name) for name in ("key", "frontmatter", "body", "text"))
    if not (isinstance(key, str) and isinstance(fields, dict) and isinstance(body, str)):
        return None
    if not layout.is_key(key):
        return Unreadable(where, "its key is invalid")
    try:
        exact = text if isinstance(text, str) and text else format_document(fields, body)
        document = parse(exact, path=f"{key}.md")
    except (FormatError, AttributeError) as err:
        return Unreadable(where, str(err))
    folder, archived = table.get("folder"), table.get("archived") is True
    named = folder if isinstance(folder, str) else ""
    return ImportRecord(where, key, document.fields, document.body, exact, named, archived)
