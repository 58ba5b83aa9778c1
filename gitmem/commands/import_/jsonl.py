"""Read memories from JSONL, one JSON object per line: gitmem's own export, beadboard's log, and similar files.

The file cannot do harm: a line is read up to a bound, and anything but an object is one bad line.
"""

from __future__ import annotations

import json

from gitmem.commands.import_.fields import ImportRecord, Unreadable, from_table
from gitmem.commands.import_.trackers import is_issue, read_issue
from gitmem.document.format import format as format_document
from gitmem.document.parse import parse
from gitmem.errors import FormatError
from gitmem.frozen import replace
from gitmem.store import layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO, Any

# A memory of 64 KiB in which every byte needs an escape of six, twice (as text and in its fields).
LINE_LIMIT = 1 << 20
_BOM = b"\xef\xbb\xbf"


def read_jsonl(
    file: IO[bytes], *, name: str, kind: str, is_archive: bool = False
) -> Iterator[ImportRecord | Unreadable]:
    """Yield the memories of each line, or the reason why there are none; empty lines only count.

    Args:
        file: An open file.
        name: Its name in reports.
        kind: The kind if a memory names none.
        is_archive: Whether its memories were archived by rotation, and stay archived (A8).
    """
    number = 0
    while line := file.readline(LINE_LIMIT + 1):
        number += 1
        where = f"{name}:{number}"
        if number == 1:
            if b"\0" in line:
                yield Unreadable(name, "it is not text")
                return
            line = line.removeprefix(_BOM)
        if len(line) > LINE_LIMIT and not line.endswith(b"\n"):
            while (rest := file.readline(LINE_LIMIT)) and not rest.endswith(b"\n"):
                pass
            yield Unreadable(where, f"the line is longer than {LINE_LIMIT} bytes")
        elif stripped := line.strip():
            for found in _read_line(stripped, where, kind):
                is_old = is_archive and isinstance(found, ImportRecord) and not found.text
                yield replace(found, archived=True) if is_old else found


def _read_line(line: bytes, where: str, kind: str) -> Iterable[ImportRecord | Unreadable]:
    try:
        found = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        return [Unreadable(where, "it is not UTF-8")]
    except RecursionError:
        return [Unreadable(where, "it is nested too deeply")]
    except ValueError as err:
        message = getattr(err, "msg", "") or "a number has too many digits"
        return [Unreadable(where, f"it is not JSON: {message}")]
    if not isinstance(found, dict):
        return [Unreadable(where, "it is not a JSON object")]
    if is_issue(found):
        return read_issue(found, where=where)
    return [_of_ours(found, where) or from_table(found, where=where, kind=kind)]


def _refuse_constant(name: str) -> None:
    raise json.JSONDecodeError(f"{name} is not a number", "", 0)


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
