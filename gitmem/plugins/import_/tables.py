"""Read memories from a table with a header: CSV, and TSV; each row is one.

Sources: RFC 4180; Notion's and spreadsheets' exports, which begin with a byte order mark; Excel, which writes the list
separator of the country, and reads it from a first line ``sep=;``.
"""

from __future__ import annotations

import csv
import io
import re

from gitmem.plugins.import_.encodings import to_utf8
from gitmem.plugins.import_.fields import ImportRecord, Unreadable, from_table, has_text
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

TABLES = (".csv", ".tsv")
# The most bytes of a table, as of a JSON value.
LIMIT = 64 << 20
# A first line with which Excel names what separates cells: a sign that no word, quote or line break needs.
_NAMED_SIGN = re.compile(r'sep=([^\w\s"\0]|\t)\r?\n', re.I)
_QUOTED = re.compile(r'"[^"]*"')


def read_table(path: str, kind: str) -> Iterator[ImportRecord | Unreadable]:
    """Yield the memory in each row of a table, or the reason why there is none; empty rows only count.

    Args:
        path: The file, which is read as a whole.
        kind: The kind if a row names none.
    """
    try:
        with open(path, "rb", opener=only_regular) as file:
            data, _ = to_utf8(file.read(LIMIT + 1))
    except OSError as err:
        yield Unreadable(path, str(err.strerror))
        return
    if len(data) > LIMIT:
        yield Unreadable(path, f"the table is larger than {LIMIT >> 20} MiB")
        return
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    csv.field_size_limit(LIMIT)  # by default 128 KiB: the first longer cell would end the table
    named = _NAMED_SIGN.match(text)
    body, sign, skipped = (text[named.end() :], named[1], 1) if named else (text, _delimiter(path, text), 0)
    rows = csv.reader(io.StringIO(body, newline=""), delimiter=sign)
    header: list[str] = []
    last: list[str] = []
    where, before = path, skipped
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                before = rows.line_num + skipped
                continue
            where, before, last = f"{path}:{before + 1}", rows.line_num + skipped, row
            if header:
                yield from_table(_cells(header, row), where=where, kind=kind)
            else:
                header = [_name(cell, number) for number, cell in enumerate(row, 1)]
                if not has_text(header):
                    yield Unreadable(
                        where,
                        "no column has the name of a text or a title: cells with several words became texts",
                        is_skipped=True,
                    )
    except csv.Error as err:
        yield Unreadable(f"{path}:{rows.line_num + skipped}", f"it is not a table: {err}")
    if any("\n" in cell for cell in last) and _is_open(body, sign):
        yield Unreadable(where, "a quote is not closed: the lines below it became part of this row")


def _is_open(text: str, sign: str) -> bool:
    """Return whether a quote is open at the end of a table."""
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=sign, strict=True):
            pass
    except csv.Error as err:
        return "unexpected end" in str(err)
    return False


def _delimiter(path: str, text: str) -> str:
    """Return what separates cells: Excel writes semicolons where the comma is the decimal mark."""
    if path.lower().endswith(".tsv"):
        return "\t"
    first = _QUOTED.sub("", text.lstrip("\r\n").partition("\n")[0])
    return max(",;\t|", key=first.count)  # of several, the first one


def _name(text: str, number: int) -> str:
    return "_".join(text.lower().split()) or f"column_{number}"


def _cells(header: list[str], row: list[str]) -> dict[str, object]:
    """Return a row as fields; what is beyond the header, and a repeated column, has a name of its own."""
    cells: dict[str, object] = {}
    for number, cell in enumerate(row, 1):
        name = header[number - 1] if number <= len(header) else f"column_{number}"
        while name in cells:
            name = f"{name}_{number}"
        cells[name] = cell.strip()
    tags = cells.get("tags")
    return cells | ({"tags": tags.replace(";", ",")} if isinstance(tags, str) else {})
