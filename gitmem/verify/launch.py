"""The starter of checks: runs one after the other, confines it, holds all of its offspring, and cleans up after it.

A process of its own (``sandbox`` starts it and keeps it for the next check), so that nothing has to happen between fork
and exec of a process with threads. It becomes the parent of whatever a check leaves behind, wherever that went, and
kills it. It ends when its standard input does: a closed pipe tells of our death as surely as of our wish, where
PR_SET_PDEATHSIG comes too late for what has not asked for it yet (bubblewrap 0.8 leaves a process asleep: measured).

Its requests are plans, its reports those of ``starter.Starter``.
"""

from __future__ import annotations

import errno
import os
import resource
import select
import time

from gitmem.frozen import frozen
from gitmem.verify import landlock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# signal(7); the signal module costs 3 ms to import (measured).
SIGKILL = 9
# How long everything that a check left behind may take to die, in seconds; then nothing is said of how it ended.
SWEEP_S = 4.0
# How often a kernel without pidfd (before 5.3) is asked for the exit, and every kernel to reap what was adopted.
POLL_S = 0.01
REAP_S = 1.0
# Limits of one process: bytes of a file (enough for any build's largest artefact), open files, processes of the
# user. Memory has none: a failed allocation would make a check exit 1, which reads as "the fact is false"; the
# kernel's out-of-memory killer picks the check first instead (proc(5), oom_score_adj), and a kill proves nothing.
FILE_BYTES = 1 << 30
OPEN_FILES = 4096
PROCESSES = 8192
OOM_FIRST = 1000
# What a shell says of a command it could not run (POSIX.1-2017, Shell Command Language, 2.8.2).
NOT_FOUND = 127


@frozen
class Plan:
    """What the starter is to do.

    Attributes:
        cwd: Where the check runs.
        scratch: A folder that is made for it and removed after it; empty for none.
        cpu_s: Processor seconds of one process, >= 1.
        reports: Whether the program reports its exit status itself, as bubblewrap does, on our descriptor.
        confined: Whether Landlock and seccomp apply.
        network: Whether internet sockets are allowed when confined.
        traced: Whether the program writes a trace to our other descriptor.
        env: The environment, as ``NAME=value``.
        readable: What may be read when confined.
        writable: What may be changed when confined, besides *scratch*.
        argv: The program.
    """

    cwd: str
    scratch: str
    cpu_s: int
    reports: bool
    confined: bool
    network: bool
    traced: bool
    env: tuple[str, ...]
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    argv: tuple[str, ...]


def format_plan(plan: Plan) -> bytes:
    """Return a plan as a request: its length in four bytes, then words that end in NUL, lists counted.

    Raises:
        ValueError: A word has a NUL in it, which no program's argument can have.
    """
    flags = f"{plan.reports:d}{plan.confined:d}{plan.network:d}{plan.traced:d}"
    words = [plan.cwd, plan.scratch, str(plan.cpu_s), flags]
    for listed in (plan.env, plan.readable, plan.writable, plan.argv):
        words += [str(len(listed)), *listed]
    if any("\0" in word for word in words):
        raise ValueError("embedded null byte")
    body = b"".join(os.fsencode(word) + b"\0" for word in words)
    return len(body).to_bytes(4, "big") + body


def parse_plan(body: bytes) -> Plan:
    """Return the plan of a request without its length; the reverse of ``format_plan``."""
    cwd, scratch, cpu_s, flags, *rest = (os.fsdecode(word) for word in body[:-1].split(b"\0"))
    lists = []
    while rest:
        end = 1 + int(rest[0])
        lists.append(tuple(rest[1:end]))
        rest = rest[end:]
    reports, confined, network, traced = (flag == "1" for flag in flags)
    return Plan(cwd, scratch, int(cpu_s), reports, confined, network, traced, *lists)


def main(report_fd: int, trace_fd: int) -> None:
    """Carry out plans until there are no more."""
    landlock.adopt_orphans()
    os.set_inheritable(report_fd, False)
    os.set_inheritable(trace_fd, False)
    while len(length := _read(4)) == 4:
        _carry_out(parse_plan(_read(int.from_bytes(length, "big"))), report_fd, trace_fd)


def _read(size: int) -> bytes:
    """Return the next bytes of standard input; fewer only at its end."""
    found = b""
    while len(found) < size and (more := os.read(0, size - len(found))):
        found += more
    return found


def _carry_out(plan: Plan, report_fd: int, trace_fd: int) -> None:
    if plan.scratch:
        os.mkdir(plan.scratch, 0o700)  # noqa: PTH102 - pathlib costs 8 ms to import (measured)
    try:
        child = os.fork()
        if child == 0:
            os.set_inheritable(trace_fd, plan.traced)
            _become(plan, report_fd)
        _wait(child)
        status = _end(child)
        _sweep()
    finally:
        if plan.scratch:
            remove_tree(plan.scratch)
    told = b"" if plan.reports else b'{"exit-code": %d}\n' % status
    os.write(report_fd, told + b'{"done": 1}\n')


def _become(plan: Plan, report_fd: int) -> NoReturn:
    """Turn the forked child into the check."""
    try:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.chdir(plan.cwd)
        os.umask(0o022)
        landlock.restore_signals()
        _limit(plan.cpu_s)
        os.set_inheritable(report_fd, plan.reports)
        env = dict(word.split("=", 1) for word in plan.env)
        candidates = _list_candidates(plan.argv[0], env)
        if plan.confined:
            writable = (*plan.writable, plan.scratch) if plan.scratch else plan.writable
            landlock.confine(plan.readable, writable, network=plan.network)
        _execute(candidates, plan.argv, env)
    except OSError as err:
        os.write(report_fd, b'{"exec-errno": %d}\n' % (err.errno or 0))
    finally:
        os._exit(NOT_FOUND)


def _list_candidates(program: str, env: dict[str, str]) -> list[str]:
    """Return where a program may be, in the order of PATH; a name with a slash is its own place."""
    return [program] if "/" in program else [f"{folder or '.'}/{program}" for folder in os.get_exec_path(env)]


def _execute(candidates: list[str], argv: tuple[str, ...], env: dict[str, str]) -> NoReturn:
    """Become the first candidate that can be run, as execvp does (exec(3)).

    By hand, because ``os.execvp`` imports a module first, which a confined process may not be able to read.

    Raises:
        OSError: None of them can be run.
    """
    failure = OSError(errno.ENOENT, os.strerror(errno.ENOENT))
    for place in candidates:
        try:
            os.execve(place, argv, env)  # noqa: S606 - the check itself, from an argument list
        except OSError as err:
            if err.errno == errno.ENOEXEC:  # no #! line, so a shell runs it
                os.execve("/bin/sh", ("sh", place, *argv[1:]), env)  # noqa: S606
            if err.errno not in (errno.ENOENT, errno.ENOTDIR):
                failure = err
    raise failure


def _limit(cpu_s: int) -> None:
    wanted = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_NPROC, PROCESSES),
        (resource.RLIMIT_CPU, cpu_s),
    )
    for kind, value in wanted:
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123 - pathlib costs 8 ms to import (measured)
            file.write(str(OOM_FIRST))
    except OSError:
        return  # a container may forbid it; the limit is a courtesy to the rest of the machine


def _wait(child: int) -> None:
    """Return when the child has exited (not reaped) or our standard input has ended."""
    poll = select.poll()
    poll.register(0, 0)  # POLLHUP is always told
    try:
        poll.register(os.pidfd_open(child), select.POLLIN)
        interval_s = REAP_S
    except (AttributeError, OSError):
        interval_s = POLL_S
    while not poll.poll(interval_s * 1000):
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            return
        for orphan in _list_children():
            if orphan != child:
                os.waitpid(orphan, os.WNOHANG)


def _end(child: int) -> int:
    """Kill the child's group, then reap the child, whose number is ours until then.

    Returns:
        Its exit status; 128 + signal where a signal ended it, as in a shell.
    """
    for kill in (os.kill, os.killpg):
        try:
            kill(child, SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue  # nobody is left in it, or it had not yet made its group
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return status if status >= 0 else 128 - status


def _sweep() -> None:
    """Kill and reap every process that was left to us, and what these leave, until there is none.

    Raises:
        SystemExit: They do not end; the words are the last of the output, and so the run's problem.
    """
    deadline = time.monotonic() + SWEEP_S
    while time.monotonic() < deadline:
        for pid in _list_children():
            os.kill(pid, SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)
    raise SystemExit(f"the check left processes that did not end within {SWEEP_S:g} s")


def _list_children() -> list[int]:
    """Return our children, dead ones that are not reaped included. Source: proc(5), ``task/.../children``."""
    try:
        with open(f"/proc/self/task/{os.getpid()}/children") as file:  # noqa: PTH123
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and _parent(name) == os.getpid()]  # noqa: PTH208


def _parent(pid: str) -> int:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            return int(file.read().rpartition(b")")[2].split()[1])
    except OSError:
        return 0


def remove_tree(top: str) -> None:
    """Remove a folder and all that is in it, also what was made unreadable; nothing where it is gone already.

    Where it is not a folder, the file or the link itself is removed, never what a link points to. Folders further
    down are first moved up to the top, so that no depth makes a path too long for the kernel.

    Raises:
        OSError: Something cannot be removed.
    """
    moved, token = 0, os.urandom(8).hex()
    if not os.path.lexists(top):
        return
    if os.path.islink(top) or not os.path.isdir(top):  # noqa: PTH112, PTH114
        os.unlink(top)  # noqa: PTH108
        return
    found = _clear(top)
    while found:
        for folder in found:
            for inner in _clear(folder):
                moved += 1
                os.chmod(inner, 0o700)  # noqa: PTH101 - its entry ".." is rewritten, which takes write permission
                os.rename(inner, f"{top}/{token}-{moved}")  # noqa: PTH104
            os.rmdir(folder)  # noqa: PTH106
        found = _clear(top)
    os.rmdir(top)  # noqa: PTH106


def _clear(folder: str) -> list[str]:
    """Remove the files of a folder and return its folders."""
    os.chmod(folder, 0o700)  # noqa: PTH101
    folders = []
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                os.unlink(entry.path)  # noqa: PTH108
    return folders
