"""Start programs: tools such as git, and checks with limits on time, output and child processes.

``subprocess`` is imported inside the functions: it costs 11 ms (measured, Python 3.11), as much as Python's own start.
If possible, git is started without it (``system.child``): hooks and writes run git once or twice.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress

from gitmem.errors import ProcessError
from gitmem.frozen import frozen
from gitmem.model import Ran
from gitmem.system.child import Child, can_spawn, unnamed_file
from gitmem.system.process_limits import SIGKILL, BoundedRun, can_watch, stop_count, wait_unwatched
from gitmem.system.process_limits import stop_all as stop_all  # noqa: PLC0414 - what mypy calls a re-export

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from subprocess import Popen
    from types import FrameType
    from typing import IO, TypeVar

    Started = TypeVar("Started")

# The bytes kept from the end of a check's output: many screens of context, and enough according to measurements
# (docs/sandbox.md: the last 64 KiB are kept).
OUTPUT_CAP = 65536
# The most characters of a tool's standard error in an exception.
STDERR_TAIL = 4000


@frozen
class ProcessResult:
    """The result of a tool.

    Attributes:
        status: Its exit status; if a signal ended it, the signal's negative number.
        stdout: Its standard output.
        stderr: Its standard error.
    """

    status: int
    stdout: bytes
    stderr: bytes


@frozen
class Program:
    """A program to start.

    Attributes:
        argv: Its name or path, and its arguments.
        cwd: Its working directory.
        env: Its whole environment.
    """

    argv: list[str]
    cwd: str | Path
    env: Mapping[str, str]


def run(
    argv: list[str],
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None,
    input: bytes | None = None,
    timeout_s: float | None = None,
    check: bool = True,
    keep: tuple[int, ...] = (),
) -> ProcessResult:
    """Run a tool to its end and return its output.

    Args:
        argv: The program, found on the PATH of *env*, and its arguments.
        cwd: Its working directory; the current one by default.
        env: Its whole environment; None to inherit ours.
        input: Its standard input; empty by default.
        timeout_s: Seconds after which it is killed; None for no limit.
        check: Whether an exit status other than 0 is an error.
        keep: Descriptors that it inherits: a lock is held for as long as the tool runs.

    Raises:
        ProcessError: It could not start, ran past its limit, or failed while *check* is on.
    """
    if env is not None and cwd is None and can_spawn() and (source := _source(input)) is not None:
        with source:
            result = _run_spawned(argv, env, source=source, timeout_s=timeout_s, keep=keep)
    else:
        result = _run_anywhere(argv, cwd=cwd, env=env, input=input, timeout_s=timeout_s, keep=keep)
    if check and result.status != 0:
        raise _failure(argv, result.status, result.stderr)
    return result


def _source(input: bytes | None) -> IO[bytes] | None:
    """Return a tool's input as a file; None if files must not grow (``ulimit -f``), which does not affect pipes."""
    try:
        return unnamed_file(input or b"")
    except OSError:
        return None


def _run_spawned(
    argv: list[str],
    env: Mapping[str, str],
    *,
    source: IO[bytes],
    timeout_s: float | None,
    keep: tuple[int, ...],
) -> ProcessResult:
    """Run a tool without ``subprocess``; *source* is its input."""
    child = _start(argv, lambda: Child(argv, env, stdin=source, stderr=None, keep=keep))
    try:
        outputs = child.outputs(timeout_s)
        if outputs is None:
            raise ProcessError(f"{argv[0]} ran longer than {timeout_s:g} seconds", argv=argv)
    except BaseException:
        child.kill()
        child.wait()
        raise
    finally:
        child.close()
    return ProcessResult(child.wait(), *outputs)


def _run_anywhere(
    argv: list[str],
    *,
    cwd: str | Path | None,
    env: Mapping[str, str] | None,
    input: bytes | None,
    timeout_s: float | None,
    keep: tuple[int, ...],
) -> ProcessResult:
    import subprocess

    pipe = subprocess.PIPE
    stdin = subprocess.DEVNULL if input is None else pipe
    child = _start(
        argv,
        lambda: subprocess.Popen(argv, cwd=cwd, env=env, stdin=stdin, stdout=pipe, stderr=pipe, pass_fds=keep),
    )
    with child:
        try:
            stdout, stderr = child.communicate(input, timeout=timeout_s)
        except subprocess.TimeoutExpired as err:
            child.kill()
            raise ProcessError(f"{argv[0]} ran longer than {timeout_s:g} seconds", argv=argv) from err
        except BaseException:
            child.kill()
            raise
    return ProcessResult(child.returncode, stdout, stderr)


# Longer lines of a tool are passed on in parts.
_LINE_LIMIT = 65536


def run_by_lines(
    program: Program,
    *,
    timeout_s: float | None,
    output: Callable[[str], None],
    error: Callable[[str], None],
) -> int | None:
    """Run a tool without input, and pass each line of its two outputs on as it is written.

    With a time limit, it has a session of its own, and is killed together with all that it started in it. Without, it
    stays in the terminal's, where it may prompt, and where Ctrl-C reaches all of them. If we are killed, it ends too.

    Returns:
        Its exit status; None if it ran past its limit.

    Raises:
        ProcessError: It could not start.
    """
    import subprocess
    from threading import Thread

    def start() -> Popen[str]:
        return subprocess.Popen(
            program.argv,
            cwd=program.cwd,
            env=program.env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
            start_new_session=timeout_s is not None,
        )

    child = _start(program.argv, start)

    def pass_on(file: IO[str], to: Callable[[str], None]) -> None:
        with file:
            while line := file.readline(_LINE_LIMIT):
                to(line)

    pairs = ((child.stdout, output), (child.stderr, error))
    readers = [Thread(target=pass_on, args=pair, daemon=True) for pair in pairs]
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    guard = None
    try:
        with suppress(ProcessError):  # without a shell, or a process more, git can still do its work
            guard = _start_guard(-child.pid if timeout_s is not None else child.pid)
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join(None if deadline is None else max(0.0, deadline - time.monotonic()))
        if any(reader.is_alive() for reader in readers):
            return None
        return child.wait(None if deadline is None else max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        return None
    finally:
        if child.returncode is None:
            _kill_all(child, is_apart=timeout_s is not None)
        if guard is not None:
            guard.communicate(b"\n")


# It waits for a line. Without one, we were killed: then it ends the process, or the group if the number is negative,
# with a signal that lets git remove its unfinished files.
_GUARD = 'read -r _ || kill -TERM "$0"'
_SHELL = "/bin/sh"


def _start_guard(number: int) -> Popen[bytes]:
    """Start a shell that ends a process or a group when we are killed; a line on its input ends the shell alone.

    In a session of its own, which a signal to ours does not reach. Linux could send the signal itself
    (PR_SET_PDEATHSIG), but only to a program started by a fork, and not to what that starts.
    """
    import subprocess

    argv, nowhere = [_SHELL, "-c", _GUARD, str(number)], subprocess.DEVNULL

    def start() -> Popen[bytes]:
        return subprocess.Popen(
            argv, cwd="/", stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere, start_new_session=True
        )

    return _start(argv, start)


def _kill_all(child: Popen[str], *, is_apart: bool) -> None:
    try:
        if is_apart:
            os.killpg(child.pid, SIGKILL)
        else:
            child.terminate()
    except ProcessLookupError:
        pass
    child.wait()


class RunningTool:
    """A tool that runs inside a ``with`` block, in which its output is read piece by piece.

    Leaving the block closes the pipe and waits; leaving it by an exception kills the tool first.

    Attributes:
        process: The started program.
        stdout: Its standard output.
    """

    def __init__(self, argv: list[str], *, env: Mapping[str, str], input: bytes) -> None:
        """Prepare a tool, which starts when the block is entered.

        Args:
            argv: The program, found on the PATH of *env*, and its arguments.
            env: Its whole environment.
            input: Its whole standard input, from an unnamed file: writing it to a pipe before reading the answer would
                block for ever once both pipes are full.
        """
        self._argv = argv
        self._env = env
        self._input = input
        self._is_stopped = False

    def __enter__(self) -> RunningTool:
        """Start the tool.

        Raises:
            ProcessError: It could not start.
        """
        self._stderr = stderr = unnamed_file(b"")
        argv, env = self._argv, self._env
        self.process: Child | Popen[bytes]
        try:
            with unnamed_file(self._input) as source:
                if can_spawn():
                    self.process = _start(argv, lambda: Child(argv, env, stdin=source, stderr=stderr))
                else:
                    from subprocess import PIPE, Popen

                    self.process = _start(argv, lambda: Popen(argv, env=env, stdin=source, stdout=PIPE, stderr=stderr))
        except ProcessError:
            self._stderr.close()
            raise
        self.stdout: IO[bytes] = self.process.stdout  # type: ignore[assignment]
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close the pipe, wait, and raise if the tool failed.

        A tool that ends because the rest of its output is not read (SIGPIPE) has not failed.

        Raises:
            ProcessError: It failed, and the block itself did not.
        """
        unread = False
        try:
            if kind is not None:
                self.process.kill()
            unread = kind is None and bool(self.stdout.read(1))
        finally:
            self.stdout.close()
            status = self.process.wait()
            self._stderr.seek(0)
            stderr = self._stderr.read()
            self._stderr.close()
        if kind is None and status != 0 and not unread and not self._is_stopped:
            raise _failure(self._argv, status, stderr)

    def stop(self) -> None:
        """Kill it, because the rest of its output is not needed."""
        self._is_stopped = True
        self.process.kill()

    def read(self, size: int = -1) -> bytes:
        """Return up to *size* bytes of its output; fewer only at the end."""
        return self.stdout.read(size)

    def read_within(self, timeout_s: float, size: int) -> bytes:
        """Return up to *size* bytes of its output; on timeout, kill it and raise."""
        from threading import Timer  # 1 ms, and subprocess has loaded it

        ends = Timer(timeout_s, self.process.kill)
        ends.daemon = True
        ends.start()
        try:
            return self.stdout.read(size)
        finally:
            ends.cancel()

    def readline(self) -> bytes:
        """Return the next line of its output with its line feed; empty at the end."""
        return self.stdout.readline()


def _start(argv: list[str], start: Callable[[], Started]) -> Started:
    """Return the program that a function starts.

    Raises:
        ProcessError: It could not start.
    """
    program, hint = argv[0], ""
    try:
        return start()
    except (OSError, ValueError) as err:
        why = str(err)
        if isinstance(err, OSError):
            # A missing working directory raises the same error as a missing program; only the name differs.
            where = os.fsdecode(err.filename) if err.filename is not None else program
            why = (f"{where}: " if where != program else "") + str(err.strerror)
            if isinstance(err, FileNotFoundError) and where == program:
                hint = f"install {program}, or put the folder it is in on PATH"
        raise ProcessError(f"cannot start {program}: {why}", argv=argv, hint=hint) from err


def _failure(argv: list[str], status: int, stderr: bytes) -> ProcessError:
    tail = stderr.decode("utf-8", "replace").strip()[-STDERR_TAIL:]
    ended = f"ended by signal {-status}" if status < 0 else f"exit status {status}"
    return ProcessError(
        f"{argv[0]} failed ({ended})" + (f": {tail}" if tail else ""), argv=argv, status=status, stderr=tail
    )


def run_bounded(
    program: Program,
    *,
    timeout_s: float,
    output_cap: int = OUTPUT_CAP,
    input: bytes | None = None,
) -> Ran:
    """Run a program in a session of its own and kill its process group when it ends, however it ends.

    Processes that left the group (``setsid``) cannot be reached here, but by ``gitmem.verify.sandbox.starter``.

    Args:
        program: The program.
        timeout_s: Seconds by the monotonic clock after which it is killed.
        output_cap: The bytes kept from the end of its output.
        input: Its input; if given, its standard error is discarded, since its output is an answer.

    Returns:
        Status None with a problem if it could not start.
    """
    started, stops = time.monotonic(), stop_count()
    output = None if can_watch() else unnamed_file(b"")
    with _interrupts_held() as release:
        with unnamed_file(input or b"") as source:
            try:
                child = start_apart(program, output=output, source=None if input is None else source)
            except ProcessError as err:
                if output is not None:
                    output.close()
                return Ran(None, False, "", False, time.monotonic() - started, err.message)
        if output is not None:
            release()
            return wait_unwatched(child, output, deadline=started + timeout_s, cap=output_cap, stops=stops)
        live = BoundedRun(child, -1, deadline=started + timeout_s, cap=output_cap, stops=stops)
        try:
            release()
            live.watch()
        finally:
            live.end(0)
    return live.ran(time.monotonic() - started)


@contextmanager
def _interrupts_held() -> Iterator[Callable[[], None]]:
    """Hold Ctrl-C back until the given function is called, or the block ends.

    An interrupt while a program starts would end us before we know which process to kill.
    """
    import signal
    import threading

    handler = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(handler):
        yield lambda: None
        return
    held: list[tuple[int, FrameType | None]] = []
    signal.signal(signal.SIGINT, lambda number, frame: held.append((number, frame)))

    def release() -> None:
        signal.signal(signal.SIGINT, handler)
        while held:
            handler(*held.pop())

    try:
        yield release
    finally:
        release()


def start_apart(
    program: Program,
    *,
    given: tuple[int, ...] = (),
    output: IO[bytes] | None = None,
    source: IO[bytes] | None = None,
) -> Popen[bytes]:
    """Start a program in a session of its own, with one pipe for both outputs, and no standard input.

    Args:
        program: The program.
        given: Further descriptors that it inherits; standard input is then a pipe as well.
        output: A file for its outputs, instead of the pipe.
        source: Its standard input; its standard error is then discarded.

    Raises:
        ProcessError: It could not start.
    """
    import subprocess

    def start() -> Popen[bytes]:
        return subprocess.Popen(
            program.argv,
            cwd=program.cwd,
            env=program.env,
            stdin=source or (subprocess.PIPE if given else subprocess.DEVNULL),
            stdout=output or subprocess.PIPE,
            stderr=subprocess.DEVNULL if source else subprocess.STDOUT,
            bufsize=0,
            start_new_session=True,
            pass_fds=given,
        )

    return _start(program.argv, start)


# $0 is the log, $1 the folder, the rest the program. The shell detaches the program from us: otherwise a long-running
# caller would have to wait for it.
_DETACHING = 'cd -- "$1" || exit; shift; "$@" </dev/null >>"$0" 2>&1 &'


def start_detached(argv: list[str], *, cwd: str | os.PathLike[str], env: Mapping[str, str], log: str) -> None:
    """Start a program that outlives this process, in a session of its own; if that is impossible, do nothing.

    Without ``subprocess``: its import alone costs a bare Python start, and this runs in commands that are faster.

    Args:
        argv: The program, by its path, and its arguments.
        cwd: Its working directory.
        env: Its whole environment.
        log: The file that its output is appended to.
    """
    shell = ["/bin/sh", "-c", _DETACHING, log, os.fspath(cwd), *argv]
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    try:
        child = os.posix_spawn(shell[0], shell, env, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # a system without POSIX_SPAWN_SETSID: then in our session
        child = os.posix_spawn(shell[0], shell, env, file_actions=nowhere, setpgroup=0)
    except (OSError, ValueError):
        return
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        return  # the caller ignores SIGCHLD: no child to wait for


def run_interactive(argv: list[str], *, what: str, input: bytes | None = None) -> None:
    """Run a program on the person's terminal (their editor or pager), and wait for it; Ctrl-C goes to the program.

    Args:
        argv: The program and its arguments.
        what: Its name in errors.
        input: Its standard input, which it need not read completely; the terminal by default.

    Raises:
        ProcessError: It could not start, or failed.
    """
    import subprocess

    stdin = None if input is None else subprocess.PIPE
    # The program may run, and Ctrl-C be typed, before Popen returns.
    with suppress(KeyboardInterrupt), _interrupts_held():
        child = _start(argv, lambda: subprocess.Popen(argv, stdin=stdin))
    status = None
    while status is None:
        try:
            if child.stdin is not None and not child.stdin.closed:
                try:
                    with child.stdin as pipe:
                        pipe.write(input or b"")
                except BrokenPipeError:
                    continue  # a pager may be closed early
            status = child.wait()
        except KeyboardInterrupt:
            continue
    if status != 0:
        raise ProcessError(f"{what} ended with status {status}", argv=argv, status=status)
