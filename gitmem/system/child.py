"""Start a program without ``subprocess``, whose import takes as long as a bare start of Python.

For tools that run at once with a given environment, in the current directory and session. The rest of
``system.process`` uses ``subprocess``, and so do systems other than Linux.
"""

from __future__ import annotations

import errno
import os
import select
import sys
import time

from gitmem.errors import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import IO

# signal(7). Python ignores the first and the last, which programs inherit: `subprocess` resets them as well.
_SIGPIPE, _SIGKILL, _SIGXFSZ = 13, 9, 25
# Without pidfd (Linux before 5.3), the exit is polled at this interval, in seconds.
_POLL_S = 0.005


def can_spawn() -> bool:
    """Return whether programs can be started like this: on Linux, unless a standard stream is closed.

    gitmem's own pipe would otherwise get the number of the closed stream.
    """
    if sys.platform != "linux":
        return False
    try:
        for fd in (0, 1, 2):
            os.fstat(fd)
    except OSError:
        return False
    return True


def unnamed_file(content: bytes) -> IO[bytes]:
    """Return an open file without a name that contains *content*, positioned at its start."""
    if hasattr(os, "memfd_create"):
        file: IO[bytes] = os.fdopen(os.memfd_create("gitmem"), "w+b")
    else:
        import tempfile

        file = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    if content:
        file.write(content)
        file.seek(0)
    return file


class Child:
    """A started program.

    Attributes:
        pid: Its number.
        stdout: The pipe from its standard output.
        stderr: The pipe from its standard error, or None if a file was given.
        returncode: Its status in the form of ``subprocess.Popen``; None until it was waited for.
    """

    def __init__(
        self,
        argv: list[str],
        env: Mapping[str, str],
        *,
        stdin: IO[bytes],
        stderr: IO[bytes] | None,
        keep: tuple[int, ...] = (),
    ) -> None:
        """Start a program.

        Args:
            argv: The program, found on the PATH of *env*, and its arguments.
            env: Its whole environment.
            stdin: The file that it reads.
            stderr: The file that its errors go to; None for a pipe.
            keep: Descriptors that the program inherits.

        Raises:
            OSError: It could not be started; the error's file name is the program's if that was not found.
            ValueError: An argument is invalid.
        """
        self.returncode: int | None = None
        theirs: list[int] = []
        self.stdout: IO[bytes] = self._pipe(theirs)
        self.stderr = self._pipe(theirs) if stderr is None else None
        errors = theirs[-1] if stderr is None else stderr.fileno()
        actions = [(os.POSIX_SPAWN_DUP2, fd, at) for at, fd in enumerate((stdin.fileno(), theirs[0], errors))]
        # Onto itself: the program then inherits the descriptor (POSIX, posix_spawn_file_actions_adddup2).
        actions += [(os.POSIX_SPAWN_DUP2, fd, fd) for fd in keep]
        try:
            self.pid = _spawn(argv, env, actions)
        except BaseException:
            self.close()
            raise
        finally:
            for end in theirs:
                os.close(end)

    @staticmethod
    def _pipe(theirs: list[int]) -> IO[bytes]:
        """Return our end of a new pipe; the program's end is added to a list."""
        reads, writes = os.pipe()
        theirs.append(writes)
        return os.fdopen(reads, "rb")

    def close(self) -> None:
        """Close our ends of the pipes."""
        self.stdout.close()
        if self.stderr is not None:
            self.stderr.close()

    def outputs(self, timeout_s: float | None) -> tuple[bytes, bytes] | None:
        """Return all of both outputs; None if that takes longer than this many seconds."""
        assert self.stderr is not None
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        outputs: dict[int, list[bytes]] = {self.stdout.fileno(): [], self.stderr.fileno(): []}
        poll = select.poll()
        for fd in outputs:
            poll.register(fd, select.POLLIN)
        left = len(outputs)
        while left:
            ready = poll.poll(None if deadline is None else max(0.0, deadline - time.monotonic()) * 1000)
            if not ready:
                return None
            for fd, _ in ready:
                data = os.read(fd, 1 << 16)
                outputs[fd].append(data)
                if not data:
                    poll.unregister(fd)
                    left -= 1
        if deadline is None:
            self.wait()
        elif not self.wait_within(deadline - time.monotonic()):
            return None
        stdout, stderr = map(b"".join, outputs.values())
        return stdout, stderr

    def kill(self) -> None:
        """Kill it, unless it was waited for: its number may then be another program's."""
        if self.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, _SIGKILL)

    def wait(self) -> int:
        """Wait for it and return its exit status; if a signal ended it, the signal's negative number."""
        if self.returncode is None:
            self._reap(0)
        assert self.returncode is not None
        return self.returncode

    def wait_within(self, timeout_s: float) -> bool:
        """Wait for it at most this many seconds; return whether it has ended."""
        deadline = time.monotonic() + timeout_s
        try:
            exits = os.pidfd_open(self.pid)
        except (AttributeError, OSError):
            while not self._reap(os.WNOHANG) and time.monotonic() < deadline:
                time.sleep(_POLL_S)
            return self.returncode is not None
        try:
            poll = select.poll()
            poll.register(exits, select.POLLIN)
            if not poll.poll(max(0.0, timeout_s) * 1000):
                return False
        finally:
            os.close(exits)
        self.wait()
        return True

    def _reap(self, flags: int) -> bool:
        try:
            pid, status = os.waitpid(self.pid, flags)
        except ChildProcessError:  # the caller ignores SIGCHLD: the status is unknown
            self.returncode = 0
            return True
        if pid == 0:
            return False
        self.returncode = os.waitstatus_to_exitcode(status)
        return True


def _spawn(argv: list[str], env: Mapping[str, str], actions: list[tuple[int, int, int]]) -> int:
    """Start a program from the first folder on the environment's PATH that has it, like execvp(3)."""
    program = argv[0]
    folders = [""] if os.sep in program else env.get("PATH", os.defpath).split(os.pathsep)
    error: OSError = FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    for folder in folders:
        path = os.path.join(folder, program)
        if not os.path.exists(path):  # checking is cheaper than a failed start
            continue
        try:
            return os.posix_spawn(path, argv, env, file_actions=actions, setsigdef=(_SIGPIPE, _SIGXFSZ))
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError as err:
            error = err
    raise error
