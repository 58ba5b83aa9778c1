"""Measure what gitmem promises about speed, as ratios within one run, and print the table of goals.

    python benchmarks/run.py                   every figure (some minutes; needs about 500 MB under TMPDIR)
    python benchmarks/run.py --short           without the store of 100,000, few rounds: under 90 seconds
    python benchmarks/run.py --only recall-10k one figure
    python benchmarks/run.py --dir /tmp/b      keep the stores there and use them again

Exits 0 when everything could be measured, 1 with ``--strict`` when a goal was missed, 2 when something did not run.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import meaning, measure, record
from benchmarks.commands import bytes_added, command
from benchmarks.figures import CHECKS, GROUPS, MEANING, OBJECTS, PROVING, WARM, WHOOSH, Figure
from benchmarks.measure import BenchmarkError, Figures
from benchmarks.stores import Stores, gitmem, say, versions


@dataclass(frozen=True)
class Measured:
    """A figure and what came of it.

    Attributes:
        figure: The row.
        value: What was measured, in the figure's unit.
        by_cpu: The same by CPU time, for ratios against Y; for a check, as a ratio to the plain shell; else empty.
    """

    figure: Figure
    value: float
    by_cpu: str = ""

    def reached(self) -> bool:
        """Return whether the goal was reached."""
        return self.value <= self.figure.goal

    def as_recorded(self) -> dict[str, float]:
        """Return the value, and the one by CPU time where it has the figure's unit, as `record` takes them."""
        cpu, _, unit = self.by_cpu.partition(" ")
        by_cpu = {"cpu": round(float(cpu), 1)} if unit == self.figure.unit else {}
        return {"measured": round(self.value, 2 if self.value < 1 else 1)} | by_cpu


def run(stores: Stores, wanted: Sequence[Figure], *, short: bool) -> tuple[list[Measured], list[dict[str, Figures]]]:
    """Measure the wanted figures; return them, and every command's own figures, by group."""
    results: list[Measured] = []
    groups: list[dict[str, Figures]] = []
    for group, rounds, few in GROUPS:
        chosen = [figure for figure in group if figure in wanted]
        if not chosen:
            continue
        names = dict.fromkeys(name for figure in chosen for name in figure.commands)
        commands = [command(name, stores) for name in names]
        start = measure.python_start(stores.folder)
        warm_up = 0 if chosen[0] in PROVING else 1
        say(f"timing {', '.join(names)}")
        figures = measure.measure([start, *commands], rounds=few if short else rounds, env=stores.env, warm_up=warm_up)
        results += [_measured(figure, figures) for figure in chosen]
        groups.append(figures)
    if chosen := [figure for figure in WHOOSH if figure in wanted]:
        say("timing the Whoosh index")
        script = [sys.executable, str(Path(__file__).with_name("whoosh_index.py")), str(stores.path("1k"))]
        spent = json.loads(stores.run([*script, "3" if short else "9"], stores.folder))
        results += [_spent(figure, spent[figure.name.removeprefix("whoosh-")]) for figure in chosen]
    results += [_warm(stores, figure, "60" if short else "200") for figure in WARM if figure in wanted]
    if chosen := [figure for figure in MEANING if figure in wanted]:
        say("embedding 100,000 memories, and timing recall by meaning")
        results += [_more(figure, meaning.measure(stores, "100k", 7 if short else 15)) for figure in chosen]
    if chosen := [figure for figure in CHECKS if figure in wanted]:
        say("timing checks")
        script = [sys.executable, str(Path(__file__).with_name("overhead.py")), str(stores.path("1k"))]
        took = json.loads(stores.run([*script, "15" if short else "40"], stores.folder))
        for figure in chosen:
            way = took.get(figure.name.removeprefix("check-"))
            if way is None:
                say(f"{figure.name}: this machine cannot")
                continue
            more = statistics.median(way) - statistics.median(took["plain"])
            results.append(
                Measured(figure, more * 1e3, f"{statistics.median(way) / statistics.median(took['plain']):.1f} x")
            )
    if OBJECTS in wanted:
        results.append(Measured(OBJECTS, bytes_added(stores)))
    return results, groups


def _measured(figure: Figure, figures: Mapping[str, Figures]) -> Measured:
    by_cpu = measure.cpu_ratio(figures, figure.commands[0]) if figure.unit == "Y" else 0.0
    return Measured(figure, figure.value(figures), f"{by_cpu:.2f} Y" if by_cpu else "")


def _warm(stores: Stores, figure: Figure, rounds: str) -> Measured:
    """Return a figure of a process that has been asked before: one of a hundred questions, by the clock and of CPU."""
    store, engine, percent = WARM[figure]
    path = stores.path(store)
    if engine == "whoosh":
        stores.run([gitmem(), "index", "--engine", "whoosh"], path)
    say(f"timing warm recalls, {store}, {engine}")
    script = [sys.executable, str(Path(__file__).with_name("inside.py")), str(path), rounds, "--warm", engine]
    spent = json.loads(stores.run(script, stores.folder))
    wall, cpu = (statistics.quantiles(one, n=100)[percent - 1] * 1e3 for one in zip(*spent, strict=True))
    return Measured(figure, wall, f"{cpu:.2f} ms")


def _spent(figure: Figure, rounds: Sequence[tuple[float, float]]) -> Measured:
    """Return a figure of seconds by the clock and of CPU."""
    wall, cpu = (statistics.median(one) * (1e3 if figure.unit == "ms" else 1) for one in zip(*rounds, strict=True))
    return Measured(figure, wall, f"{cpu:.2f} {figure.unit}")


def _more(figure: Figure, spent: Mapping[str, Sequence[tuple[float, float]]]) -> Measured:
    """Return what recall by meaning takes more than the parts that are not of its search, by the clock and of CPU."""
    rounds = zip(spent["hybrid"], spent["lexical"], spent["query"], strict=True)
    more = [tuple(h - le - q for h, le, q in zip(*one, strict=True)) for one in rounds]
    wall, cpu = (statistics.median(one) * 1e3 for one in zip(*more, strict=True))
    return Measured(figure, wall, f"{cpu:.1f} ms")


def report(results: Sequence[Measured]) -> str:
    """Return the table of goals as Markdown."""
    return measure.table(
        ("name", "what", "at most", "measured", "by CPU", "reached"),
        (
            (
                one.figure.name,
                one.figure.what,
                f"{one.figure.goal:g} {one.figure.unit}",
                f"{one.value:.2f} {one.figure.unit}",
                one.by_cpu,
                "yes" if one.reached() else "NO",
            )
            for one in results
        ),
    )


def inside(stores: Stores, start_s: float, *, short: bool) -> str:
    """Return the table of what operations take inside one process; *start_s* is Y of the same run, in seconds."""
    rows = []
    for size in ("10k",) if short else ("10k", "100k"):
        path = str(stores.path(size))
        say(f"timing operations inside one process, {size}")
        script = [sys.executable, str(Path(__file__).with_name("inside.py")), path, "7" if short else "25"]
        for name, seconds in json.loads(stores.run(script, stores.folder)).items():
            middle = statistics.median(seconds)
            rows.append((name, size, f"{middle * 1e3:.2f}", f"{min(seconds) * 1e3:.2f}", f"{middle / start_s:.2f}"))
    return measure.table(("inside one process", "memories", "median ms", "min ms", "Y"), rows)


def choose(only: Sequence[str], *, short: bool) -> list[Figure]:
    """Return the figures to measure: those named, or all (without the large store for a short run)."""
    figures = [*(figure for group, _, _ in GROUPS for figure in group), *WHOOSH, *MEANING, *WARM, *CHECKS, OBJECTS]
    if not shutil.which("rg"):
        say("ripgrep is not installed: nothing is compared with it")
        figures = [figure for figure in figures if "rg-10k" not in figure.commands]
    if only:
        return [figure for figure in figures if figure.name in only]
    return [figure for figure in figures if not (short and figure.large)]


def main() -> int:
    """Measure what the command line asks for and print it."""
    names = [figure.name for group, _, _ in GROUPS for figure in group]
    names += [figure.name for figure in (*WHOOSH, *MEANING, *WARM, *CHECKS, OBJECTS)]
    parser = argparse.ArgumentParser(description="Measure gitmem against its goals.")
    parser.add_argument("--short", action="store_true", help="1,000 and 10,000 memories only, few rounds")
    parser.add_argument("--only", action="append", default=[], choices=names, help="one figure; may be repeated")
    parser.add_argument("--dir", type=Path, help="where the stores are made and kept; else a folder that is removed")
    parser.add_argument("--write", action="store_true", help="record the figures in measured/speed.jsonl")
    parser.add_argument("--strict", action="store_true", help="exit 1 when a goal was missed")
    options = parser.parse_args()
    folder = options.dir or Path(tempfile.mkdtemp(prefix="gitmem-benchmarks-"))
    try:
        stores = Stores(folder.resolve())
        results, groups = run(stores, choose(options.only, short=options.short), short=options.short)
        within = "" if options.only else inside(stores, groups[0]["Y"].median_s(), short=options.short)
    except BenchmarkError as err:
        print(f"benchmarks: {err}", file=sys.stderr)
        return 2
    finally:
        if not options.dir:
            shutil.rmtree(folder, ignore_errors=True)
    if options.write:
        record.record("speed", {one.figure.name: one.as_recorded() for one in results})
        record.main([])
    print(f"{versions(stores.env)}\n\n{report(results)}\n")
    for figures in groups:
        print(f"{measure.timings(figures)}\n")
    print(within)
    return 1 if options.strict and not all(one.reached() for one in results) else 0


if __name__ == "__main__":
    sys.exit(main())
