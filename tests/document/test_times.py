"""Days are read and written in one place; whole times are in tests/document/test_fields.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.each import each

import gitmem
from gitmem.document.times import format_day, parse_day
from gitmem.errors import FormatError

PACKAGE = Path(gitmem.__file__).parent


@each("day", ["1970-01-01", "2026-02-28", "2024-02-29", "9999-12-31"])
def test_day_is_written_as_it_was_read(day: str) -> None:
    assert format_day(parse_day(day)) == day
    assert format_day(parse_day(day) + 86_399) == day


@each("text", ["", "2026-02-29", "2026-13-01", "2026-1-1", "26-01-01", "2026-01-01T00:00:00Z", "today"])
def test_anything_else_is_no_day(text: str) -> None:
    with pytest.raises(FormatError, match="is not a day"):
        parse_day(text)


def test_other_forms_of_days_are_read_only_from_other_systems() -> None:
    own_way = re.compile(r"fromisoformat|strptime|%Y-%m-%d\"")
    found = [
        str(path.relative_to(PACKAGE))
        for path in sorted(PACKAGE.rglob("*.py"))
        if own_way.search(path.read_text(encoding="utf-8"))
    ]

    assert found == ["plugins/import_/times.py", "plugins/pull/documents.py"]
