"""Recorded figures: the tables of the README are those of the files, and a goal is judged by its own unit."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.each import each

from benchmarks import record, run

PROJECT = Path(__file__).parents[2]


def test_tables_of_the_pages_are_current() -> None:
    """To write them again: ``python -m benchmarks.record``."""
    texts = [page.read_text("utf-8") for page in record.PAGES]
    text = "".join(texts)

    assert [record.with_tables(one) for one in texts] == texts
    assert [
        path.stem for path in record.MEASURED.glob("*.jsonl") if f"<!-- measured: {path.stem} -->" not in text
    ] == []


def test_a_cell_has_one_value() -> None:
    cells = [
        str(value)
        for path in record.MEASURED.glob("*.jsonl")
        for row in record.read(path.stem)
        for key, value in row.items()
        if key != "what"
    ]

    assert [cell for cell in cells if len(cell) > 60 or ";" in cell] == []


def test_what_is_timed_has_a_row_with_the_same_goal() -> None:
    rows = {row["name"]: (row["at_most"], row["unit"]) for row in record.read("speed") if "at_most" in row}

    assert {one.name: (one.goal, one.unit) for one in run.choose((), short=False)}.items() <= rows.items()


def test_readme_and_changelog_are_read_in_minutes() -> None:
    assert sum((PROJECT / name).stat().st_size for name in ("benchmarks/README.md", "CHANGELOG.md")) <= 25_000


@each(
    ("figure", "goal", "measured", "reached"),
    [
        ({"at_most": 3, "unit": "Y", "measured": 2.9}, "≤ 3 Y", "2.9 Y", "yes"),
        ({"at_most": 5, "unit": "ms", "measured": 7, "cpu": 4}, "≤ 5 ms", "7 ms", "by CPU"),
        ({"at_least": 95, "unit": "%", "measured": 38, "of": 40}, "≥ 95 %", "38 of 40", "yes"),
        ({"at_least": 95, "unit": "%", "measured": 37, "of": 40}, "≥ 95 %", "37 of 40", "no"),
        ({"at_most": 0, "measured": 1, "of": 2000}, "0", "1 of 2,000", "no"),
        ({"measured": 4}, "", "4", ""),
        ({"at_most": 5, "unit": "s"}, "≤ 5 s", "", "no"),
    ],
)
def test_figure_is_judged_by_its_goal(figure: dict[str, Any], goal: str, measured: str, reached: str) -> None:
    text = record.table(
        [{"name": "x", "what": "x"} | figure, {"name": "y", "what": "y", "at_most": 1, "measured": 1, "cpu": 1}]
    )

    assert [cell.strip() for cell in text.splitlines()[2].split("|")][2:4] == [goal, measured]
    assert text.splitlines()[2].split("|")[-2].strip() == reached


def test_recorded_value_replaces_the_old_one_and_is_dated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(record, "MEASURED", tmp_path)
    record.write("speed", [{"name": "a", "what": "A", "measured": 1, "when": "2020-01-01"}, {"name": "b", "what": "B"}])

    record.record("speed", {"a": {"measured": 2, "of": 3}})

    a, b = record.read("speed")
    assert (a["measured"], a["of"], a["when"] > "2020-01-01", b) == (2, 3, True, {"name": "b", "what": "B"})
    with pytest.raises(record.UnknownFigureError, match=r"speed\.jsonl has no figure named c"):
        record.record("speed", {"c": {"measured": 1}})
