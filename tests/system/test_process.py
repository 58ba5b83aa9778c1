"""Programs: tools that answer, and programs that may not outlast their limits."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from support.each import each
from support.processes import pids_of, wait_until

from gitmem.errors import ProcessError
from gitmem.system import process

ENV = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
PYTHON = [sys.executable, "-I", "-S", "-c"]


def bounded(command: str, *, timeout_s: float = 10.0, **more):
    return process.run_bounded(process.Program(["sh", "-c", command], "/", ENV), timeout_s=timeout_s, **more)


def test_importing_it_does_not_load_subprocess():
    script = (
        "import sys; sys.path.append(sys.argv[1]); import gitmem.system.process; print('subprocess' in sys.modules)"
    )

    done = process.run([*PYTHON, script, str(Path(process.__file__).parents[2])], env=ENV)

    assert done.stdout == b"False\n"


# Tools


def test_run_returns_both_outputs_apart():
    done = process.run(["sh", "-c", "echo out; echo err >&2"], env=ENV)

    assert done == process.ProcessResult(0, b"out\n", b"err\n")


def test_run_feeds_its_input_and_reads_a_large_answer():
    data = os.urandom(1 << 20)

    assert process.run(["cat"], env=ENV, input=data).stdout == data


def test_run_gives_nothing_to_read_by_default():
    assert process.run(["cat"], env=ENV).stdout == b""


def test_run_survives_a_tool_that_does_not_read_its_input():
    assert process.run(["true"], env=ENV, input=b"x" * 1_000_000).status == 0


def test_run_passes_the_environment_whole(monkeypatch):
    monkeypatch.setenv("CANARY", "tweet")

    done = process.run(["env"], env=ENV)

    assert b"CANARY" not in done.stdout


def test_a_failing_tool_is_an_error_that_carries_what_it_said():
    with pytest.raises(ProcessError, match=r"sh failed \(exit status 3\): no good") as caught:
        process.run(["sh", "-c", "echo no good >&2; exit 3"], env=ENV)

    assert (caught.value.status, caught.value.stderr, caught.value.argv[0]) == (3, "no good", "sh")


def test_a_failing_tool_is_a_result_where_failing_is_an_answer():
    assert process.run(["sh", "-c", "exit 3"], env=ENV, check=False).status == 3


def test_a_tool_that_a_signal_ended_says_so():
    with pytest.raises(ProcessError, match="ended by signal 9"):
        process.run(["sh", "-c", "kill -9 $$"], env=ENV)


def test_a_missing_tool_is_named_with_a_hint():
    with pytest.raises(ProcessError, match="cannot start gitt: No such file") as caught:
        process.run(["gitt", "status"], env=ENV)

    assert caught.value.hint.startswith("install gitt")
    assert caught.value.status is None


def test_a_missing_folder_is_not_taken_for_a_missing_tool(tmp_path):
    with pytest.raises(ProcessError, match="gone: No such file") as caught:
        process.run(["true"], env=ENV, cwd=tmp_path / "gone")

    assert caught.value.hint == ""


def test_an_argument_that_no_program_can_take_is_an_error_of_ours():
    with pytest.raises(ProcessError, match="null byte"):
        process.run(["echo", "a\0b"], env=ENV)


def test_run_returns_at_its_limit_though_a_grandchild_holds_the_pipe(mark):
    started = time.monotonic()

    with pytest.raises(ProcessError, match=r"longer than 0\.2 seconds"):
        process.run(["sh", "-c", f"sleep {mark} & wait"], env=ENV, timeout_s=0.2)

    assert time.monotonic() - started < 60


# Tools whose output is read while they run


def test_input_given_whole_cannot_block_both_ends():
    lines = b"".join(b"%d\n" % n for n in range(300_000))

    with process.RunningTool(["cat"], env=ENV, input=lines) as cat:
        assert cat.readline() == b"0\n"
        assert len(cat.read()) == len(lines) - 2


def test_leaving_by_an_exception_kills_the_tool(mark):
    with pytest.raises(ZeroDivisionError), process.RunningTool(["sleep", mark], env=ENV, input=b""):
        raise ZeroDivisionError

    assert pids_of(mark) == []


def test_an_abandoned_reader_of_blobs_leaves_no_process(mark):
    def lines():
        with process.RunningTool(["sh", "-c", f"echo 1; exec sleep {mark}"], env=ENV, input=b"") as tool:
            yield tool.readline()

    generator = lines()
    assert next(generator) == b"1\n"
    generator.close()

    assert pids_of(mark) == []


def test_an_answer_that_is_not_read_to_its_end_is_no_failure():
    with process.RunningTool(["yes"], env=ENV, input=b"") as tool:
        assert tool.readline() == b"y\n"


def test_a_streaming_tool_that_fails_is_an_error():
    with (
        pytest.raises(ProcessError, match="no good"),
        process.RunningTool(["sh", "-c", "echo no good >&2; exit 3"], env=ENV, input=b""),
    ):
        pass


def test_a_missing_tool_is_an_error():
    with pytest.raises(ProcessError, match="cannot start gitt"), process.RunningTool(["gitt"], env=ENV, input=b""):
        pass


# Programs with limits


@each("status", [0, 1, 2, 126, 127, 137, 255])
def test_exit_statuses_are_passed_on(status):
    ran = bounded(f"exit {status}")

    assert (ran.status, ran.timed_out, ran.problem) == (status, False, "")


def test_a_signal_is_a_negative_status():
    assert bounded("kill -9 $$").status == -9


def test_both_outputs_come_in_the_order_they_were_written():
    assert bounded("echo one; echo two >&2; echo three").output == "one\ntwo\nthree\n"


def test_output_that_is_not_text_is_still_shown():
    assert bounded(r"printf 'a\377b'").output == "a\ufffdb"


def test_a_program_that_is_missing_is_a_problem_and_no_status():
    ran = process.run_bounded(process.Program(["gitt"], "/", ENV), timeout_s=5)

    assert (ran.status, ran.problem) == (None, "cannot start gitt: No such file or directory")


def test_standard_input_is_empty_and_there_is_no_terminal():
    assert bounded("cat; (: < /dev/tty) 2>/dev/null || echo none").output == "none\n"


def test_a_sleeper_is_killed_at_the_limit(mark):
    ran = bounded(f"echo before; sleep {mark}", timeout_s=0.3)

    assert (ran.timed_out, ran.status, ran.output) == (True, -9, "before\n")
    assert 0.3 <= ran.seconds < 60
    assert wait_until(lambda: pids_of(mark) == [])


def test_ignoring_sigterm_does_not_help(mark):
    ran = bounded(f"trap '' TERM INT HUP; sleep {mark}; sleep {mark}", timeout_s=0.3)

    assert ran.timed_out
    assert wait_until(lambda: pids_of(mark) == [])


def test_success_neither_waits_for_a_background_child_nor_leaves_it(mark):
    ran = bounded(f"echo done; sleep {mark} & exit 0")

    assert (ran.status, ran.output) == (0, "done\n")
    assert ran.seconds < 60
    assert wait_until(lambda: pids_of(mark) == [])


def test_of_much_output_the_end_is_kept():
    ran = bounded("seq 1 100000", output_cap=1000)

    assert ran.cut
    assert len(ran.output) == 1000
    assert ran.output.endswith("\n99999\n100000\n")


def test_output_of_exactly_the_cap_is_not_cut():
    ran = bounded("head -c 1000 /dev/zero | tr '\\0' x", output_cap=1000)

    assert (ran.output, ran.cut) == ("x" * 1000, False)


def test_a_flood_is_stopped_long_before_the_limit():
    ran = bounded("yes", timeout_s=30)

    assert ran.problem == "killed: it wrote more than 64 MiB"
    assert not ran.timed_out
    assert ran.output.endswith("y\ny\n")
    assert len(ran.output) == process.OUTPUT_CAP


def test_many_threads_get_their_own_answers():
    answers = {}

    def ask(number):
        answers[number] = [bounded(f"echo {number}; exit {number}") for _ in range(5)]

    threads = [threading.Thread(target=ask, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert all(ran.status == n and ran.output == f"{n}\n" for n, rans in answers.items() for ran in rans)
    assert len(answers) == 8


def test_no_file_descriptor_is_left_open(mark):
    bounded("true")
    before = sorted(os.listdir("/proc/self/fd"))

    for command in ("true", f"sleep {mark} &", "yes"):
        bounded(command)
    process.run_bounded(process.Program(["gitt"], "/", ENV), timeout_s=5)

    assert sorted(os.listdir("/proc/self/fd")) == before


# An interrupt that comes while the program starts, which is when it would be lost.
AT_ONCE = (
    "import os\n"
    "start = process.start_apart\n"
    "def start_and_interrupt(*args, **options):\n"
    "    child = start(*args, **options)\n"
    "    os.kill(os.getpid(), 2)\n"
    "    return child\n"
    "process.start_apart = start_and_interrupt\n"
)


@pytest.mark.parametrize("at_once", [False, True])
def test_an_interrupt_kills_what_runs(mark, at_once):
    script = (
        "import sys; sys.path.append(sys.argv[1])\n"
        f"from gitmem.system import process\n{AT_ONCE * at_once}"
        "argv = ['sh', '-c', 'trap \"\" INT TERM; sleep ' + sys.argv[2]]\n"
        "process.run_bounded(process.Program(argv, '/', {'PATH': sys.argv[3]}), timeout_s=60)"
    )
    argv = [*PYTHON, script, str(Path(process.__file__).parents[2]), mark, ENV["PATH"]]
    with subprocess.Popen(argv, stderr=subprocess.PIPE) as ours:
        if not at_once:
            assert wait_until(lambda: len(pids_of(f"sleep\0{mark}")) == 1)
            ours.send_signal(signal.SIGINT)
        said = ours.communicate(timeout=60)[1]

    assert b"KeyboardInterrupt" in said
    assert wait_until(lambda: pids_of(f"sleep\0{mark}") == [])


def test_detached_program_has_its_own_session_and_no_pipe_of_ours(tmp_path: Path) -> None:
    log = tmp_path / "log"
    code = "import os; print(os.getcwd(), os.getsid(0) != int(os.environ['S']), os.readlink('/proc/self/fd/0'))"

    process.start_detached([sys.executable, "-c", code], cwd=tmp_path, env={"S": str(os.getsid(0))}, log=str(log))

    end = time.monotonic() + 120
    while not (log.exists() and log.read_text()) and time.monotonic() < end:
        time.sleep(0.02)
    assert log.read_text() == f"{tmp_path} True /dev/null\n"


@pytest.mark.parametrize(
    ("argv", "status", "output", "problem"),
    [
        (["sh", "-c", "printf abcdef; exit 3"], 3, "cdef", ""),
        (["sh", "-c", "printf said; exec sleep 30"], -9, "said", ""),
        (["yes"], -9, "y\ny\n", "killed: it wrote more than 64 MiB"),
        (["gitmem-no-such-program"], None, "", "cannot start gitmem-no-such-program: No such file or directory"),
    ],
    ids=["ends", "time", "flood", "missing"],
)
def test_a_program_is_bounded_where_pipes_cannot_be_waited_for(tmp_path, monkeypatch, argv, status, output, problem):
    monkeypatch.delattr("select.poll")
    limit_s = 0.3 if "sleep" in argv[-1] else 20

    ran = process.run_bounded(process.Program(argv, tmp_path, dict(os.environ)), timeout_s=limit_s, output_cap=4)

    assert (ran.status, ran.output, ran.problem, ran.timed_out) == (status, output, problem, "sleep" in argv[-1])


# Line by line


def run_by_lines(code: str, *, timeout_s: float | None = None) -> tuple[int | None, list[str], list[str]]:
    output: list[str] = []
    error: list[str] = []
    program = process.Program([sys.executable, "-c", code], "/", dict(os.environ))
    status = process.run_by_lines(program, timeout_s=timeout_s, output=output.append, error=error.append)
    return status, output, error


@each("timeout_s", [None, 60.0])
def test_lines_of_both_outputs_are_passed_on(timeout_s: float | None) -> None:
    code = "import sys; sys.stderr.write('1%\\r2%\\nend'); sys.stdout.buffer.write(b'a\\n\\xff\\n'); sys.exit(3)"

    assert run_by_lines(code, timeout_s=timeout_s) == (3, ["a\n", "\\xff\n"], ["1%\n", "2%\n", "end"])


def test_run_past_its_limit_ends_with_what_it_started(mark: str) -> None:
    code = "import subprocess, time; print(subprocess.Popen(['sleep', 'MARK']).pid, flush=True); time.sleep(60)"

    status, output, _ = run_by_lines(code.replace("MARK", mark), timeout_s=1.0)

    assert (status, len(output)) == (None, 1)
    assert wait_until(lambda: not pids_of(mark))


def test_lines_are_passed_on_without_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_SHELL", "/nowhere/sh")

    assert run_by_lines("print(1)", timeout_s=60.0) == (0, ["1\n"], [])


@each("timeout_s", [None, 60.0])
def test_killing_us_ends_what_runs_by_lines(mark: str, timeout_s: float | None) -> None:
    code = (
        "import os; from gitmem.system import process; process.run_by_lines(process.Program("
        f"['sleep', '{mark}'], '/', dict(os.environ)), timeout_s={timeout_s}, output=print, error=print)"
    )
    with subprocess.Popen([sys.executable, "-P", "-c", code]) as run:
        assert wait_until(lambda: len(pids_of(mark)) == 2)
        time.sleep(0.3)  # its guard starts after it
        run.kill()

    assert wait_until(lambda: not pids_of(mark), 10.0)
