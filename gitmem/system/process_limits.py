"""Enforce the limits of one run of a program: its output, its report, its end.

It starts nothing itself: ``process`` passes the started program. That is either the program itself, or a starter which
runs programs one after the other and reports on each (``verify.sandbox.starter``).
"""

from __future__ import annotations

import os
import select
import time

from gitmem.errors import suppress
from gitmem.model import INTERRUPTED, Ran

TYPE_CHECKING = False
if TYPE_CHECKING:
    from subprocess import Popen  # noqa: TID251 - the type only
    from typing import IO, Any

# A check that writes more is killed: no normal build has a larger log.
FLOOD_BYTES = 64 * 1024 * 1024
FLOOD = f"killed: it wrote more than {FLOOD_BYTES >> 20} MiB"
# How often a run checks whether ``stop_all`` was called, in seconds; the exit itself wakes it at once.
TICK_S = 0.2
# Without pidfd (macOS, Linux before 5.3), the exit is polled at this interval, in seconds.
POLL_S = 0.01
# How often a pipe of 64 KiB is read after the end before giving up; a pipe holds at most 16 of them (pipe(7)).
READS_AT_MOST = 32
# The most bytes of a trace: a hundred thousand calls. A check that reads more depends on the whole tree.
TRACE_BYTES = 16 * 1024 * 1024
# How often a trace is read while the program runs, in seconds: waking up for every line would cost more than the run
# (measured), and a pipe of its size holds what arrives meanwhile.
TRACE_TICK_S = 0.02
# signal(7); the signal module costs 3 ms (measured).
SIGKILL = 9

_stops = 0


def stop_all() -> None:
    """End every bounded run of this process, in any thread, as interrupted; later ones run normally."""
    global _stops  # noqa: PLW0603 - one counter for the process is the point
    _stops += 1


def stop_count() -> int:
    """Return how often ``stop_all`` was called: a run ends when the number has changed since its start."""
    return _stops


def can_watch() -> bool:
    """Return whether pipes can be waited for here, as watching a run needs; not on Windows."""
    return hasattr(select, "poll")


def wait_unwatched(child: Popen[bytes], output: IO[bytes], *, deadline: float, cap: int, stops: int) -> Ran:
    """Wait for a program whose output goes to a file, and kill only it: for systems that cannot wait for pipes.

    Args:
        child: The program.
        output: The file, which is closed.
        deadline: When it is killed, by the monotonic clock.
        cap: The bytes kept from the end of its output.
        stops: ``stop_count`` before it was started.
    """
    started, killed = time.monotonic(), ""
    with output:
        while child.poll() is None and not killed:
            time.sleep(POLL_S)
            if time.monotonic() > deadline:
                killed = "time"
            elif stops != _stops:
                killed = INTERRUPTED
            elif os.fstat(output.fileno()).st_size > FLOOD_BYTES:
                killed = FLOOD
        child.kill()
        child.wait()
        size = os.fstat(output.fileno()).st_size
        output.seek(max(0, size - cap))
        text = output.read(cap).decode("utf-8", "replace")
    status = -SIGKILL if killed else child.returncode
    return Ran(status, killed == "time", text, size > cap, time.monotonic() - started, killed.removeprefix("time"))


class BoundedRun:
    """One bounded run: reads the program's output while it runs, and leaves no processes behind."""

    def __init__(
        self, child: Popen[bytes], report: int, *, deadline: float, cap: int, stops: int, trace: int = -1
    ) -> None:
        """Watch a program.

        Args:
            child: The program, or the starter.
            report: The pipe with the starter's report; -1 for a program without a starter.
            deadline: When it is killed, by the monotonic clock.
            cap: The bytes kept from the end of its output.
            stops: ``stop_count`` before it was started.
            trace: The pipe with strace's output; -1 if the program is not traced.
        """
        assert child.stdout is not None
        self._child = child
        self._out = child.stdout.fileno()
        self._report = report
        self._deadline = deadline
        self._cap = cap
        self._stops = stops
        self._trace = trace
        self._traced = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._lines = b""
        self._results: dict[str, Any] = {}
        self._exited = False
        self._killed = ""
        self._exit = _open_pidfd(child.pid)
        self._poll = select.poll()
        for fd in (self._out, self._report, self._exit):
            if fd >= 0:
                self._poll.register(fd, select.POLLIN)
        for fd in (self._out, self._report, self._trace):
            if fd >= 0:
                os.set_blocking(fd, False)

    def watch(self) -> None:
        """Wait until the run is over or must be ended."""
        while not self._is_over() and not self._killed:
            left = self._deadline - time.monotonic()
            if left <= 0:
                self._killed = "time"
            elif self._stops != _stops:
                self._killed = INTERRUPTED
            else:
                self._wait(min(left, TICK_S))

    def end(self, grace_s: float) -> bool:
        """End the run: kill what is left and read the rest of the output; return whether a starter can continue.

        Args:
            grace_s: The seconds that a starter has to kill its programs after its standard input is closed.
        """
        try:
            if not self._killed and "done" in self._results and self._read_all():
                return True
            if self._child.stdin is not None:
                self._child.stdin.close()
            deadline = time.monotonic() + grace_s
            while not self._exited and time.monotonic() < deadline:
                self._wait(TICK_S)
        except BaseException:
            self._kill()
            raise
        else:
            self._kill()
            return False
        finally:
            if self._exit >= 0:
                os.close(self._exit)

    def ran(self, seconds: float) -> Ran:
        """Return the result of the run."""
        output = bytes(self._tail[-self._cap :]).decode("utf-8", "replace")
        cut = self._total > self._cap
        trace = bytes(self._traced) if self._trace >= 0 and len(self._traced) <= TRACE_BYTES else None
        if self._killed:
            problem = self._killed.removeprefix("time")
            return Ran(-SIGKILL, self._killed == "time", output, cut, seconds, problem)
        if self._report < 0:
            return Ran(self._child.returncode, False, output, cut, seconds)
        if "problem" in self._results:
            return Ran(None, False, output, cut, seconds, str(self._results["problem"]))
        if "exec-errno" in self._results:
            problem = f"cannot start it: {os.strerror(self._results['exec-errno'])}"
            return Ran(None, False, output, cut, seconds, problem)
        if "exit-code" in self._results:
            return Ran(self._results["exit-code"], False, output, cut, seconds, trace=trace)
        last = output.strip().rsplit("\n", 1)[-1]
        return Ran(None, False, output, cut, seconds, "the sandbox failed" + (f": {last}" if last else ""))

    @property
    def left_session(self) -> int:
        """Return the session of a run whose starter ended before it had cleaned up, else 0."""
        return 0 if "done" in self._results else int(self._results.get("session", 0))

    def _is_over(self) -> bool:
        return self._exited or "done" in self._results

    def _wait(self, seconds: float) -> None:
        if self._exit < 0:
            seconds = min(seconds, POLL_S)
        if self._trace >= 0:
            seconds = min(seconds, TRACE_TICK_S)
            self._read(self._trace)
        for fd, _ in self._poll.poll(seconds * 1000):
            if fd == self._exit:
                self._exited = True
            elif not self._read(fd):
                self._poll.unregister(fd)
        if self._exit < 0 and _has_exited(self._child):
            self._exited = True

    def _kill(self) -> None:
        # Also after success: the group may hold a background child. Before the exit is reaped: until then the kernel
        # keeps the number, so that no other group can have it.
        with suppress(ProcessLookupError, PermissionError):  # none is left; macOS says EPERM for a group of zombies
            os.killpg(self._child.pid, SIGKILL)
        self._child.wait()
        self._read_all()
        assert self._child.stdout is not None
        self._child.stdout.close()
        if self._report >= 0:
            os.close(self._report)

    def _read_all(self) -> bool:
        """Read what is left; return whether the end was reached, or an unreachable process still writes."""
        for fd in (self._out, self._report, self._trace):
            if fd >= 0 and all(self._read(fd) for _ in range(READS_AT_MOST)):
                return False
        return True

    def _read(self, fd: int) -> bool:
        """Read what is available; return whether there may be more."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return False
        if fd == self._report:
            self._take_report(data)
        elif fd == self._trace:
            if len(self._traced) <= TRACE_BYTES:
                self._traced += data
        else:
            self._take_output(data)
        return bool(data)

    def _take_output(self, data: bytes) -> None:
        self._total += len(data)
        self._tail += data
        if len(self._tail) > 2 * self._cap + (1 << 16):
            del self._tail[: -self._cap]
        if self._total > FLOOD_BYTES and not self._is_over():
            self._killed = FLOOD

    def _take_report(self, data: bytes) -> None:
        import json

        *lines, self._lines = (self._lines + data).split(b"\n")
        for line in lines:
            self._results |= json.loads(line)


def _open_pidfd(pid: int) -> int:
    """Return a file descriptor that is readable once the process has exited; -1 if there is none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return -1


def _has_exited(child: Popen[bytes]) -> bool:
    if hasattr(os, "waitid"):  # checks without reaping
        return os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
    return child.poll() is not None
