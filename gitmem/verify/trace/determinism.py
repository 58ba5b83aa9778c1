"""Tell whether a run's answer follows from the files that it read, so that it cannot be random. Pure.

This is the case if a run started only a few tools that read files and compute, and read no device, no system state and
no shell variable that changes from run to run. Other programs are never determined: an interpreter has threads, clocks
and random numbers, and none of them shows in a trace (vdso(7)).
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.verify.trace.trace import Trace

# POSIX.1-2017, Shell & Utilities: the output of these depends only on their arguments and input. Not `sort` (-R), `ls`
# (-t) and `find` (-newer, the order of a folder), nor `awk` (srand).
TOOLS = frozenset(
    """
        sh dash [ test true false echo printf expr basename dirname cat head tail wc cut tr uniq comm cmp diff grep
        egrep fgrep sed
        """.split()
)
# What some of these GNU tools read when they start: libsigsegv and libselinux (strace).
STARTUP = re.compile(r"/proc/(?:self|\d+)/maps|/proc/filesystems|/sys/fs/selinux|/dev/(?:null|tty)")
_SYSTEM = ("/dev/", "/proc/", "/sys/")
# Ordinary files, in memory (shm_overview(7)).
_IN_MEMORY = "/dev/shm/"  # noqa: S108
# Shell variables that differ from run to run.
_CHANGING = re.compile(r"\$\{?(?:S?RANDOM|SECONDS|EPOCH|BASHPID|PPID|\$)")


def is_determined(programs: Sequence[str], traces: Iterable[Trace], words: Sequence[str]) -> bool:
    """Return whether the answer of runs follows from the files that they read.

    Args:
        programs: The programs of the machine that they ran, interpreters of scripts among them.
        traces: The traces of the runs.
        words: The command of the check, as it is run.
    """
    if not programs or any(map(_CHANGING.search, words)):
        return False
    if not all(program.rpartition("/")[2] in TOOLS for program in programs):
        return False
    paths = {event[1] for trace in traces for event in trace.events}
    system = (path for path in paths if path.startswith(_SYSTEM) and not path.startswith(_IN_MEMORY))
    return all(map(STARTUP.fullmatch, system))
