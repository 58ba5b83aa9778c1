"""Time whole processes, round-robin in one loop, so that a busy moment of the machine affects every command alike.

Each round runs every command once. Figures are medians (and minima) of wall time, CPU time and peak memory; only
ratios within one run are published, above all against Y, the same virtual environment's ``python -c pass``.
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

LAUNCH = Path(__file__).parent / "launch.py"


@dataclass(frozen=True)
class Command:
    """One program to time.

    Attributes:
        name: What the figures are found by.
        argv: The program and its arguments, in the round of this number (from 0).
        cwd: Where it runs.
        ok: Exit statuses that count as done; any other one ends the benchmark.
        before: Run before each round, outside the time.
        after: Run after each round, outside the time; raises ``BenchmarkError`` where the work was not done.
        stdin: A file it reads; nothing by default.
        says_something: Whether it must write to stdout: a reader that finds nothing is not measured by mistake.
    """

    name: str
    argv: Callable[[int], Sequence[str]]
    cwd: Path
    ok: tuple[int, ...] = (0,)
    before: Callable[[int], None] | None = None
    after: Callable[[int], None] | None = None
    stdin: Path | None = None
    says_something: bool = False


@dataclass
class Figures:
    """What one command took, a value per round.

    Attributes:
        wall_s: Seconds from before it was started until it was gone.
        cpu_s: Seconds of user and system time, of it and of the children it waited for.
        peak_kib: The largest resident set of it or one of its children, in KiB (getrusage(2), ``ru_maxrss``); never
            less than that of ``launch``, which starts it.
    """

    wall_s: list[float] = field(default_factory=list)
    cpu_s: list[float] = field(default_factory=list)
    peak_kib: list[int] = field(default_factory=list)

    def median_s(self) -> float:
        """Return the median wall time."""
        return statistics.median(self.wall_s)

    def min_s(self) -> float:
        """Return the least wall time: the least disturbed round."""
        return min(self.wall_s)

    def median_cpu_s(self) -> float:
        """Return the median CPU time: what noise of other processes changes least."""
        return statistics.median(self.cpu_s)

    def peak_mb(self) -> float:
        """Return the largest peak of all rounds, in MB of 10^6 bytes."""
        return max(self.peak_kib) * 1024 / 1e6


class BenchmarkError(Exception):
    """A command that should be timed did not do its work."""


def python_start(cwd: Path) -> Command:
    """Return Y: the start of this virtual environment's Python, with its site but without any work."""
    return Command("Y", lambda _: [sys.executable, "-c", "pass"], cwd)


def measure(
    commands: Iterable[Command], *, rounds: int, env: Mapping[str, str], warm_up: int = 1
) -> dict[str, Figures]:
    """Run every command once a round, in turn, and return the figures by name.

    Args:
        commands: What to time; names must differ.
        rounds: How many rounds count, >= 1.
        env: The environment of every command.
        warm_up: Rounds before them that do not count: they fill the page cache and the byte code.

    Raises:
        BenchmarkError: A command ended with another status than expected, or was silent.
    """
    commands = list(commands)
    figures = {command.name: Figures() for command in commands}
    assert len(figures) == len(commands), "names must differ"
    for number in range(warm_up + rounds):
        for command in commands:
            wall, cpu, peak = run_once(command, number, env=env)
            if number >= warm_up:
                figures[command.name].wall_s.append(wall)
                figures[command.name].cpu_s.append(cpu)
                figures[command.name].peak_kib.append(peak)
    return figures


def run_once(command: Command, number: int, *, env: Mapping[str, str]) -> tuple[float, float, int]:
    """Run one command in the round of this number; return wall seconds, CPU seconds and peak KiB.

    Raises:
        BenchmarkError: It ended with another status than expected, or was silent.
    """
    if command.before:
        command.before(number)
    argv = list(command.argv(number))
    program = shutil.which(argv[0])
    if not program:
        raise BenchmarkError(f"{command.name}: {argv[0]} is not installed")
    # Files, not pipes: nobody has to read while the clock runs, and some tools do less work for /dev/null.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.NamedTemporaryFile() as report:
        launch = [sys.executable, "-I", "-S", str(LAUNCH), report.name, program, *argv[1:]]
        with open(command.stdin or os.devnull, "rb") as stdin:
            subprocess.run(launch, cwd=command.cwd, env=env, stdin=stdin, stdout=out, stderr=err, check=False)
        code, wall, cpu, peak = report.read().split() or (b"127", b"0", b"0", b"0")
        if int(code) not in command.ok:
            err.seek(0)
            said = err.read()[-2000:].decode(errors="replace")
            raise BenchmarkError(f"{command.name}: {argv} ended with {int(code)}\n{said}")
        if command.says_something and out.seek(0, os.SEEK_END) == 0:
            raise BenchmarkError(f"{command.name}: {argv} wrote nothing")
    if command.after:
        command.after(number)
    return float(wall), float(cpu), int(peak)


def ratio(figures: Mapping[str, Figures], what: str, against: str = "Y") -> float:
    """Return the ratio of two medians of wall time."""
    return figures[what].median_s() / figures[against].median_s()


def cpu_ratio(figures: Mapping[str, Figures], what: str, against: str = "Y") -> float:
    """Return the ratio of two medians of CPU time."""
    return figures[what].median_cpu_s() / figures[against].median_cpu_s()


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table, its columns aligned as text too."""
    cells = [list(head), *[list(row) for row in rows]]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["| " + " | ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) + " |" for row in cells]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def timings(figures: Mapping[str, Figures]) -> str:
    """Return every command's own figures as a Markdown table."""
    return table(
        ("command", "median ms", "min ms", "CPU ms", "peak MB", "Y", "Y by CPU"),
        (
            (
                name,
                f"{one.median_s() * 1e3:.1f}",
                f"{one.min_s() * 1e3:.1f}",
                f"{one.median_cpu_s() * 1e3:.1f}",
                f"{one.peak_mb():.0f}",
                f"{ratio(figures, name):.2f}" if "Y" in figures else "",
                f"{cpu_ratio(figures, name):.2f}" if "Y" in figures else "",
            )
            for name, one in figures.items()
        ),
    )
