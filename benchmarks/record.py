"""Record a figure, and write the tables of benchmarks/README.md and hub.md from all that are recorded.

    python -m benchmarks.record                                    write the tables again
    python -m benchmarks.record adopt half-two-found 72 --of 82    record a figure of today, then write the tables

Each file `measured/SECTION.jsonl` is a table, with a row a line. A row with a `name` is a figure:

    what                  what was measured, for a reader
    at_most or at_least   its goal, in `unit`; a row without one is only shown
    measured, of          the value; with `of` it is a part of so many, and a goal in % is compared with the share
    cpu                   the same by CPU time, which a busy machine changes less
    when                  the day

A new figure is a new line, with `name` and `what`. Rows without a `name` compare several things: their keys are the
columns. Runners that have a `--write` call `record` themselves.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
MEASURED = FOLDER / "measured"
README = FOLDER / "README.md"
PAGES = (README, FOLDER / "hub.md")
_TABLE = re.compile(r"(?s)(<!-- measured: ([a-z-]+) -->\n).*?(<!-- end -->)")


class UnknownFigureError(Exception):
    """No line of a section has the name of a figure."""


def read(section: str) -> list[dict[str, Any]]:
    """Return the rows of a section, in the order of its file."""
    return [json.loads(line) for line in (MEASURED / f"{section}.jsonl").read_text("utf-8").splitlines()]


def record(section: str, values: Mapping[str, Mapping[str, Any]]) -> None:
    """Record figures of a section by their names; each value has `measured`, and may have `of` and `cpu`.

    Raises:
        UnknownFigureError: The section has no figure of a name.
    """
    rows = read(section)
    if unknown := values.keys() - {row.get("name") for row in rows}:
        raise UnknownFigureError(f"{section}.jsonl has no figure named {', '.join(sorted(unknown))}: add a line for it")
    today = datetime.now(UTC).date().isoformat()
    for row in rows:
        if value := values.get(row.get("name", "")):
            row.update(value, when=today)
    write(section, rows)


def write(section: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Replace all rows of a section."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (MEASURED / f"{section}.jsonl").write_text(text, "utf-8")


def is_reached(figure: Mapping[str, Any], value: float) -> bool:
    """Return whether a value reaches the goal of a figure that has one."""
    compared = 100 * value / figure["of"] if figure.get("unit") == "%" and figure.get("of") else value
    return bool(compared <= figure["at_most"] if "at_most" in figure else compared >= figure["at_least"])


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a section as a Markdown table."""
    if any("name" not in row for row in rows):
        head = list(rows[0])
        cells = [[str(row.get(column, "")) for column in head] for row in rows]
    else:
        head = ["figure", "goal", "measured", "CPU", "reached"]
        cells = [_cells(row) for row in rows]
        unused = [column for column in range(len(head)) if not any(row[column] for row in cells)]
        head, *cells = [[cell for n, cell in enumerate(row) if n not in unused] for row in (head, *cells)]
    lines = [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *cells)]
    days = sorted({row["when"] for row in rows if "when" in row})
    return (
        "\n".join([*lines, *(["", f"Measured {' to '.join(dict.fromkeys((days[0], days[-1])))}."] if days else [])])
        + "\n"
    )


def _cells(figure: Mapping[str, Any]) -> list[str]:
    unit = f" {figure['unit']}" if figure.get("unit") else ""
    goal, reached = "", ""
    if has_goal := {"at_most", "at_least"} & figure.keys():
        bound = figure[has_goal.pop()]
        goal = f"{'≤' if 'at_most' in figure else '≥'} {bound:,}{unit}" if bound else "0"
        values = {"yes": figure.get("measured"), "by CPU": figure.get("cpu")}
        reached = next((how for how, one in values.items() if one is not None and is_reached(figure, one)), "no")
    measured = ""
    if "measured" in figure:
        part = f" of {figure['of']:,}" if figure.get("of") else unit
        measured = f"{figure['measured']:,}{part}"
    cpu = f"{figure['cpu']:,}{unit}" if "cpu" in figure else ""
    return [figure["what"], goal, measured, cpu, reached]


def with_tables(text: str) -> str:
    """Return a page with every table as the rows of its section say."""
    return _TABLE.sub(lambda found: f"{found[1]}{table(read(found[2]))}{found[3]}", text)


def main(argv: Sequence[str] | None = None) -> int:
    """Record what the command line says, and write the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.record", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("section", nargs="?", choices=sorted(path.stem for path in MEASURED.glob("*.jsonl")))
    parser.add_argument("name", nargs="?", help="the figure")
    parser.add_argument("value", nargs="?", type=_number)
    parser.add_argument("--of", type=int, help="of how many")
    parser.add_argument("--cpu", type=_number, help="the same by CPU time")
    options = parser.parse_args(argv)
    if options.section:
        if options.value is None:
            parser.error("SECTION, NAME and VALUE belong together")
        value = {"measured": options.value, "of": options.of, "cpu": options.cpu}
        try:
            record(options.section, {options.name: {key: one for key, one in value.items() if one is not None}})
        except UnknownFigureError as err:
            parser.error(str(err))
    for page in PAGES:
        page.write_text(with_tables(page.read_text("utf-8")), "utf-8")
    return 0


def _number(text: str) -> float:
    return int(text) if text.lstrip("-").isdigit() else float(text)


if __name__ == "__main__":
    sys.exit(main())
