"""The lock on which writers of one repository queue, and the cleanup after a crashed writer.

The lock only avoids lost races; safety comes from the compare-and-swap of the ref, which other tools also obey. The
kernel releases ``flock`` when its holder dies, so the lock itself cannot become stale.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import ConflictError, GitmemError, ProcessError, UnwritableError, suppress
from gitmem.frozen import frozen
from gitmem.system import blocked_by, list_names, make_folder, read_file
from gitmem.system.atomic_write import sync_folder
from gitmem.system.file_lock import lock_now, open_lock

# The polling interval: 5 ms is a third of one write (measured), so no turn is lost by sleeping.
POLL_S = 0.005
# How long after its last sign of life a killed writer's git may still create the ref's lock: writing 10,000 files takes
# half a second (measured), and many times that on a busy disk.
LEFT_WITHIN_S = 60.0
# A living git holds a ref's lock for milliseconds; a longer hold is reported, or its holder is dead.
FRESH_S = 1.0
# A lock file without a holder is assumed to be stale after this long.
STALE_AFTER_S = 30.0
# The clock may be adjusted by a few seconds while a machine starts.
BOOT_MARGIN_S = 5.0


@frozen
class Holder:
    """The holder of the lock, as it recorded itself.

    Attributes:
        pid: Its process.
        started: When it took the lock, or began to write under it, epoch seconds.
        since: The same for the first of several holders that died in a row.
        command: Its command.
        boot: The boot id of its machine; empty if unknown.
    """

    pid: int
    started: float
    since: float
    command: str
    boot: str = ""


class WriteLock:
    """An exclusive lock on one repository's store, as a context manager.

    Attributes:
        crashed: The previous holder, if it died without releasing the lock.
        fd: The open file that holds the lock. A child process that keeps it open keeps the lock, such as a git that
            outlives this process.
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
            ConflictError: Another process holds it past the deadline; the message names it.
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
            hints = (blocked_by(err, self._path), "reading still works: gitmem recall, list, show")
            raise UnwritableError(reason, hint="; ".join(filter(None, hints))) from err
        try:
            self._wait()
        except BaseException:
            os.close(self.fd)
            raise
        self.crashed = _parse(_read(self.fd))
        self._write_down(since=self.crashed.since if self.crashed else time.time())
        return self

    def renew(self) -> None:
        """Record on disk that this process writes from now on, and that leftovers of earlier holders are gone.

        After a power cut, the record proves that a lock file of git is from that write.
        """
        self._write_down(since=time.time())
        with suppress(OSError):  # a full disk
            os.fsync(self.fd)

    def _write_down(self, *, since: float) -> None:
        self._write(f"{os.getpid()} {time.time():.3f} {since:.3f} {boot_id() or '-'} {self._command}")

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: object) -> None:
        """Release the lock; if a git of ours was killed, this writer's record stays for the next one."""
        if not _was_killed(error):
            self._write("")
        os.close(self.fd)

    def _write(self, text: str) -> None:
        try:
            os.ftruncate(self.fd, 0)
            os.lseek(self.fd, 0, os.SEEK_SET)
            os.write(self.fd, text.encode("utf-8", "replace")[:400])
        except OSError:
            pass  # a full disk: the record is only informative, the kernel holds the lock

    def _wait(self) -> None:
        deadline = time.monotonic() + self._timeout_s
        while True:
            if lock_now(self.fd):
                return
            if time.monotonic() > deadline:
                raise self._timeout_error()
            time.sleep(POLL_S)

    def _timeout_error(self) -> ConflictError:
        holder = _parse(_read(self.fd))
        who = f"process {holder.pid} ({holder.command})" if holder else "another process"
        what = "store" if os.path.basename(self._path) == "lock" else "view"
        return ConflictError(
            f"timed out after {self._timeout_s:g} s: the {what} is being written by {who}",
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
    """Return whether a git started by gitmem may have died and left a lock file."""
    if isinstance(error, ProcessError):
        return (error.status or 0) < 0
    return error is not None and not isinstance(error, GitmemError)


def clear_stale_lock(lock: str | os.PathLike[str], crashed: Holder | None) -> bool:
    """Remove a lock file of git whose holder is provably gone; return whether it was removed.

    Call it while holding the ``WriteLock``: then no living gitmem, nor a git that it started, writes the locked file. A
    holder is gone if the file is older than this machine's start, or was made during the life of a ``WriteLock`` holder
    that died, or if nobody has the file open for a while. Any other file is left to ``doctor --fix``.
    """
    identity = _identity_of(lock)
    if identity is None or not (_is_left(identity[1], crashed) or _is_before_boot(lock, identity[1])):
        return False
    time.sleep(max(0.0, min(FRESH_S, FRESH_S - (time.time() - identity[1]))))
    if _identity_of(lock) != identity:
        return False
    with suppress(FileNotFoundError):
        os.unlink(lock)
    return True


def _is_left(created: float, crashed: Holder | None) -> bool:
    """Return whether a file was made during the life of a holder that died without releasing the lock."""
    if crashed is None or not crashed.since - 1 <= created <= crashed.started + LEFT_WITHIN_S:
        return False
    booted = boot_time()
    return not crashed.boot or crashed.boot == boot_id() or booted is None or created < booted + BOOT_MARGIN_S


def _is_before_boot(lock: str | os.PathLike[str], created: float) -> bool:
    """Return whether a file is older than this machine's start, and no process has it open."""
    booted = boot_time()
    is_old = booted is not None and created < min(booted - BOOT_MARGIN_S, time.time() - STALE_AFTER_S)
    return is_old and not is_held(lock)


def boot_id() -> str:
    """Return the machine's boot id (random(4)); empty if the system has none."""
    return read_file("/proc/sys/kernel/random/boot_id").decode("ascii").strip()


def boot_time() -> float | None:
    """Return when this machine started, epoch seconds; None if unknown."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    return None if clock is None else time.time() - time.clock_gettime(clock)


def _identity_of(lock: str | os.PathLike[str]) -> tuple[int, float] | None:
    """Return a file's identity and creation time, or None if it does not exist."""
    try:
        info = os.stat(lock)
    except OSError:
        return None
    return info.st_ino, info.st_mtime


def is_worked_in(folder: str) -> bool:
    """Return whether a git process may be running in a folder; true if that cannot be determined (no /proc)."""
    from pathlib import Path  # 4 ms (measured), only if something was left behind

    top = Path(folder).resolve()
    processes = list(Path("/proc").glob("[0-9]*/comm"))
    for comm in processes:
        try:
            if comm.read_bytes().startswith(b"git") and (comm.parent / "cwd").readlink().is_relative_to(top):
                return True
        except OSError:
            continue  # it ended, or belongs to another user
    return not processes


def is_held(path: str | os.PathLike[str]) -> bool:
    """Return whether a process has the file open (Linux; elsewhere age alone decides)."""
    try:
        wanted = os.stat(path)
    except OSError:
        return False
    for process in filter(str.isdigit, list_names("/proc")):
        for fd in list_names(f"/proc/{process}/fd"):
            with suppress(OSError):
                if os.path.samestat(os.stat(f"/proc/{process}/fd/{fd}"), wanted):
                    return True
    return False
