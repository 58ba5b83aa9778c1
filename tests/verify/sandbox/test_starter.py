"""Processes that run programs for us: what they report, and when they are used up."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from support.processes import pids_of, wait_until

from gitmem.errors import ProcessError
from gitmem.system import process
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox import starter as pool
from gitmem.verify.sandbox.starter import Starter

ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C"}


def starter(script: str):
    """A shell script as the starter; $1 is the descriptor of its report."""
    return Starter(lambda fd, _: ["bash", "-c", script, "starter", str(fd)], env=ENV)


def started(script: str, *, timeout_s: float = 10.0, grace_s: float = 0.0):
    """What one run of a script came to."""
    one = starter(script)
    try:
        return one.run(b"request\n", timeout_s=timeout_s, output_cap=1000, grace_s=grace_s)
    finally:
        one.close()


def test_the_report_tells_the_status_not_the_starters_exit():
    ran = started("echo '{\"exit-code\": 7}' >&$1; exit 0")

    assert (ran.status, ran.problem) == (7, "")


def test_a_starter_that_reports_nothing_is_a_problem_in_its_own_words():
    ran = started("echo starter: no such thing >&2; exit 1")

    assert (ran.status, ran.problem) == (None, "the sandbox failed: starter: no such thing")


def test_a_program_that_cannot_start_is_a_problem():
    ran = started("echo '{\"exec-errno\": 13}' >&$1; exit 127")

    assert (ran.status, ran.problem) == (None, "cannot start it: Permission denied")


def test_a_starter_runs_one_program_after_the_other_and_mixes_nothing_up():
    one = starter(
        "while read -r said; do head -c 70000 /dev/zero; echo $said; echo '{\"exit-code\": '$said'}' >&$1;"
        " echo '{\"done\": 1}' >&$1; done"
    )

    rans = [one.run(b"%d\n" % n, timeout_s=10, output_cap=2, grace_s=0) for n in range(8)]
    one.close()

    assert [(ran.status, ran.output, ran.cut) for ran in rans] == [(n, f"{n}\n", True) for n in range(8)]
    assert one.is_usable is False


def test_at_the_limit_a_starter_has_its_grace_to_clean_up_and_is_used_up():
    one = starter("read -r said; cat; echo cleaned up; echo '{\"exit-code\": 137}' >&$1")

    ran = one.run(b"request\n", timeout_s=0.2, output_cap=1000, grace_s=120)

    assert (ran.timed_out, ran.output) == (True, "cleaned up\n")
    assert ran.seconds < 60
    assert not one.is_usable


def test_a_starter_that_does_not_end_is_killed_after_its_grace(mark):
    ran = started(f"trap '' TERM; sleep {mark}; sleep {mark}", timeout_s=0.2, grace_s=0.2)

    assert ran.timed_out
    assert ran.seconds < 60
    assert wait_until(lambda: pids_of(mark) == [])


def test_a_starter_that_has_ended_meanwhile_is_noticed():
    one = starter("read -r said; echo '{\"exit-code\": 0}' >&$1; echo '{\"done\": 1}' >&$1; sleep 0.1")

    assert one.run(b"request\n", timeout_s=10, output_cap=1000, grace_s=0).status == 0
    assert wait_until(lambda: not one.is_alive())


def test_a_starter_that_is_missing_is_an_error():
    with pytest.raises(ProcessError, match="cannot start gitt"):
        Starter(lambda *_: ["gitt"], env=ENV)


def test_the_same_starter_serves_the_next_check():
    first = pool.take()
    pool.give_back(first)
    second = pool.take()
    pool.give_back(second)

    assert second is first


def test_two_checks_at_once_have_a_starter_each():
    first, second = pool.take(), pool.take()
    pool.give_back(first)
    pool.give_back(second)

    assert second is not first


@pytest.mark.whole_system
def test_a_starter_that_was_killed_while_it_waited_is_replaced():
    first = pool.take()
    pool.give_back(first)
    os.kill(first._child.pid, signal.SIGKILL)
    wait_until(lambda: not first.is_alive())

    second = pool.take()
    pool.give_back(second)

    assert second.is_alive()
    assert second is not first


def test_starters_end_with_the_process_that_has_them_and_leave_no_warning():
    script = (
        "import sys; sys.path.append(sys.argv[1])\n"
        "from gitmem.verify.sandbox import starter\n"
        "one = starter.take(); starter.give_back(one); print(one._child.pid)"
    )
    argv = [sys.executable, "-I", "-W", "error", "-c", script, str(Path(process.__file__).parents[2])]

    done = process.run(argv, env=ENV)

    assert done.stderr == b""
    assert not Path("/proc", done.stdout.decode().strip()).exists()


def test_starter_keeps_no_file_open_of_the_checks_that_it_ran(tmp_path):
    def run() -> int:
        sandbox.run_check(["true"], ground=tmp_path, rung="none", network=False, timeout_s=10, path=ENV["PATH"])
        one = pool.take()
        pool.give_back(one)
        return len(os.listdir(f"/proc/{one._child.pid}/fd"))

    assert len({run() for _ in range(3)}) == 1
