"""The kernel lock that writers of one repository queue on, and what a crashed writer left behind.

The lock only spares lost races; safety comes from the compare-and-swap of the ref, which other tools also obey.
``flock`` is released by the kernel when its holder dies, so the lock itself cannot go stale.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import ConflictError, GitmemError, ProcessError, UnwritableError, suppress
from gitmem.frozen import frozen
from gitmem.system.atomic_write import sync_folder
from gitmem.system.file_lock import lock_now, make_folder, open_lock

# Waiting polls at this interval: 5 ms is a third of what one write takes (measured), so no turn is lost to sleep.
POLL_S = 0.005
# How long after its last word a killed writer's git may still have made the ref's lock: writing 10,000 files takes it
# half a second (measured), and a busy disk many times that.
LEFT_WITHIN_S = 60.0
# A git that lives holds a ref's lock for milliseconds; whoever holds it for longer than this is dead, or is told.
FRESH_S = 1.0
# A lock file that nobody holds is taken for a dead process's after this long (fault R4).
STALE_AFTER_S = 30.0
# A clock may be set by a few seconds while a machine starts.
BOOT_MARGIN_S = 5.0


@frozen
class Holder:
    """Who holds the lock, as it wrote itself down.

    Attributes:
        pid: Its process.
        started: When it took the lock, or began to write behind it, epoch seconds.
        since: The same of the first of the holders that died one after another.
        command: What it was doing.
        boot: The boot id of the machine that it ran on; empty where that is not known.
    """

    pid: int
    started: float
    since: float
    command: str
    boot: str = ""


class WriteLock:
    """An exclusive lock on one repository's store, as a context manager.

    Attributes:
        crashed: The holder before us, when it died without letting go.
        fd: The open file that holds it. A child that keeps it open keeps the lock: so does a git that outlives us.
    """

    def __init__(
        self, state_dir: str | os.PathLike[str], *, command: str, timeout_s: float, name: str = "lock"
    ) -> None:
        self._path = os.path.join(state_dir, name)
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
            folder = os.path.dirname(self._path)
            make_folder(folder)
            is_new = not os.path.exists(self._path)
            self.fd = open_lock(self._path)
            if is_new:
                sync_folder(folder)
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
        """Note on disk that this process writes from now on, and that nothing is left of those who died before it.

        After a power cut the note is what proves that a lock file of git is left from that write.
        """
        self._write_down(since=time.time())
        with suppress(OSError):  # a full disk
            os.fsync(self.fd)

    def _write_down(self, *, since: float) -> None:
        self._write(f"{os.getpid()} {time.time():.3f} {since:.3f} {boot_id() or '-'} {self._command}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Let go; where a git of ours was killed, the note of this writer stays for the next one."""
        if not _was_killed(error):
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
        what = "store" if os.path.basename(self._path) == "lock" else "view"
        return ConflictError(
            f"the {what} is being written by {who}; waited {self._timeout_s:g} s for it",
            hint="try again, or wait longer: GITMEM_LOCK_TIMEOUT=120",
        )


def _read(fd: int) -> bytes:
    os.lseek(fd, 0, os.SEEK_SET)
    return os.read(fd, 400)


def _parse(raw: bytes) -> Holder | None:
    words = raw.decode("utf-8", "replace").split(" ", 4)
    try:
        return Holder(int(words[0]), float(words[1]), float(words[2]), words[4], words[3].strip("-"))
    except (ValueError, IndexError):
        return None


def _was_killed(error: BaseException | None) -> bool:
    """Return whether a git that gitmem started may have died with a lock file of its own in place."""
    if isinstance(error, ProcessError):
        return (error.status or 0) < 0
    return error is not None and not isinstance(error, GitmemError)


def clear_stale_lock(lock: str | os.PathLike[str], crashed: Holder | None) -> bool:
    """Remove a lock file of git whose holder is provably gone, and tell whether it was removed.

    Call it while holding the ``WriteLock``: then no living gitmem, and no git that one of them started, writes what the
    file locks. A holder is gone when the file was made before this machine started, or while a holder of the
    ``WriteLock`` lived that died; and when nobody lets go of it for a while. Any other file is left to
    ``doctor --fix``.
    """
    found = _made(lock)
    if found is None or not (_is_left(found[1], crashed) or _is_before_boot(lock, found[1])):
        return False
    time.sleep(max(0.0, min(FRESH_S, FRESH_S - (time.time() - found[1]))))
    if _made(lock) != found:
        return False
    with suppress(FileNotFoundError):
        os.unlink(lock)
    return True


def _is_left(made: float, crashed: Holder | None) -> bool:
    """Return whether a file was made while a holder lived that died without letting go."""
    if crashed is None or not crashed.since - 1 <= made <= crashed.started + LEFT_WITHIN_S:
        return False
    booted = boot_time()
    return not crashed.boot or crashed.boot == boot_id() or booted is None or made < booted + BOOT_MARGIN_S


def _is_before_boot(lock: str | os.PathLike[str], made: float) -> bool:
    """Return whether a file is older than this machine's start, and no process has it open."""
    booted = boot_time()
    is_old = booted is not None and made < min(booted - BOOT_MARGIN_S, time.time() - STALE_AFTER_S)
    return is_old and not is_held(lock)


def boot_id() -> str:
    """Return the id of this start of the machine (random(4)); empty where the system has none."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return ""


def boot_time() -> float | None:
    """Return when this machine started, epoch seconds; None where the system does not say."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return None if clock is None else time.time() - time.clock_gettime(clock)


def _made(lock: str | os.PathLike[str]) -> tuple[int, float] | None:
    """Return which file it is and when it was made, or None where there is none."""
    try:
        found = os.stat(lock)
    except OSError:
        return None
    return found.st_ino, found.st_mtime


def is_worked_in(folder: str) -> bool:
    """Return whether a git process may be at work in a folder; where that cannot be seen (no /proc), one may."""
    from pathlib import Path  # 4 ms (measured), and only where something was left

    top = Path(folder).resolve()
    found = list(Path("/proc").glob("[0-9]*/comm"))
    for comm in found:
        try:
            if comm.read_bytes().startswith(b"git") and (comm.parent / "cwd").readlink().is_relative_to(top):
                return True
        except OSError:
            continue  # it ended, or is another person's
    return not found


def is_held(path: str | os.PathLike[str]) -> bool:
    """Return whether a process has the file open (Linux; elsewhere age alone decides)."""
    from pathlib import Path

    try:
        wanted = os.stat(path)
        fds = Path("/proc").glob("[0-9]*/fd/*")
    except OSError:
        return False
    for fd in fds:
        try:
            there = os.stat(fd)
        except OSError:
            continue
        if (there.st_dev, there.st_ino) == (wanted.st_dev, wanted.st_ino):
            return True
    return False
