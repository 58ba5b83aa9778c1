"""How strace is asked to show what a check reads.

The tracer is nobody's parent (``-DDD``): the check is what it is without it, so that its exit status, its signals,
what it leaves behind and its limits are those of a run that nobody traces. A filter in the kernel stops the check only
at the calls that are asked for (``--seccomp-bpf``: half the cost, measured). A check can write to the trace or kill its
tracer; what it gains is that its own reads are unknown or wrong, and who writes a check has an easier way to say
something wrong: its exit status. Source: strace(1) 6.1.
"""

from __future__ import annotations

from gitmem.verify.trace.trace import CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "strace"
# Characters of an argument that are shown; of paths all are.
LONGEST_ARGUMENT = 1000
# -f all processes, -q their ends too, -y the paths of descriptors; programs with all their arguments and variables.
OPTIONS = (
    *("-DDD", "-f", "-q", "-y", "-s", str(LONGEST_ARGUMENT), "--seccomp-bpf"),
    *("-e", "signal=none", "-e", "abbrev=!execve,execveat", "-e"),
)


def argv_traced(strace: str, trace_fd: int, argv: Sequence[str]) -> list[str]:
    """Return the command line that runs a program traced.

    Args:
        strace: Where strace is.
        trace_fd: The descriptor that the trace goes to; inherited, and opened again by its name.
        argv: The program and its arguments.
    """
    return [strace, *OPTIONS, f"trace={CALLS}", "-o", f"/proc/self/fd/{trace_fd}", "--", *argv]
