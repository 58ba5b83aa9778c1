"""What a check uses while it runs, and when that is too much: processes, memory, and the disk under its ground.

Runs in the starter (``launcher``), which looks ten times a second. The kernel's own limits do not do: RLIMIT_NPROC does
not bind root (measured), RLIMIT_AS makes an allocation fail, which reads as "the fact is false", RLIMIT_FSIZE is for
one file, and a cgroup is not ours to make. So a check is a little past a limit before it is ended, and what hides from
the count (a deleted file, a mount of its own) meets the last line: it is ended when the machine has nearly nothing
left.

Sources: proc(5), statvfs(3); Documentation/filesystems/proc.rst for ``smaps_rollup``.
"""

from __future__ import annotations

import os
import time

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIB = 1 << 20
# signal(7); the signal module costs 3 ms to import (measured).
SIGKILL = 9
# When a check is first looked at, in seconds, and then how often: a fork bomb doubles in milliseconds. And what looking
# may cost at most, as a share of one processor.
FIRST_S = 0.02
LOOK_S = 0.1
SHARE = 0.05
# Threads count as well: this many for each process that is allowed.
THREADS = 8
# What is left of the disk or the memory when a check that took its part of it is ended, and how much that part is.
RESERVE = 512 * MIB
RESERVE_SHARE = 20
DISK_TAKEN = 32 * MIB
INODES_TAKEN = 10_000
MEMORY_SHARE = 8
# How long the files of a ground are counted before the count so far is taken, in seconds.
COUNT_S = 1.0
# What a file costs besides its content, in bytes: an inode in memory (tmpfs) or on disk, and its name.
INODE_BYTES = 1024
# Whether the kernel lists a process's children (CONFIG_PROC_CHILDREN); else all processes are looked through.
HAS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110


@frozen
class Limits:
    """What a check may use, all its processes together.

    Attributes:
        processes: How many there may be at once, > 0; eight times as many threads.
        memory: Bytes of memory, > 0, files in memory included; 0 = half of the machine's.
        disk: Bytes that it may have written to its ground, > 0.
    """

    processes: int
    memory: int
    disk: int


class LimitWatch:
    """Looks at one check.

    Attributes:
        interval_s: How long to wait before the next look.
    """

    def __init__(self, limits: Limits, *, ground: str, upper: str, scratch: str) -> None:
        """Note how the machine is before the check starts.

        Args:
            limits: What it may use.
            ground: The folder that it may change.
            upper: Where its changes go instead, or empty.
            scratch: Another folder that it may change, or empty.
        """
        total, self._available = read_memory()
        self._limits = limits
        self._memory = limits.memory or total // 2
        self._reserve = min(RESERVE, total // RESERVE_SHARE)
        self._taken = total // MEMORY_SHARE
        # A ground that is changed in place has other files as well: its own are those that changed since.
        self._folders = [(upper, 0.0)] if upper else [(ground, time.time() - 1)]
        self._folders += [(scratch, 0.0)] if scratch else []
        self._before = {folder: _read_space(folder) for folder, _ in self._folders}
        self._allowed = dict.fromkeys(self._before, limits.disk)
        self._oom_kills = count_oom_kills()
        self._is_over = False
        self.interval_s = FIRST_S

    def look(self) -> str:
        """Return which limit is passed, in words, or an empty string."""
        began = time.monotonic()
        found = self._processes() or self._disk()
        self.interval_s = max(min(2 * self.interval_s, LOOK_S), (time.monotonic() - began) / SHARE)
        return found

    def ran_out(self) -> bool:
        """Return whether the kernel ended a process for want of memory meanwhile: perhaps one of the check's."""
        return count_oom_kills() > self._oom_kills

    def _processes(self) -> str:
        limit = self._limits.processes
        pids: list[int] = []
        threads = memory = 0
        for pid in iter_descendants(os.getpid()):
            pids.append(pid)
            counted, used = _read_status(pid)
            threads += counted
            memory += used
            if len(pids) > limit or threads > limit * THREADS:
                what = "processes" if len(pids) > limit else "threads"
                return f"it ran more than {limit if what == 'processes' else limit * THREADS} {what} at once"
        # The sum counts what forked processes share several times: only one too large is worth an exact one. And
        # while a sandbox is built, figures may be of something else for a moment (seen once in a thousand runs).
        was_over, self._is_over = self._is_over, False
        if memory + _in_memory(pids) > self._memory:
            self._is_over = sum(map(_read_own, pids)) + _in_memory(pids) > self._memory
        if self._is_over and was_over:
            return f"it used more than {self._memory // MIB} MiB of memory"
        available = read_memory()[1]
        if available < self._reserve and self._available - available > self._taken:
            return f"the machine had only {available // MIB} MiB of memory left"
        return ""

    def _disk(self) -> str:
        for folder, since in self._folders:
            total, free, inodes, inodes_free = _read_space(folder)
            taken = self._before[folder][1] - free
            files = self._before[folder][3] - inodes_free
            if inodes_free < inodes // RESERVE_SHARE and files > INODES_TAKEN:
                return f"the disk that it wrote to had only {inodes_free} inodes left"
            if free < min(RESERVE, total // RESERVE_SHARE) and taken > DISK_TAKEN:
                return f"the disk that it wrote to had only {free // MIB} MiB left"
            if taken <= self._allowed[folder]:
                continue
            # Others write as well: what it wrote itself is counted, and again when that may have reached the limit.
            written = count_written(folder, since, stop=self._limits.disk)
            if written > self._limits.disk:
                return f"it wrote more than {self._limits.disk // MIB} MiB to disk"
            self._allowed[folder] = taken + self._limits.disk - written
        return ""


def iter_descendants(top: int) -> Iterator[int]:
    """Yield the processes below one, parents first; while they come and go, some may be missed."""
    waiting = [top]
    while waiting:
        for child in list_children(waiting.pop()):
            yield child
            waiting.append(child)


def kill_session(session: int) -> None:
    """End what is left of a session, for a check that killed its starter; what made one of its own is out of reach."""
    for _ in range(100):  # as long as they fork, but not for ever
        left = [int(name) for name in os.listdir("/proc") if name.isdigit() and _read_session(name) == session]  # noqa: PTH208
        for pid in left:
            try:
                os.kill(pid, SIGKILL)
            except OSError:
                continue
        if not left:
            return


def _read_session(pid: str) -> int:
    """Return a process's session, 0 for one that is dead. Source: proc(5), ``stat``."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[3]) if len(fields) > 3 and fields[0] not in (b"Z", b"X") else 0


def list_children(pid: int) -> list[int]:
    """Return the children of a process, dead ones that are not reaped included.

    Source: proc(5), ``task/.../children``, which few kernels lack.
    """
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib costs 8 ms to import (measured)
    except OSError:
        return []  # it is gone
    if not HAS_CHILDREN:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _read_parent(name) == pid]  # noqa: PTH208
    return [int(n) for thread in threads for n in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _read_parent(pid: str) -> int:
    return _fields(f"/proc/{pid}/status", b"PPid")[0]


def _read(path: str) -> bytes:
    """Return a small file, or nothing where it is gone or not ours to read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        found = b""
        while more := os.read(fd, 1 << 16):
            found += more
    except OSError:
        return b""
    else:
        return found
    finally:
        os.close(fd)


def _fields(path: str, *names: bytes) -> list[int]:
    """Return numbers of a file of ``Name: number`` lines; 0 where one is missing."""
    lines = dict(line.split(b":", 1) for line in _read(path).splitlines() if b":" in line)
    return [int(lines[name].split()[0]) if lines.get(name, b"").split() else 0 for name in names]


def _read_status(pid: int) -> tuple[int, int]:
    """Return a process's threads and its bytes of memory, shared ones included."""
    threads, own, shared = _fields(f"/proc/{pid}/status", b"Threads", b"RssAnon", b"RssShmem")
    return threads, (own + shared) * 1024


def _read_own(pid: int) -> int:
    """Return a process's part of the memory that it shares with others, and all of the rest, in bytes."""
    rollup = f"/proc/{pid}/smaps_rollup"
    own, shared, whole = _fields(rollup, b"Pss_Anon", b"Pss_Shmem", b"Pss")
    return ((own + shared) or whole) * 1024 or _read_status(pid)[1]


def _in_memory(pids: Sequence[int]) -> int:
    """Return the bytes of files in memory that a sandbox holds: those of file systems that are not the machine's."""
    ours = _list_tmpfs("self")
    for pid in reversed(pids[:8]):  # the outermost stay in the machine's own view; the first inside is enough
        places = {device: place for device, place in _list_tmpfs(str(pid)).items() if device not in ours}
        if places:
            return sum(_read_used(f"/proc/{pid}/root{place}", device) for device, place in places.items())
    return 0


def _list_tmpfs(pid: str) -> dict[int, str]:
    """Return where a process sees file systems in memory, by their devices. Source: proc(5), ``mountinfo``."""
    found = {}
    for line in _read(f"/proc/{pid}/mountinfo").decode("utf-8", "replace").splitlines():
        before, _, kind = line.partition(" - ")
        if kind.startswith("tmpfs "):
            _, _, device, _, place, *_ = before.split(" ")
            found[os.makedev(*map(int, device.split(":")))] = place
    return found


def _read_used(place: str, device: int) -> int:
    """Return the bytes that a file system in memory holds; 0 where the place is none of it any more."""
    try:
        fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        if os.fstat(fd).st_dev != device:
            return 0  # while a sandbox is built, one place is another from one moment to the next
        found = os.fstatvfs(fd)
    except OSError:
        return 0
    finally:
        os.close(fd)
    return (found.f_blocks - found.f_bfree) * found.f_frsize + (found.f_files - found.f_ffree) * INODE_BYTES


def read_memory() -> tuple[int, int]:
    """Return the machine's memory and what is available of it, in bytes."""
    total, available = _fields("/proc/meminfo", b"MemTotal", b"MemAvailable")
    return total * 1024, available * 1024


def count_threads() -> int:
    """Return how many threads the machine has now, everybody's. Source: proc(5), ``/proc/loadavg``."""
    return int(_read("/proc/loadavg").split()[3].partition(b"/")[2])


def count_oom_kills() -> int:
    """Return how many processes the kernel has ended for want of memory; 0 where it does not say (before 4.13)."""
    text = _read("/proc/vmstat")
    at = text.find(b"\noom_kill ")
    return int(text[at:].split(None, 2)[1]) if at >= 0 else 0


def _read_space(folder: str) -> tuple[int, int, int, int]:
    """Return a folder's file system: its bytes, those that are free, its inodes (0 = no limit), those that are free."""
    try:
        found = os.statvfs(folder)
    except OSError:
        return 0, 0, 0, 0
    return found.f_blocks * found.f_frsize, found.f_bavail * found.f_frsize, found.f_files, found.f_favail


def count_written(top: str, since: float, *, stop: int) -> int:
    """Return the bytes on disk of a folder's files that changed since a time; counting ends past *stop*."""
    total, seen, deadline = 0, set[int](), time.monotonic() + COUNT_S
    waiting = [top]
    while waiting and total <= stop and time.monotonic() < deadline:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    found = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    if found.st_ctime >= since and found.st_ino not in seen:
                        seen.add(found.st_ino)
                        total += found.st_blocks * 512 + INODE_BYTES
        except OSError:
            continue  # unreadable, or gone again: the reserve is what remains
    return total
