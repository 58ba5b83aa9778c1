"""The client: every command once a round, medians, and no figure for work that was not done."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from benchmarks.measure import BenchmarkError, Command, Figures, measure, python_start, ratio, table


def python(name: str, code: str, cwd: Path, **more: object) -> Command:
    return Command(name, lambda number: [sys.executable, "-c", code, str(number)], cwd, **more)  # type: ignore[arg-type]


def test_commands_take_turns_and_the_warm_up_does_not_count(tmp_path: Path) -> None:
    note = "import sys; open('log', 'a').write('{} ' + sys.argv[1] + '\\n')"

    figures = measure(
        [python("a", note.format("a"), tmp_path), python("b", note.format("b"), tmp_path)], rounds=2, env=os.environ
    )

    assert (tmp_path / "log").read_text().split("\n")[:-1] == ["a 0", "b 0", "a 1", "b 1", "a 2", "b 2"]
    assert [len(one.wall_s) for one in figures.values()] == [2, 2]


@pytest.mark.whole_system
def test_time_and_memory_are_those_of_the_command(tmp_path: Path) -> None:
    commands = [
        python_start(tmp_path),
        python("sleeps", "import time; time.sleep(0.2)", tmp_path),
        python("works", "sum(range(10_000_000))", tmp_path),
        python("grows", "b'x' * 200_000_000", tmp_path),
    ]

    figures = measure(commands, rounds=1, env=os.environ, warm_up=0)

    assert figures["sleeps"].median_s() > 0.2 > figures["sleeps"].median_cpu_s()
    assert figures["works"].median_cpu_s() > figures["Y"].median_cpu_s()
    assert figures["grows"].peak_mb() > 200 > figures["Y"].peak_mb()


def test_before_and_after_run_around_each_round(tmp_path: Path) -> None:
    seen: list[str] = []
    command = python(
        "a", "pass", tmp_path, before=lambda n: seen.append(f"before {n}"), after=lambda n: seen.append(f"after {n}")
    )

    measure([command], rounds=1, env=os.environ)

    assert seen == ["before 0", "after 0", "before 1", "after 1"]


@pytest.mark.parametrize(
    ("code", "more", "message"),
    [
        ("raise SystemExit('no such store')", {}, "no such store"),
        ("pass", {"says_something": True}, "wrote nothing"),
        ("pass", {"ok": (1,)}, "ended with 0"),
    ],
    ids=["fails", "silent", "unexpected success"],
)
def test_work_that_was_not_done_is_no_figure(tmp_path: Path, code: str, more: dict[str, object], message: str) -> None:
    with pytest.raises(BenchmarkError, match=message):
        measure([python("a", code, tmp_path, **more)], rounds=1, env=os.environ)


def test_ratio_is_of_medians() -> None:
    figures = {"a": Figures(wall_s=[9.0, 2.0, 1.0]), "Y": Figures(wall_s=[0.5, 4.0, 1.0])}

    assert ratio(figures, "a") == 2.0


def test_table_is_markdown_with_aligned_columns() -> None:
    text = table(("name", "ms"), [("recall", "9.5"), ("Y", "12.25")])

    assert text.split("\n") == ["| name   | ms    |", "|--------|-------|", "| recall | 9.5   |", "| Y      | 12.25 |"]
