"""Walk the rows of benchmarks/rows/README.md with real commands, and print what works and what is missing.

    python -m benchmarks.rows                     all of them
    python -m benchmarks.rows --only B4 --only D  one row, and all of the swarm
    python -m benchmarks.rows --write             also write the states into benchmarks/rows/README.md

Each row runs the installed gitmem in a repository and a home of its own. Exit status: 0 all of them work, 1 one does not.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from benchmarks.rows import Walked, load, select, walk, write_states

FEATURES = Path(__file__).with_name("README.md")


def main() -> int:
    """Walk the rows that the command line names."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.rows", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="a row or a letter (repeatable)")
    parser.add_argument("--json", action="store_true", help="print one JSON document, with every command")
    parser.add_argument("--write", action="store_true", help="write the states into benchmarks/rows/README.md")
    parser.add_argument("-v", "--verbose", action="store_true", help="also print every command")
    options = parser.parse_args()
    try:
        rows = select(load(), options.only)
    except KeyError as err:
        parser.error(f"no such row: {err.args[0]}")
    done = []
    for one in rows:
        done.append(walk(one))
        if not options.json:
            show(done[-1], lines=options.verbose)
    if options.write:
        states = {one.row.name: one.state for one in done}
        FEATURES.write_text(write_states(FEATURES.read_text("utf-8"), load(), states), "utf-8")
    partly = [one.row.name for one in done if one.missing]
    if options.json:
        print(json.dumps([as_table(one) for one in done], indent=2))
    else:
        print(f"{len(done) - len(partly)} of {len(done)} rows work, in {sum(one.seconds for one in done):.0f} s")
    return int(bool(partly))


def show(one: Walked, *, lines: bool) -> None:
    """Print a row: its id, its state, what the walk does, and what is missing."""
    print(
        f"{one.row.name:<4} {one.state:<7} {len(one.lines):>3} commands {one.seconds:5.1f} s  {one.row.about}",
        flush=True,
    )
    for line in one.lines if lines else ():
        print(f"       $ {line}")
    for what in one.missing:
        print(f"       missing: {what}")
    for what in one.untried:
        print(f"       not tried here: {what}")


def as_table(one: Walked) -> dict[str, object]:
    """Return a row as JSON can have it."""
    return {
        "row": one.row.name,
        "feature": one.row.feature,
        "state": one.state,
        "walk": one.row.about,
        "commands": one.lines,
        "missing": one.missing,
        "untried": one.untried,
        "seconds": round(one.seconds, 1),
    }


if __name__ == "__main__":
    sys.exit(main())
