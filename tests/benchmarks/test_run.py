"""The table of goals: what is chosen and printed, and that every command it times does its work."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from benchmarks import commands, generate, jobs, measure, past, run, stores
from benchmarks.figures import WARM, WHOOSH
from benchmarks.measure import Figures

FIGURES = run.choose((), short=False)
NAMES = sorted({name for figure in FIGURES for name in figure.commands if "100k" not in name and "writers" not in name})


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[stores.Stores]:
    """Return small stores, each made when a test first asks for it."""
    with pytest.MonkeyPatch.context() as patch:
        sizes = {"1k": (50, generate.MIX), "10k": (60, generate.MIX), "tasks": (60, generate.TASKS_ONLY)}
        sizes |= dict.fromkeys(("facts", "facts-1k", "jobs"), (20, generate.FACTS_ONLY))
        patch.setattr(stores, "STORES", sizes)
        patch.setattr(jobs, "STORES", sizes)
        patch.setattr(stores, "CODE_FILES", 40)
        patch.setattr(past, "BACK", 20)
        patch.setattr(past, "COMMITS", past.BACK + 10)
        yield stores.Stores(tmp_path_factory.mktemp("benchmarks"))


@pytest.mark.whole_system
@pytest.mark.parametrize("name", NAMES)
def test_command_does_its_work_on_a_small_store(small: stores.Stores, name: str) -> None:
    if name.startswith("rg-") and not shutil.which("rg"):
        pytest.skip("rg is not installed")

    wall, cpu, peak = measure.run_once(commands.command(name, small), 0, env=small.env)

    assert cpu > 0
    assert wall > 0
    assert peak > 1000


@pytest.mark.whole_system
def test_whoosh_index_is_timed_made_and_followed(small: stores.Stores) -> None:
    results, _ = run.run(small, WHOOSH, short=True)

    assert [(one.figure.name, one.value > 0) for one in results] == [("whoosh-build", True), ("whoosh-follow", True)]


@pytest.mark.whole_system
def test_warm_recalls_are_timed_by_both_engines(small: stores.Stores) -> None:
    wanted = [figure for figure in WARM if not figure.large]

    results, _ = run.run(small, wanted, short=True)

    assert [(one.figure.name, one.value > 0, one.by_cpu[-2:]) for one in results] == [
        ("warm-10k", True, "ms"),
        ("warm-10k-whoosh", True, "ms"),
    ]


def test_remember_adds_bytes_and_a_command_that_fails_ends_the_run(small: stores.Stores) -> None:
    path = small.path("1k")
    before = stores.object_bytes(path)

    small.run([stores.gitmem(), "remember", "The gateway drops idle connections"], path)

    assert stores.object_bytes(path) > before
    with pytest.raises(measure.BenchmarkError, match="no-such-command"):
        small.run([stores.gitmem(), "no-such-command"], path)


def test_operations_inside_one_process_can_be_timed(small: stores.Stores) -> None:
    rows = run.inside(small, 0.01, short=True).split("\n")

    assert rows[0].startswith("| inside one process")
    assert len(rows) > 4


def test_settings_of_the_person_do_not_reach_what_is_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", "/elsewhere")
    monkeypatch.setenv("GITMEM_BRANCH", "other")
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    env = stores.Stores(tmp_path).env

    assert not {"GIT_DIR", "GITMEM_BRANCH", "PYTHONDONTWRITEBYTECODE"} & set(env)
    assert env["HOME"] == str(tmp_path / "home")


def test_short_run_needs_no_large_store() -> None:
    short = run.choose((), short=True)

    assert {figure.name for figure in FIGURES} - {figure.name for figure in short} == {
        "recall-100k",
        "recall-memory",
        "warm-100k",
        "warm-100k-p95",
        "remember-100k",
        "remember-bytes",
        "hybrid-100k",
        "import-100k",
        "writers-api",
        "writers-batch",
        "writers-command",
    }
    assert not [name for figure in short for name in figure.commands if "100k" in name]


def test_only_names_one_figure_even_of_the_large_store() -> None:
    assert [figure.name for figure in run.choose(["recall-100k"], short=True)] == ["recall-100k"]


def test_report_says_which_goals_were_missed() -> None:
    goals = {figure.name: figure for figure in FIGURES}
    figures = {"Y": Figures(wall_s=[0.01], cpu_s=[0.01]), "recall-1k": Figures(wall_s=[0.05], cpu_s=[0.03])}
    within, missed = goals["verify-all"], goals["recall-1k"]

    text = run.report([run.Measured(within, 8.0), run.Measured(missed, missed.value(figures), "3.00 Y")])

    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.split("\n")]
    assert rows[2][2:] == [f"{within.goal:g} s", "8.00 s", "", "yes"]
    assert rows[3][2:] == [f"{missed.goal:g} Y", "5.00 Y", "3.00 Y", "NO"]


def test_inside_prints_one_value_a_round(small: stores.Stores) -> None:
    script = [sys.executable, str(Path(run.__file__).with_name("inside.py")), str(small.path("10k")), "2"]

    seconds = json.loads(small.run(script, small.folder))

    assert {len(values) for values in seconds.values()} == {2}
