"""What the starter of checks (``launcher``) is to do, as data that goes through a pipe."""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.verify.sandbox.limits import Limits

# How long everything that a check left behind may take to die, in seconds; then nothing is said of how it ended.
SWEEP_S = 4.0
# The descriptor that bubblewrap reads its filter of system calls from, and closes: below those of ``starter.FIRST_FD``.
FILTER_FD = 9
# The most bytes of one file that a check writes: enough for any build's largest artefact.
FILE_BYTES = 1 << 30


@frozen
class LaunchPlan:
    """What the starter is to do.

    Attributes:
        cwd: Where the check runs.
        scratch: A folder that is made for it and removed after it; empty for none.
        ground: The folder that it may change.
        upper: Where an overlay over the ground has its changes go; empty for none.
        limits: What all of its processes may use together.
        cpu_s: Processor seconds of one process, >= 1.
        user: The ordinary user that a check of root runs as; 0 where it runs as whoever asked for it.
        reports: Whether the program reports its exit status itself, as bubblewrap does, on our descriptor.
        confined: Whether Landlock and seccomp apply.
        network: Whether internet sockets are allowed when confined.
        traced: Whether the program writes a trace to our other descriptor.
        env: The environment, as ``NAME=value``.
        readable: What may be read when confined.
        writable: What may be changed when confined, besides *scratch*.
        laid: Folders that are laid over the ground under an overlay: place in it, where it is, and so on in turn.
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
    laid: tuple[str, ...]
    argv: tuple[str, ...]


def format_plan(plan: LaunchPlan) -> bytes:
    """Return a plan as a request: its length in four bytes, then words that end in NUL, lists counted.

    Raises:
        ValueError: A word has a NUL in it, which no program's argument can have.
    """
    flags = f"{plan.reports:d}{plan.confined:d}{plan.network:d}{plan.traced:d}"
    limits = (plan.limits.processes, plan.limits.memory, plan.limits.disk)
    words = [plan.cwd, plan.scratch, plan.ground, plan.upper, *map(str, (*limits, plan.cpu_s, plan.user)), flags]
    for listed in (plan.env, plan.readable, plan.writable, plan.laid, plan.argv):
        words += [str(len(listed)), *listed]
    if any("\0" in word for word in words):
        raise ValueError("embedded null byte")
    body = b"".join(os.fsencode(word) + b"\0" for word in words)
    return len(body).to_bytes(4, "big") + body


def parse_plan(body: bytes) -> LaunchPlan:
    """Return the plan of a request without its length; the reverse of ``format_plan``."""
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
