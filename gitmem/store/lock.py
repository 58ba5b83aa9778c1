"""The kernel lock that writers of one repository queue on, and what a crashed writer left behind.

The lock only spares lost races; safety comes from the compare-and-swap of the ref, which other tools also obey.
``flock`` is released by the kernel when its holder dies, so the lock itself cannot go stale.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

from gitmem.errors import ConflictError, UnwritableError
from gitmem.frozen import frozen
from gitmem.locks import lock_now, open_lock

# Waiting polls at this interval: 5 ms is a third of what one write takes (measured), so no turn is lost to sleep.
POLL_S = 0.005
# How long after its last word a killed writer's git may still have made the ref's lock: writing 10,000 files takes it
# half a second (measured), and a busy disk many times that.
LEFT_WITHIN_S = 60.0
# A git that lives holds a ref's lock for milliseconds; whoever holds it for longer than this is dead, or is told.
FRESH_S = 1.0
# A lock file that nobody holds is taken for a dead process's after this long (fault R4).
STALE_AFTER_S = 30.0


@frozen
class Holder:
    """Who holds the lock, as it wrote itself down.

    Attributes:
        pid: Its process.
        started: When it took the lock, or began to write behind it, epoch seconds.
        since: The same of the first of the holders that died one after another.
        command: What it was doing.
    """

    pid: int
    started: float
    since: float
    command: str


class WriteLock:
    """An exclusive lock on one repository's store, as a context manager.

    Attributes:
        crashed: The holder before us, when it died without letting go.
        fd: The open file that holds it. A child that keeps it open keeps the lock: so does a git that outlives us.
    """

    def __init__(self, state_dir: Path, *, command: str, timeout_s: float, name: str = "lock") -> None:
        self._path = state_dir / name
        self._command = command
        self._timeout_s = timeout_s
        self.fd = -1
        self.crashed: Holder | None = None

    def __enter__(self) -> WriteLock:
        """Wait for the lock.

        Raises:
            ConflictError: Somebody else holds it past the deadline; names the holder.
            UnwritableError: The repository cannot be written to.
        """
        try:
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            self.fd = open_lock(self._path)
        except OSError as err:
            reason = f"the repository cannot be written to: {self._path}: {err.strerror}"
            raise UnwritableError(reason, hint="reading still works: gitmem recall, list, show") from err
        try:
            self._wait()
        except BaseException:
            os.close(self.fd)
            raise
        self.crashed = _parse(_read(self.fd))
        self._write_down(since=self.crashed.since if self.crashed else time.time())
        return self

    def renew(self) -> None:
        """Say that we write from now on, and that nothing is left of those who died before us."""
        self._write_down(since=time.time())

    def _write_down(self, *, since: float) -> None:
        self._write(f"{os.getpid()} {time.time():.3f} {since:.3f} {self._command}")

    def __exit__(self, *_: object) -> None:
        """Let go."""
        self._write("")
        os.close(self.fd)

    def _write(self, text: str) -> None:
        try:
            os.ftruncate(self.fd, 0)
            os.lseek(self.fd, 0, os.SEEK_SET)
            os.write(self.fd, text.encode("utf-8", "replace")[:400])
        except OSError:
            pass  # a full disk: who holds the lock is only told, the kernel keeps it

    def _wait(self) -> None:
        deadline = time.monotonic() + self._timeout_s
        while True:
            if lock_now(self.fd):
                return
            if time.monotonic() > deadline:
                raise self._taken()
            time.sleep(POLL_S)

    def _taken(self) -> ConflictError:
        holder = _parse(_read(self.fd))
        who = f"process {holder.pid} ({holder.command})" if holder else "another process"
        what = "store" if self._path.name == "lock" else "view"
        return ConflictError(
            f"the {what} is being written by {who}; waited {self._timeout_s:g} s for it",
            hint="try again, or wait longer: GITMEM_LOCK_TIMEOUT=120",
        )


def _read(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    return os.read(fd, 400)


def _parse(raw: bytes) -> Holder | None:
    words = raw.decode("utf-8", "replace").split(" ", 3)
    try:
        return Holder(int(words[0]), float(words[1]), float(words[2]), words[3])
    except (ValueError, IndexError):
        return None


def clear_stale_ref_lock(lock: Path, crashed: Holder | None) -> bool:
    """Remove a ref's lock file that a killed gitmem left, and tell whether it was removed.

    Call it while holding the ``WriteLock``: then no living gitmem, and no git that one of them started, writes this
    ref. A lock file is ours to remove when it was made while the holders before us lived, and nobody lets go of it for
    a while; one that nobody of ours made is left to ``doctor --fix``.
    """
    found = _made(lock)
    if crashed is None or found is None or not crashed.since - 1 <= found[1] <= crashed.started + LEFT_WITHIN_S:
        return False
    time.sleep(max(0.0, min(FRESH_S, FRESH_S - (time.time() - found[1]))))
    if _made(lock) != found:
        return False
    lock.unlink(missing_ok=True)
    return True


def _made(lock: Path) -> tuple[int, float] | None:
    """Return which file it is and when it was made, or None where there is none."""
    try:
        found = lock.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime


def is_held(path: Path) -> bool:
    """Tell whether a process has the file open (Linux; elsewhere age alone decides)."""
    try:
        wanted = path.stat()
        fds = Path("/proc").glob("[0-9]*/fd/*")
    except OSError:
        return False
    for fd in fds:
        try:
            there = os.stat(fd)  # noqa: PTH116 - follows the link to what is open
        except OSError:
            continue
        if (there.st_dev, there.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False
