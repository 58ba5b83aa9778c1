"""The starter of checks: runs one after the other, confines each, controls its descendants, and cleans up after it.

It is a separate process (``sandbox`` starts it and reuses it for the next check), because a process with threads can do
little safely between fork and exec. It becomes the parent of all processes that a check leaves behind, and kills them.
It ends when its standard input is closed, which happens both when gitmem closes it and when gitmem dies.
PR_SET_PDEATHSIG is too late for a process that has not requested it yet (bubblewrap 0.8 leaves a sleeping process:
measured).

It reads plans as requests; its reports are described in ``starter.Starter``.
"""

from __future__ import annotations

import errno
import math
import os
import resource
import select
import time

from gitmem.verify.sandbox import landlock, namespaces, overlay
from gitmem.verify.sandbox.launch_plan import FILE_BYTES, FILTER_FD, SWEEP_S, LaunchPlan, parse_plan
from gitmem.verify.sandbox.limits import (
    LOOK_S,
    THREADS,
    LimitWatch,
    count_threads,
    iter_descendants,
    list_children,
    say_too_many,
)
from gitmem.verify.sandbox.removal import remove_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

# signal(7); the signal module costs 3 ms to import (measured).
SIGKILL = 9
# How often to poll for the exit on a kernel without pidfd (before 5.3).
POLL_S = 0.01
# Limits of one process: bytes of a file (``launch_plan``), open files. RLIMIT_NPROC counts the threads of the user: the
# existing ones plus twice the threads that a check may have (``limits``), so that the watch, and not a fork or thread
# that fails, ends a check that starts too many; root ignores it. Memory has no such limit: a failed allocation would
# make a check exit 1, which reads as "the fact is false". The kernel's out-of-memory killer picks the check first
# (proc(5), oom_score_adj), and a killed check proves nothing.
OPEN_FILES = 4096
TASKS = 2 * THREADS
OOM_FIRST = 1000
# The exit status of a shell for a command that it could not run (POSIX.1-2017, Shell Command Language, 2.8.2).
NOT_FOUND = 127
# Whether namespaces work here, by whether they are to hide other processes.
_isolates: dict[bool, bool] = {}


def main(report_fd: int, trace_fd: int) -> None:
    """Carry out plans until standard input ends."""
    landlock.adopt_orphans()
    _come_first()
    os.set_inheritable(report_fd, False)
    os.set_inheritable(trace_fd, False)
    while len(length := _read(4)) == 4:
        _carry_out(parse_plan(_read(int.from_bytes(length, "big"))), report_fd, trace_fd)


def _come_first() -> None:
    """Raise our scheduling priority above the checks, if permitted: with a fork bomb of 4,000 processes we waited 12 s.

    Measured as root. Other users are not permitted; theirs were ended within 3 s (measured on two busy cores).
    """
    try:
        os.sched_setscheduler(0, os.SCHED_RR | os.SCHED_RESET_ON_FORK, os.sched_param(1))
    except OSError:
        return


def _read(size: int) -> bytes:
    """Read *size* bytes of standard input; fewer only at its end."""
    data = b""
    while len(data) < size and (more := os.read(0, size - len(data))):
        data += more
    return data


def _carry_out(plan: LaunchPlan, report_fd: int, trace_fd: int) -> None:
    if plan.scratch:
        os.mkdir(plan.scratch, 0o700)  # noqa: PTH102 - pathlib costs 8 ms to import (measured)
        _lend(plan)
        if plan.user:
            os.chown(plan.scratch, plan.user, plan.user)
    watch = LimitWatch(plan.limits, ground=plan.ground, upper=plan.upper, scratch=plan.scratch)
    is_apart = plan.confined and not plan.network and _can_isolate(bool(plan.user))
    is_alone = plan.confined and _can_isolate(bool(plan.user), alone=True)
    if plan.reports or plan.confined:
        try:  # made here and not in the child, so that the next one has it too
            landlock.find_filter(confined=plan.confined, network=plan.network or is_apart, traced=plan.traced)
        except OSError:
            is_apart = False  # the child reports it
    try:
        child = os.fork()
        if child == 0:
            os.set_inheritable(trace_fd, plan.traced)
            for stream in (1, 2, trace_fd) if plan.user else ():
                os.fchown(stream, plan.user, plan.user)  # otherwise /dev/stdout or the trace could not be opened
            _become(plan, report_fd, is_apart=is_apart, is_alone=is_alone)
        try:
            problem = _wait(child, watch)
            crowd = watch.count_left()
        finally:
            status = _end(child)
            _sweep()
    finally:
        if plan.scratch:
            remove_tree(plan.scratch)
    if not problem and status != 0:
        problem = "the machine ran out of memory during the check" if watch.ran_out() else crowd
    message = b"" if plan.reports else b'{"exit-code": %d}\n' % status
    message += b'{"problem": "killed: %s"}\n' % problem.encode() if problem else b""
    os.write(report_fd, message + b'{"done": 1}\n')


def _lend(plan: LaunchPlan) -> None:
    """Make the links in the scratch folder; all folders in it belong to the user of the check."""
    for name, leads_to in zip(plan.lent[::2], plan.lent[1::2], strict=True):
        at = plan.scratch
        for part in name.split("/")[:-1]:
            at += f"/{part}"
            if not os.path.isdir(at):  # noqa: PTH112
                os.mkdir(at, 0o700)  # noqa: PTH102
                if plan.user:
                    os.chown(at, plan.user, plan.user)
        os.symlink(leads_to, f"{plan.scratch}/{name}")  # noqa: PTH211


def _become(plan: LaunchPlan, report_fd: int, *, is_apart: bool, is_alone: bool) -> NoReturn:
    """Turn the forked child into the check; under Landlock perhaps with its own network, and without other processes.

    A check that is alone is a grandchild of the forked process, which ends with its status.
    """
    try:
        os.setsid()
        landlock.die_with_parent()
        os.write(report_fd, b'{"session": %d}\n' % os.getpid())
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if plan.upper or plan.bound or is_apart or is_alone:
            _isolate(plan, report_fd, is_apart=is_apart, is_alone=is_alone)
        if is_alone:
            _begin_alone(plan, report_fd)
        os.chdir(plan.cwd)
        os.umask(0o022)
        landlock.restore_signals()
        _limit(plan)
        os.set_inheritable(report_fd, plan.reports)
        env = dict(word.split("=", 1) for word in plan.env)
        candidates = _list_candidates(plan.argv[0], env)
        if plan.reports:
            _hand_filter(landlock.find_filter(confined=False, network=plan.network, traced=plan.traced))
        if plan.confined:
            if plan.user:
                landlock.become(plan.user)
            writable = (*plan.writable, plan.scratch) if plan.scratch else plan.writable
            landlock.confine(plan.readable, writable, network=plan.network or is_apart, traced=plan.traced)
        _execute(candidates, plan.argv, env)
    except OSError as err:
        os.write(report_fd, b'{"exec-errno": %d}\n' % (err.errno or 0))
    finally:
        os._exit(NOT_FOUND)


def _hand_filter(packed: bytes) -> None:
    """Pass bubblewrap its seccomp filter in a pipe; the filter is much smaller than a pipe's capacity."""
    reading, writing = os.pipe()
    os.write(writing, packed)
    os.close(writing)
    os.dup2(reading, FILTER_FD)
    os.set_inheritable(FILTER_FD, True)  # needed if the pipe already had this number


def _isolate(plan: LaunchPlan, report_fd: int, *, is_apart: bool, is_alone: bool) -> None:
    """Give the check its own mounts, a network of its own if it is to be apart, and its own processes if alone.

    bubblewrap makes namespaces itself, and only needs an overlay below its own mounts, as root of a user namespace.
    """
    is_root = bool(plan.user)
    try:
        inside = None if plan.confined else 0
        namespaces.enter(is_root=is_root, network=not is_apart, inside=inside, processes=not is_alone)
        landlock.die_with_parent()
        if plan.upper:
            laid = list(zip(plan.laid[::2], plan.laid[1::2], strict=True))
            overlay.cover(plan.ground, plan.upper, laid, is_root=is_root)
        if plan.bound:
            namespaces.bind(list(zip(plan.bound[::2], plan.bound[1::2], strict=True)), is_root=is_root)
    except OSError as err:
        os.write(report_fd, b'{"problem": "no overlay: %s"}\n' % os.strerror(err.errno or 0).encode())
        os._exit(NOT_FOUND)


def _begin_alone(plan: LaunchPlan, report_fd: int) -> None:
    """Return in a process that sees no others but the first one of its namespace, which reaps what is left to it.

    That one and this process end with the status of the check, and the kernel then kills all processes that are left.
    """
    first = os.fork()
    if first:
        os._exit(_exit_status(os.waitpid(first, 0)[1]))
    landlock.die_with_parent()
    namespaces.show_processes()
    namespaces.limit_processes(TASKS * plan.limits.processes)
    check = os.fork()
    if check == 0:
        landlock.die_with_parent()
        os.setsid()  # a signal to its group reaches nobody else
        return
    ended = status = 0
    while ended != check:
        ended, status = os.waitpid(-1, 0)
    left = sum(name.isdigit() for name in os.listdir("/proc")) - 1  # noqa: PTH208
    if status and left > plan.limits.processes:  # see ``LimitWatch.count_left``, which is too late for them
        os.write(report_fd, b'{"problem": "killed: %s"}\n' % say_too_many(plan.limits.processes, "processes").encode())
    os._exit(_exit_status(status))


def _can_isolate(is_root: bool, *, alone: bool = False) -> bool:
    """Return whether namespaces work here, by a process that tries it, once for each starter."""
    if alone not in _isolates:  # what is probed cannot change while this process lives
        child = os.fork()
        if child == 0:
            try:
                namespaces.enter(is_root=is_root, network=alone, processes=not alone)
                if alone and (first := os.fork()):
                    os._exit(_exit_status(os.waitpid(first, 0)[1]))
                if alone:
                    namespaces.show_processes()
            except OSError:
                os._exit(1)
            os._exit(0)
        _isolates[alone] = os.waitpid(child, 0)[1] == 0
    return _isolates[alone]


def _list_candidates(program: str, env: dict[str, str]) -> list[str]:
    """Return the possible paths of a program, in the order of PATH; a name with a slash is a path itself."""
    return [program] if "/" in program else [f"{folder or '.'}/{program}" for folder in os.get_exec_path(env)]


def _execute(candidates: list[str], argv: tuple[str, ...], env: dict[str, str]) -> NoReturn:
    """Execute the first candidate that can be run, as execvp does (exec(3)).

    ``os.execvp`` is not used because it imports a module first, which a confined process may not be able to read.

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
            if err.errno == errno.EACCES:
                failure = err
            elif err.errno not in (errno.ENOENT, errno.ENOTDIR):
                raise
    raise failure


def _limit(plan: LaunchPlan) -> None:
    wanted = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CPU, plan.cpu_s),
        # Not for a check of root, whose user has no other threads: there, ``limits`` reports the excess, which NPROC
        # does not.
        *(() if plan.user else ((resource.RLIMIT_NPROC, count_threads() + TASKS * plan.limits.processes),)),
    )
    for kind, value in wanted:
        hard = resource.getrlimit(kind)[1]
        limit = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(kind, (limit, limit))
    try:
        with open("/proc/self/oom_score_adj", "w") as file:  # noqa: PTH123 - pathlib costs 8 ms to import (measured)
            file.write(str(OOM_FIRST))
    except OSError:
        return  # a container may forbid it; the setting only protects the rest of the machine


def _wait(child: int, watch: LimitWatch) -> str:
    """Wait until the child exits (without reaping it), standard input ends or a limit is exceeded; return the limit."""
    try:
        exit_fd = os.pidfd_open(child)
    except (AttributeError, OSError):
        return _wait_on(child, -1, watch)
    try:
        return _wait_on(child, exit_fd, watch)
    finally:
        os.close(exit_fd)  # otherwise a starter would run out of descriptors after many checks


def _wait_on(child: int, exit_fd: int, watch: LimitWatch) -> str:
    poll = select.poll()
    poll.register(0, 0)  # POLLHUP is always reported
    if exit_fd >= 0:
        poll.register(exit_fd, select.POLLIN)
    interval_s = math.inf if exit_fd >= 0 else POLL_S
    next_look = time.monotonic() + watch.interval_s
    while not poll.poll(min(interval_s, watch.interval_s, LOOK_S) * 1000):
        if os.waitid(os.P_PID, child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None:
            break
        if time.monotonic() < next_look and not watch.is_crowded():
            continue
        for orphan in list_children(os.getpid()):
            if orphan != child:
                os.waitpid(orphan, os.WNOHANG)
        passed = watch.look()
        if passed:
            return passed
        next_look = time.monotonic() + watch.interval_s
    return ""


def _end(child: int) -> int:
    """Kill the child's group, then reap the child; until then its process number cannot be reused.

    Returns:
        Its exit status; 128 + signal if a signal ended it, as in a shell.
    """
    for kill in (os.kill, os.killpg):
        try:
            kill(child, SIGKILL)
        except (ProcessLookupError, PermissionError):
            continue  # the group is empty, or the child had not created it yet
    return _exit_status(os.waitpid(child, 0)[1])


def _exit_status(waited: int) -> int:
    """Return the exit status in what waitpid(2) said; 128 + signal if a signal ended the process, as in a shell."""
    status = os.waitstatus_to_exitcode(waited)
    return status if status >= 0 else 128 - status


def _sweep() -> None:
    """Kill and reap every process that the check left, and its descendants, until there are none.

    Raises:
        SystemExit: They do not end; the message becomes the last line of the output, and so the run's problem.
    """
    deadline = time.monotonic() + SWEEP_S
    while time.monotonic() < deadline:
        for pid in list(iter_descendants(os.getpid())):  # list first: orphans move in the tree
            try:
                os.kill(pid, SIGKILL)
            except (ProcessLookupError, PermissionError):
                continue  # already reaped by its parent; a process that we may not kill is reported at the end
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(0.001)
    raise SystemExit(f"the check left processes behind that did not end within {SWEEP_S:g} s")
