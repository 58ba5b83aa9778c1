"""Tell whether a run's answer follows from the files that it read: then it cannot be a matter of chance. Pure.

It is so where a run started nothing but a few tools that look at files and compute, and read no device, no state of the
system and no variable of the shell that differs each time. Of any other program nothing is said: an interpreter has
threads, clocks and random numbers, and none of them shows in a trace (vdso(7)).
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from gitmem.verify.trace.trace import Trace

# POSIX.1-2017, Shell & Utilities: what these write depends on their arguments and input alone. Not `sort` (-R), `ls`
# (-t) and `find` (-newer, the order of a folder), nor `awk` (srand).
TOOLS = frozenset(
    [
        *("sh", "dash", "[", "test", "true", "false", "echo", "printf", "expr", "basename", "dirname"),
        *("cat", "head", "tail", "wc", "cut", "tr", "uniq", "comm", "cmp", "diff", "grep", "egrep", "fgrep", "sed"),
    ]
)
# What the GNU tools among them read when they start: libsigsegv and libselinux (strace).
STARTUP = re.compile(r"/proc/(?:self|\d+)/maps|/proc/filesystems|/sys/fs/selinux|/dev/(?:null|tty)")
_SYSTEM = ("/dev/", "/proc/", "/sys/")
# Variables of shells that differ from run to run.
_CHANGING = re.compile(r"\$\{?(?:S?RANDOM|SECONDS|EPOCH|BASHPID|PPID|\$)")


def is_determined(programs: Sequence[str], traces: Iterable[Trace], words: Sequence[str]) -> bool:
    """Return whether the answer of runs follows from the files that they read.

    Args:
        programs: The programs of the machine that they ran, interpreters of scripts among them.
        traces: The runs, one behind the other.
        words: The check, as it is run.
    """
    if not programs or any(map(_CHANGING.search, words)):
        return False
    if not all(program.rpartition("/")[2] in TOOLS for program in programs):
        return False
    paths = (event[1] for trace in traces for event in trace.events)
    return all(STARTUP.fullmatch(path) for path in paths if path.startswith(_SYSTEM))
