"""Read the JSON of ``gitmem check`` and ``gitmem status`` back as findings, without trusting it.

The JSON was written by a machine that ran a stranger's pull request. Values that do not have the documented type are
ignored, and strings are treated as plain text only.
"""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.index.catalog import ID_LETTERS
from gitmem.text import parse_json
from gitmem.verify.overview.finding import (
    BROKEN,
    ERROR,
    FAILED,
    MENDED,
    NOTE,
    OUTDATED,
    OUTSIDE,
    RETIRED,
    SILENCED,
    STILL,
    SUSPECT,
    UNCHECKED,
    WARNING,
    WRONG,
    FactFinding,
    FindingRow,
    Findings,
    FindingSection,
    Spot,
    StatedLine,
    in_order,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# The JSON lists of findings, and the kind of each.
LISTS = {
    "newly_false": BROKEN,
    "wrong_verdicts": WRONG,
    "silenced": SILENCED,
    "suspect": SUSPECT,
    "unchecked": UNCHECKED,
    "still_false": STILL,
    "outside": OUTSIDE,
    "newly_true": MENDED,
    "outdated": OUTDATED,
    "retired": RETIRED,
}
# Limits: items read of each list; places read of one finding; the largest accepted line number.
READ_AT_MOST = 5_000
PLACES, MOST = 20, 10_000_000


def parse_check(text: str) -> Findings | None:
    """Return the findings in the output of ``gitmem check --json``; None if the text is not such a document."""
    table = parse_table(text, *LISTS)
    if table is None:
        return None
    findings = [_finding(row, kind) for name, kind in LISTS.items() for row in _rows(table[name])]
    untouched = tuple((_text(row, "key"), _text(row, "because")) for row in _rows(table.get("untouched")))
    return Findings(
        "check",
        _text(table, "summary"),
        in_order(findings),
        _text(table, "head"),
        _text(table, "base"),
        0,
        _texts(table.get("notes")),
        untouched,
        tuple(filter(None, (_section(row) for row in _rows(table.get("sections"))))),
        _text(table, "memory"),
        _number(table, "holds"),
    )


def parse_status(table: Mapping[str, Any]) -> Findings:
    """Return the failed facts and suspect memories in the JSON of ``gitmem status``."""
    failed = [_finding(row, FAILED) for row in _rows(table.get("failed"))]
    resting = [
        replace(_finding(row, SUSPECT), because="", chain=_texts(row.get("chain")))
        for row in _rows(table.get("suspect"))
    ]
    statuses = table.get("statuses")
    held = _number(statuses, "verified") if isinstance(statuses, dict) else 0
    return Findings("status", "", in_order([*failed, *resting]), "", "", 0, memory=_text(table, "commit"), held=held)


def parse_adopt(table: Mapping[str, Any]) -> Findings:
    """Return the false statements of documents in the JSON of ``gitmem adopt``."""
    rows = tuple(
        FindingRow(_statement(row), "", _text(row, "path"), _number(row, "line")) for row in _rows(table["false"])
    )
    sections = (FindingSection("False statements in documents", ERROR, rows, is_first=True),) if rows else ()
    return Findings("adopt", "", (), _text(table, "commit"), _text(table, "base"), 0, sections=sections)


def _statement(row: Mapping[str, Any]) -> str:
    """Describe what is wrong with one statement, in the words of ``gitmem adopt``, and since when."""
    token, where, actual, kind = (_text(row, name) for name in ("token", "evidence", "actual", "kind"))
    wrong = {"path": "does not exist", "command": "is not defined", "symbol": "is not in the code"}.get(kind, "")
    if home := _text(row, "home"):
        wrong = f"is not defined in {home}"
    statement = f"{token} {wrong}" if wrong else f"says {token}, but {where or 'the code'} says {actual}"
    culprit = row.get("culprit")
    since = (
        f"; since {_text(culprit, 'commit')[:12]} “{_text(culprit, 'subject')}”" if isinstance(culprit, dict) else ""
    )
    advice = _text(row, "advice")
    return statement + since + (f"; {advice}" if advice else "")


def parse_table(text: str, *lists: str) -> dict[str, Any] | None:
    """Parse a JSON document that must have these lists; return None if it does not."""
    try:
        table = parse_json(text)
    except (ValueError, RecursionError):
        return None
    return table if isinstance(table, dict) and all(isinstance(table.get(name), list) for name in lists) else None


def _finding(row: Mapping[str, Any], kind: str) -> FactFinding:
    path, short_id = _text(row, "path"), _text(row, "short_id")
    chain = row.get("because") if kind == SUSPECT else None
    places = tuple(Spot(_text(one, "path"), _number(one, "line")) for one in _rows(row.get("changed")))[:PLACES]
    line = _number(row, "line")
    return FactFinding(
        _text(row, "key"),
        _text(row, "title"),
        kind,
        _text(row, "because"),
        _text(row, "by"),
        Spot(path, line) if line else None,
        places,
        path,
        chain=_texts(chain),
        is_new=row.get("new") is True,
        culprit=_text(row, "culprit"),
        culprit_after=_text(row, "culprit_after"),
        stated=tuple(_stated_line(one) for one in _rows(row.get("stated")))[:PLACES],
        short_id=short_id if ID_LETTERS.issuperset(short_id) else "",
    )


def _stated_line(row: Mapping[str, Any]) -> StatedLine:
    return StatedLine(
        Spot(_text(row, "path"), _number(row, "line")),
        _text(row, "text"),
        _text(row, "contradicted_by"),
        _text(row, "corrected"),
        row.get("in_diff") is True,
        _span(row.get("remove")),
    )


def _span(ends: object) -> range:
    """Return the lines of a pair of first and last line; empty if the value is not such a pair."""
    if not isinstance(ends, list) or len(ends) != 2 or not all(type(end) is int and 0 < end <= MOST for end in ends):
        return range(0)
    return range(ends[0], ends[1] + 1)


def _section(row: Mapping[str, Any]) -> FindingSection | None:
    rows = tuple(
        FindingRow(_text(one, "text"), _text(one, "key"), _text(one, "path"), _number(one, "line"), _text(one, "code"))
        for one in _rows(row.get("rows"))
    )
    level = row.get("level") if row.get("level") in (ERROR, WARNING, NOTE) else WARNING
    heading = _text(row, "heading")
    if not rows or not heading:
        return None
    return FindingSection(heading, str(level), rows, row.get("first") is True, _text(row, "memory"))


def section_table(section: FindingSection) -> dict[str, Any]:
    """Return a section as the documented JSON."""
    rows = [{"text": r.text, "key": r.key, "path": r.path, "line": r.line, "code": r.code} for r in section.rows]
    table: dict[str, Any] = {"heading": section.heading, "level": section.level}
    return table | {"first": section.is_first, "memory": section.memory, "rows": rows}


def _rows(value: object) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects of a list."""
    if isinstance(value, list):
        yield from (row for row in value[:READ_AT_MOST] if isinstance(row, dict))


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    return tuple(path for path in value[:PLACES] if isinstance(path, str)) if isinstance(value, list) else ()


def _number(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST else 0
