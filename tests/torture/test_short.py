"""A short form of ``make torture``: storage calls fail, locks do not work, commands are killed and interrupted."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.processes import pids_of, wait_until

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the shim and /proc are Linux's")
if sys.platform == "linux":
    from torture.faults import Faults, has_compiler
    from torture.interrupts import Interrupts
    from torture.kills import Kills
    from torture.merging import run_seed
    from torture.place import WORKS

    needs_compiler = pytest.mark.skipif(not has_compiler(), reason="the shim is built with gcc")


@pytest.fixture(scope="module")
def faults(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faults]:
    return Faults(tmp_path_factory.mktemp("torture"))


@pytest.mark.whole_system
@needs_compiler
@pytest.mark.parametrize("kind", ["ENOSPC", "kill", "pause", "EIO-read"])
def test_a_storage_call_that_fails_loses_nothing_and_leaves_nothing(faults: Faults, kind: str) -> None:
    dice = random.Random(kind)
    work = dice.choice([work for work in WORKS if work.name in ("remember", "sync", "save", "rotation")])

    assert faults.try_call(work, dice.randrange(20, faults.calls(work, kind)), kind) == []


@pytest.mark.whole_system
@needs_compiler
def test_where_locks_do_not_work_nothing_ends_as_a_bug_and_doctor_says_why(faults: Faults) -> None:
    assert faults.try_without_locks(1) == []
    for how, is_said in (("granted", True), ("refused", True), ("", False)):
        told = faults.place.run("doctor", LD_PRELOAD=str(faults.shim), TORTURE_LOCKS=how)
        assert ("locks of files do not work" in told.out, told.is_bug) == (is_said, False), told
    written = faults.place.run(
        "remember", "Without locks", "--key", "lockless", LD_PRELOAD=str(faults.shim), TORTURE_LOCKS="refused"
    )
    assert (written.status, written.out) == (0, "lockless\n")


@pytest.mark.whole_system
@needs_compiler
def test_kills_and_interrupts_lose_nothing_and_print_one_line(faults: Faults) -> None:
    assert Kills(faults.place).try_one(5) == []

    interrupts = Interrupts(faults.place)
    assert [interrupts.try_one(seed) for seed in (1, 2, 16)] == [[], [], []]


def test_killed_run_leaves_no_writer(tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = (
        "import sys, time; from pathlib import Path; from torture.place import Place; place = Place(Path(sys.argv[1]));"
        " place.work.mkdir(parents=True); place.start_writer(Path(sys.argv[2])); time.sleep(600)"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path), str(told)], env=PYTHON_ENV) as run:
        assert wait_until(told.exists)
        run.kill()

    assert wait_until(lambda: pids_of(str(told)) == [], 20.0)


PYTHON_ENV = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.mark.whole_system
def test_three_clones_that_worked_apart_come_to_one_tree_whoever_syncs_first(tmp_path: Path) -> None:
    (tmp_path / "clones").mkdir()

    assert run_seed(tmp_path / "clones", 7, 2, orders=3) == []
