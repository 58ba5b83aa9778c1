"""Measure what a check uses while it runs, and enforce limits on processes, memory and disk space.

Runs in the starter (``launcher``), ten times a second. The kernel's own limits are not sufficient: RLIMIT_NPROC does
not apply to root (measured), RLIMIT_AS makes an allocation fail, which reads as "the fact is false", RLIMIT_FSIZE
applies to a single file, and we may not create cgroups. So a check may exceed a limit for a moment before it is killed.
Usage that the count misses (deleted files, mounts of its own) is limited by the reserve: the check is killed when the
machine has almost nothing left.

Sources: proc(5), statvfs(3); Documentation/filesystems/proc.rst for ``smaps_rollup``.
"""

from __future__ import annotations

import os
import time

from gitmem.frozen import frozen
from gitmem.system import list_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MIB = 1 << 20
# signal(7); the signal module costs 3 ms to import (measured).
SIGKILL = 9
# Seconds before the first measurement, which is early because a fork bomb doubles in milliseconds; the longest
# interval; and the share of one processor that measuring may use.
FIRST_S = 0.02
LOOK_S = 0.1
SHARE = 0.05
# Threads count as well: this many are allowed for each allowed process.
THREADS = 8
# The check is killed when less than the reserve of disk or memory is left and it took a considerable part itself.
RESERVE = 512 * MIB
RESERVE_SHARE = 20
DISK_TAKEN = 32 * MIB
INODES_TAKEN = 10_000
MEMORY_SHARE = 8
# Seconds after which counting the files of a ground stops with the partial result.
COUNT_S = 1.0
# What a file uses besides its content, in bytes: an inode in memory (tmpfs) or on disk, and its name.
INODE_BYTES = 1024
# Whether the kernel lists a process's children (CONFIG_PROC_CHILDREN); otherwise all processes are searched.
HAS_CHILDREN = os.path.exists(f"/proc/self/task/{os.getpid()}/children")  # noqa: PTH110

# Default limits of a check: processes at once, and MiB written to its ground. Memory is limited to half of the
# machine's.
PROCESSES = 1024
PROCESSES_PER_CORE = 16
DISK_MIB = 10 * 1024


@frozen
class Limits:
    """What all processes of a check may use together.

    Attributes:
        processes: The most processes at once, > 0; eight times as many threads.
        memory: Bytes of memory, > 0, files in memory and buffers of sockets included; 0 = half of the machine's.
        disk: Bytes that it may write to its ground, > 0.
    """

    processes: int
    memory: int
    disk: int


def default_limits(*, processes: int = 0, memory_mib: int = 0, disk_mib: int = 0) -> Limits:
    """Return the limits of a check; 0 selects a default that is enough for any honest build on this machine."""
    most = max(PROCESSES, PROCESSES_PER_CORE * (os.cpu_count() or 1))
    return Limits(processes or most, memory_mib * MIB, (disk_mib or DISK_MIB) * MIB)


class LimitWatch:
    """Measures one check.

    Attributes:
        interval_s: Seconds to wait before the next measurement.
    """

    def __init__(self, limits: Limits, *, ground: str, upper: str, scratch: str) -> None:
        """Record the state of the machine before the check starts.

        Args:
            limits: The limits of the check.
            ground: The folder that it may change.
            upper: The folder that its changes go to instead, or empty.
            scratch: Another folder that it may change, or empty.
        """
        total, self._available = read_memory()
        self._limits = limits
        self._memory = limits.memory or total // 2
        self._reserve = min(RESERVE, total // RESERVE_SHARE)
        self._taken = total // MEMORY_SHARE
        # A ground that is changed in place also has files that the check did not write: only files changed since count.
        self._folders = [(upper, 0.0)] if upper else [(ground, time.time() - 1)]
        self._folders += [(scratch, 0.0)] if scratch else []
        self._before = {folder: _read_space(folder) for folder, _ in self._folders}
        self._allowed = dict.fromkeys(self._before, limits.disk)
        # socket(7): a buffer may hold twice this, unless a program makes it larger; what it holds cannot be seen here.
        self._socket_bytes = 2 * int(_read("/proc/sys/net/core/wmem_default").strip() or 0)
        self._oom_kills = count_oom_kills()
        self._is_over = False
        self._tasks = count_tasks()
        self.interval_s = FIRST_S

    def is_crowded(self) -> bool:
        """Return whether the machine has so many more threads than before that the check may have started too many.

        This is quick, however many there are: a look that takes long is followed by a long pause (``SHARE``), in which
        a check could start more processes than the machine can hold.
        """
        return count_tasks() - self._tasks > self._limits.processes

    def look(self) -> str:
        """Return a message about the limit that is exceeded, or an empty string."""
        began = time.monotonic()
        self._tasks = count_tasks()
        excess = self._processes() or self._disk()
        self.interval_s = max(min(2 * self.interval_s, LOOK_S), (time.monotonic() - began) / SHARE)
        return excess

    def ran_out(self) -> bool:
        """Return whether the kernel has killed any process for lack of memory since the start, perhaps the check's."""
        return count_oom_kills() > self._oom_kills

    def count_left(self) -> str:
        """Return a message if the check left too many processes, because its program ended before a look at them.

        They include dead ones: a program that cannot start another process may end at once, and the others with it.
        """
        left = sum(1 for _ in iter_descendants(os.getpid()))
        return say_too_many(self._limits.processes, "processes") if left > self._limits.processes else ""

    def _processes(self) -> str:
        limit = self._limits.processes
        pids: list[int] = []
        threads = memory = 0
        for pid in iter_descendants(os.getpid()):
            pids.append(pid)
            counted, used = _read_status(pid)
            threads += counted
            memory += used
            if len(pids) > limit:
                return say_too_many(limit, "processes")
            if threads > limit * THREADS:
                return say_too_many(limit * THREADS, "threads")
        # The sum counts memory that forked processes share several times, so the exact value is only computed if the
        # sum is too large. And while a sandbox is being built, values may be wrong for a moment (seen once in a
        # thousand runs).
        was_over, self._is_over = self._is_over, False
        held = _in_memory(pids) + self._in_descriptors(pids)
        if memory + held > self._memory:
            self._is_over = sum(map(_read_own, pids)) + held > self._memory
        if self._is_over and was_over:
            return f"it used more than {self._memory // MIB} MiB of memory"
        available = read_memory()[1]
        if available < self._reserve and self._available - available > self._taken:
            return f"the machine had only {available // MIB} MiB of memory left"
        return ""

    def _in_descriptors(self, pids: Sequence[int]) -> int:
        """Return the bytes in files without a name that are in memory (memfd_create(2)), and in buffers of sockets.

        Mapped parts of such files are in each process's own memory already, so only what goes beyond that counts.
        """
        files, sockets, mapped = dict[tuple[int, int], int](), set[bytes](), 0
        for pid in pids:
            has_file = False
            for fd in list_names(f"/proc/{pid}/fd"):
                place = f"/proc/{pid}/fd/{fd}"
                try:
                    target = os.fsencode(os.readlink(place))  # noqa: PTH115 - pathlib costs 8 ms to import (measured)
                    if target.startswith(b"socket:"):
                        sockets.add(target)
                    elif target.startswith(b"/memfd:"):
                        info = os.stat(place)  # noqa: PTH116 - as above
                        files[info.st_dev, info.st_ino] = info.st_blocks * 512
                        has_file = True
                except OSError:
                    continue
            mapped += _read_shared(pid) if has_file else 0
        return max(0, sum(files.values()) - mapped) + len(sockets) * self._socket_bytes

    def _disk(self) -> str:
        for folder, since in self._folders:
            total, free, inodes, inodes_free = _read_space(folder)
            used = self._before[folder][1] - free
            files = self._before[folder][3] - inodes_free
            if inodes_free < inodes // RESERVE_SHARE and files > INODES_TAKEN:
                return f"the disk that it wrote to had only {inodes_free} inodes left"
            if free < min(RESERVE, total // RESERVE_SHARE) and used > DISK_TAKEN:
                return f"the disk that it wrote to had only {free // MIB} MiB left"
            if used <= self._allowed[folder]:
                continue
            # Other processes write too: count the check's own files, and again when they may have reached the limit.
            written = count_written(folder, since, stop=self._limits.disk)
            if written > self._limits.disk:
                return f"it wrote more than {self._limits.disk // MIB} MiB to disk"
            self._allowed[folder] = used + self._limits.disk - written
        return ""


def count_tasks() -> int:
    """Return the number of threads of the whole machine; 0 if the kernel does not say. Source: proc(5), ``loadavg``."""
    tasks = _read("/proc/loadavg").split()[3:4]
    number = tasks[0].rpartition(b"/")[2] if tasks else b""
    return int(number) if number.isdigit() else 0


def say_too_many(limit: int, what: str) -> str:
    """Return the message about a limit that was exceeded."""
    return f"it ran more than {limit} {what} at once"


def iter_descendants(top: int) -> Iterator[int]:
    """Yield the descendants of a process, parents first; some may be missed while processes start and end."""
    waiting = [top]
    while waiting:
        for child in list_children(waiting.pop()):
            yield child
            waiting.append(child)


def kill_session(session: int) -> None:
    """Kill the remaining processes of a session, for a check that killed its starter; new sessions are not reached."""
    for _ in range(100):  # repeat while they fork, but not forever
        left = [int(name) for name in os.listdir("/proc") if name.isdigit() and _read_session(name) == session]  # noqa: PTH208
        for pid in left:
            try:
                os.kill(pid, SIGKILL)
            except OSError:
                continue
        if not left:
            return


def _read_session(pid: str) -> int:
    """Return a process's session; 0 if the process is dead. Source: proc(5), ``stat``."""
    fields = _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[3]) if len(fields) > 3 and fields[0] not in (b"Z", b"X") else 0


def list_children(pid: int) -> list[int]:
    """Return the children of a process, including dead ones that have not been reaped.

    Source: proc(5), ``task/.../children``, which few kernels lack.
    """
    try:
        threads = os.listdir(f"/proc/{pid}/task")  # noqa: PTH208 - pathlib costs 8 ms to import (measured)
    except OSError:
        return []  # it is gone
    if not HAS_CHILDREN:
        pids = [name for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
        return [int(name) for name in pids if _fields(f"/proc/{name}/status", b"PPid") == [pid]]
    return [int(n) for thread in threads for n in _read(f"/proc/{pid}/task/{thread}/children").split()]


def _read(path: str) -> bytes:
    """Read a small file; empty if it is gone or may not be read."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        data = b""
        while more := os.read(fd, 1 << 16):
            data += more
    except OSError:
        return b""
    else:
        return data
    finally:
        os.close(fd)


def _fields(path: str, *names: bytes) -> list[int]:
    """Return numbers from a file of ``Name: number`` lines; 0 for each missing name."""
    lines = dict(line.split(b":", 1) for line in _read(path).splitlines() if b":" in line)
    return [int(lines[name].split()[0]) if lines.get(name, b"").split() else 0 for name in names]


def _read_status(pid: int) -> tuple[int, int]:
    """Return a process's number of threads and bytes of memory, including shared memory."""
    threads, own, shared = _fields(f"/proc/{pid}/status", b"Threads", b"RssAnon", b"RssShmem")
    return threads, (own + shared) * 1024


def _read_own(pid: int) -> int:
    """Return a process's own memory plus its share of memory used by several processes, in bytes."""
    rollup = f"/proc/{pid}/smaps_rollup"
    own, shared, whole = _fields(rollup, b"Pss_Anon", b"Pss_Shmem", b"Pss")
    return ((own + shared) or whole) * 1024 or _read_status(pid)[1]


def _read_shared(pid: int) -> int:
    """Return a process's memory that others may share, in bytes."""
    return _fields(f"/proc/{pid}/status", b"RssShmem")[0] * 1024


def _in_memory(pids: Sequence[int]) -> int:
    """Return the bytes of files in a sandbox's tmpfs: those that are not also mounted on the machine."""
    ours = _list_tmpfs("self")
    for pid in reversed(pids[:8]):  # the outermost see the machine's mounts; one inside is enough
        places = {device: place for device, place in _list_tmpfs(str(pid)).items() if device not in ours}
        if places:
            return sum(_read_used(f"/proc/{pid}/root{place}", device) for device, place in places.items())
    return 0


def _list_tmpfs(pid: str) -> dict[int, str]:
    """Return the mount points of tmpfs file systems that a process sees, by device. Source: proc(5), ``mountinfo``."""
    tmpfs = {}
    for line in _read(f"/proc/{pid}/mountinfo").decode("utf-8", "replace").splitlines():
        before, _, kind = line.partition(" - ")
        if kind.startswith("tmpfs "):
            _, _, device, _, place, *_ = before.split(" ")
            tmpfs[os.makedev(*map(int, device.split(":")))] = place
    return tmpfs


def _read_used(place: str, device: int) -> int:
    """Return the bytes that a tmpfs holds; 0 if it is no longer mounted there."""
    try:
        fd = os.open(place, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return 0
    try:
        if os.fstat(fd).st_dev != device:
            return 0  # while a sandbox is being built, mount points change
        space = os.fstatvfs(fd)
    except OSError:
        return 0
    finally:
        os.close(fd)
    return (space.f_blocks - space.f_bfree) * space.f_frsize + (space.f_files - space.f_ffree) * INODE_BYTES


def read_memory() -> tuple[int, int]:
    """Return the machine's total and available memory, in bytes."""
    total, available = _fields("/proc/meminfo", b"MemTotal", b"MemAvailable")
    return total * 1024, available * 1024


def count_threads() -> int:
    """Return the number of threads of all users on the machine. Source: proc(5), ``/proc/loadavg``."""
    return int(_read("/proc/loadavg").split()[3].partition(b"/")[2])


def count_oom_kills() -> int:
    """Return how many processes the kernel has killed for lack of memory; 0 if it does not count them (before 4.13)."""
    text = _read("/proc/vmstat")
    at = text.find(b"\noom_kill ")
    return int(text[at:].split(None, 2)[1]) if at >= 0 else 0


def _read_space(folder: str) -> tuple[int, int, int, int]:
    """Return the size of a folder's file system: total and free bytes, total (0 = unlimited) and free inodes."""
    try:
        space = os.statvfs(folder)
    except OSError:
        return 0, 0, 0, 0
    return space.f_blocks * space.f_frsize, space.f_bavail * space.f_frsize, space.f_files, space.f_favail


def count_written(top: str, since: float, *, stop: int) -> int:
    """Return the bytes on disk of a folder's files that changed since a time; counting ends past *stop*."""
    total, seen, deadline = 0, set[int](), time.monotonic() + COUNT_S
    waiting = [top]
    while waiting and total <= stop and time.monotonic() < deadline:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    info = entry.stat(follow_symlinks=False)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    if info.st_ctime >= since and info.st_ino not in seen:
                        seen.add(info.st_ino)
                        total += info.st_blocks * 512 + INODE_BYTES
        except OSError:
            continue  # unreadable, or gone again: the reserve still protects the disk
    return total
