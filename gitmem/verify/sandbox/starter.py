"""Start and reuse the processes that run checks (``launcher``); they end when this process ends.

A new one costs 13 ms (measured, most of it Python), a check on a waiting one 3 ms.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import time
from pathlib import Path

from gitmem.errors import ProcessError
from gitmem.system import process
from gitmem.system.process_limits import BoundedRun, stop_count
from gitmem.verify.sandbox.limits import kill_session

if sys.platform != "win32":
    import fcntl

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import IO

    from gitmem.model import Ran

# The capacity of the trace's pipe: the most that an unprivileged process may request (pipe(7)).
PIPE_BYTES = 1 << 20
FIRST_FD = 64
# Runs the starter, isolated and without site, which halves its start-up time (measured: 7 of 15 ms).
PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); from gitmem.verify.sandbox.launcher import main\n"
    "main(*map(int, sys.argv[2:]))"
)


class Starter:
    """A process that runs programs, one at a time, and lets none of their processes survive.

    It (``launcher``) reads requests on standard input; when that ends, it kills the running program and exits, so it
    also ends when we die. It writes JSON lines to a given descriptor: ``{"session": N}`` when the program starts,
    ``{"exit-code": N}``, ``{"exec-errno": N}`` or ``{"problem": "..."}``, and ``{"done": 1}`` when no process of the
    run is left. Its output is the program's. Two threads may not use it at the same time.

    Attributes:
        is_usable: Whether it accepts requests; it does not after a run that had to be killed.
    """

    def __init__(self, build: Callable[[int, int], list[str]], *, env: Mapping[str, str]) -> None:
        """Start the process.

        Args:
            build: Returns the command line for the numbers of its descriptors (of the report and the trace), which the
                process inherits under the same numbers.
            env: Its whole environment.

        Raises:
            ProcessError: The process could not start.
        """
        self._report, self.report_fd = _make_pipe()
        self._trace, self.trace_fd = _make_pipe()
        _widen(self._trace)
        argv = build(self.report_fd, self.trace_fd)
        try:
            self._child = process.start_apart(process.Program(argv, "/", env), given=(self.report_fd, self.trace_fd))
        except ProcessError:
            os.close(self._report)
            os.close(self._trace)
            raise
        finally:
            os.close(self.report_fd)
            os.close(self.trace_fd)
        self.is_usable = True

    def run(
        self,
        request: bytes,
        *,
        timeout_s: float,
        output_cap: int,
        grace_s: float,
        stops: int | None = None,
        is_traced: bool = False,
    ) -> Ran:
        """Run one program.

        Args:
            request: The request to send.
            timeout_s: Seconds by the monotonic clock after which the program is killed.
            output_cap: How many bytes at the end of the program's output are kept.
            grace_s: Seconds that it may take to kill leftover processes before it is killed itself.
            stops: An earlier ``stop_count``: the program is killed if it has changed since; None for the current one.
            is_traced: Whether the program runs under strace.

        Returns:
            The result; its status is None, with a problem, if the program's end was not reported.
        """
        assert self.is_usable
        assert self._child.stdin is not None
        started = time.monotonic()
        deadline = started + timeout_s
        trace = self._trace if is_traced else -1
        stops = stop_count() if stops is None else stops
        live = BoundedRun(self._child, self._report, deadline=deadline, cap=output_cap, stops=stops, trace=trace)
        self.is_usable = False
        try:
            _write_all(self._child.stdin, request)
            live.watch()
        finally:
            self.is_usable = live.end(grace_s)
            if live.left_session:
                kill_session(live.left_session)
            if not self.is_usable:
                os.close(self._trace)
        return live.ran(time.monotonic() - started)

    def is_alive(self) -> bool:
        """Return whether it is waiting for a request; if it has ended, clean it up."""
        if self.is_usable and self._child.poll() is not None:
            self.close()
        return self.is_usable

    def close(self) -> None:
        """End the process, unless a run has already done so."""
        if not self.is_usable:
            return
        self.is_usable = False
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        self._child.wait()
        self._child.stdout.close()
        os.close(self._report)
        os.close(self._trace)


def _make_pipe() -> tuple[int, int]:
    """Return a pipe whose write end has a number above 9, since shell scripts use only those of one digit."""
    reading, low = os.pipe()
    try:
        return reading, fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FD)
    finally:
        os.close(low)


def _widen(pipe: int) -> None:
    """Enlarge a pipe (F_SETPIPE_SZ, fcntl(2)); if that is not allowed, its writer waits more often."""
    try:
        fcntl.fcntl(pipe, 1031, PIPE_BYTES)
    except OSError:
        return


def _write_all(pipe: IO[bytes], data: bytes) -> None:
    """Write to an unbuffered pipe; errors are ignored, because the exit of the reader is noticed elsewhere."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[pipe.write(rest) :]
    except BrokenPipeError:
        return


# Starters waiting for the next check; the last one was used most recently.
_idle: list[Starter] = []
_idle_lock = threading.Lock()


def take() -> Starter:
    """Return a waiting starter, or a new one.

    Raises:
        ProcessError: A new one could not start.
    """
    with _idle_lock:
        while _idle:
            if (starter := _idle.pop()).is_alive():
                return starter
    root = str(Path(__file__).parents[3])
    argv = [sys.executable, "-I", "-S", "-c", PROGRAM, root]
    return Starter(lambda report, trace: [*argv, str(report), str(trace)], env={"LC_ALL": "C.UTF-8"})


def give_back(starter: Starter) -> None:
    """Keep a starter for the next check, if it is still usable."""
    if starter.is_usable:
        with _idle_lock:
            _idle.append(starter)


@atexit.register
def close() -> None:
    """End the waiting starters, each a Python process of 11 MB (measured); new ones are started when needed."""
    with _idle_lock:
        while _idle:
            _idle.pop().close()
