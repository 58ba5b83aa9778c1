"""Plans: what the starter of checks (``launcher``) must do, as data sent through a pipe."""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.verify.sandbox.limits import Limits

# Seconds that processes left by a check may take to die; after that, the outcome of the check is not reported.
SWEEP_S = 4.0
# The descriptor from which bubblewrap reads its seccomp filter; lower than those of ``starter.FIRST_FD``.
FILTER_FD = 9
# The largest file that a check may write, in bytes: enough for the largest artefact of any build.
FILE_BYTES = 1 << 30


@frozen
class LaunchPlan:
    """What the starter must do.

    Attributes:
        cwd: The working folder of the check.
        scratch: A folder that is created for the check and removed after it; empty for none.
        ground: The folder that the check may change.
        upper: The folder for the changes if an overlay covers the ground; empty for none.
        limits: The limits of all of its processes together.
        cpu_s: Processor seconds of one process, >= 1.
        user: The ordinary user that a check runs as if gitmem runs as root; 0 to run as the current user.
        reports: Whether the program itself reports its exit status on our descriptor, as bubblewrap does.
        confined: Whether Landlock and seccomp apply.
        network: Whether internet sockets are allowed when confined.
        traced: Whether the program writes a trace to our other descriptor.
        env: The environment, as ``NAME=value``.
        readable: Files and folders that may be read when confined.
        writable: Files and folders that may be changed when confined, besides *scratch*.
        bound: Files and folders that Landlock's check sees at other paths (``namespaces.bind``): alternately the path
            there and the real path; empty if it needs no mounts.
        lent: Links that are made in *scratch*: alternately the path in it and where it leads.
        laid: Folders that are shown in the ground under an overlay: alternately its path there and its real path.
        argv: The program.
    """

    cwd: str
    scratch: str
    ground: str
    upper: str
    limits: Limits
    cpu_s: int
    user: int
    reports: bool
    confined: bool
    network: bool
    traced: bool
    env: tuple[str, ...]
    readable: tuple[str, ...]
    writable: tuple[str, ...]
    bound: tuple[str, ...]
    lent: tuple[str, ...]
    laid: tuple[str, ...]
    argv: tuple[str, ...]


def format_plan(plan: LaunchPlan) -> bytes:
    """Format a plan as a request: its length in four bytes, then words that end in NUL; lists begin with their length.

    Raises:
        ValueError: A word contains NUL, which no program's argument can.
    """
    flags = f"{plan.reports:d}{plan.confined:d}{plan.network:d}{plan.traced:d}"
    limits = (plan.limits.processes, plan.limits.memory, plan.limits.disk)
    words = [plan.cwd, plan.scratch, plan.ground, plan.upper, *map(str, (*limits, plan.cpu_s, plan.user)), flags]
    for listed in (plan.env, plan.readable, plan.writable, plan.bound, plan.lent, plan.laid, plan.argv):
        words += [str(len(listed)), *listed]
    if any("\0" in word for word in words):
        raise ValueError("embedded null byte")
    body = b"".join(os.fsencode(word) + b"\0" for word in words)
    return len(body).to_bytes(4, "big") + body


def parse_plan(body: bytes) -> LaunchPlan:
    """Parse a request, without its length, into a plan; the reverse of ``format_plan``."""
    cwd, scratch, ground, upper, *rest = (os.fsdecode(word) for word in body[:-1].split(b"\0"))
    processes, memory, disk, cpu_s, user = map(int, rest[:5])
    flags, rest = rest[5], rest[6:]
    lists = []
    while rest:
        end = 1 + int(rest[0])
        lists.append(tuple(rest[1:end]))
        rest = rest[end:]
    reports, confined, network, traced = (flag == "1" for flag in flags)
    limits = Limits(processes, memory, disk)
    return LaunchPlan(cwd, scratch, ground, upper, limits, cpu_s, user, reports, confined, network, traced, *lists)
