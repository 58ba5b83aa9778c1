"""The processes that run checks for us (``launcher``): started once, used again, ended when we end.

A new one costs 13 ms (measured, most of it Python), a check on one that waits 3 ms.
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

# What the pipe of a trace holds: what an unprivileged process may ask for (pipe(7)).
PIPE_BYTES = 1 << 20
FIRST_FD = 64
# Runs the starter as a program: isolated and without site, which costs half as much to start (measured: 7 of 15 ms).
PROGRAM = (
    "import sys; sys.path.append(sys.argv[1]); from gitmem.verify.sandbox.launcher import main\n"
    "main(*map(int, sys.argv[2:]))"
)


class Starter:
    """A process that runs programs for us, one at a time, and lets nothing of them live on.

    It (``launcher``) reads requests on standard input, and takes the end of that as the order to kill what runs and to
    exit: our death ends it on its own. It writes JSON lines to the descriptor that it is given: ``{"session": N}`` when
    the program starts, ``{"exit-code": N}``, ``{"exec-errno": N}`` or ``{"problem": "..."}``, and ``{"done": 1}`` when
    nothing of the run is left. Its output is the program's. Not for two threads at once.

    Attributes:
        is_usable: Whether it can take a request; a run that had to be killed is its last.
    """

    def __init__(self, build: Callable[[int, int], list[str]], *, env: Mapping[str, str]) -> None:
        """Start it.

        Args:
            build: Returns its command line for the numbers of its descriptors (the report's and the trace's), which
                stay the same in it.
            env: Its whole environment.

        Raises:
            ProcessError: It could not start.
        """
        self._report, self.report_fd = _make_pipe()
        self._trace, self.trace_fd = _make_pipe()
        _widen(self._trace)
        argv = build(self.report_fd, self.trace_fd)
        try:
            self._child = process.start_apart(argv, cwd="/", env=env, given=(self.report_fd, self.trace_fd))
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
        """Have one program run.

        Args:
            request: What it reads.
            timeout_s: Seconds by the monotonic clock after which the program is killed.
            output_cap: How many bytes at the end of the program's output are kept.
            grace_s: Seconds it has to kill what the program left before it is killed itself.
            stops: ``stop_count`` of before: it is killed where that has changed; None for now's.
            is_traced: Whether the program runs under strace.

        Returns:
            Status None with a problem where it did not tell how the program ended.
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
        """Return whether it waits for a request; one that has ended meanwhile is cleaned up."""
        if self.is_usable and self._child.poll() is not None:
            self.close()
        return self.is_usable

    def close(self) -> None:
        """End it, unless a run has already done so."""
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
    """Return a pipe whose writing end has a number that no shell script uses for itself: they have one digit."""
    reading, low = os.pipe()
    try:
        return reading, fcntl.fcntl(low, fcntl.F_DUPFD_CLOEXEC, FIRST_FD)
    finally:
        os.close(low)


def _widen(pipe: int) -> None:
    """Make a pipe hold more (F_SETPIPE_SZ, fcntl(2)); where that is not allowed, its writer waits more often."""
    try:
        fcntl.fcntl(pipe, 1031, PIPE_BYTES)
    except OSError:
        return


def _write_all(pipe: IO[bytes], data: bytes) -> None:
    """Write to an unbuffered pipe; a reader that has ended is noticed by its exit."""
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[pipe.write(rest) :]
    except BrokenPipeError:
        return


# Starters that wait for the next check, the one used last at the end.
_idle: list[Starter] = []
_idle_lock = threading.Lock()


def take() -> Starter:
    """Return a starter that waits for its next check, or a new one.

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
    """Keep a starter for the next check, where it can take one."""
    if starter.is_usable:
        with _idle_lock:
            _idle.append(starter)


@atexit.register
def close() -> None:
    """End the starters that wait for the next check, each a Python of 11 MB (measured); more are made when needed."""
    with _idle_lock:
        while _idle:
            _idle.pop().close()
