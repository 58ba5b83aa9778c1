"""The command line that traces a check with strace.

The tracer is a detached grandchild (``-DDD``), so the check has the same parent, exit status, signals, leftover
processes and limits as without tracing. A filter in the kernel stops the check only at the requested calls
(``--seccomp-bpf``: half the cost, measured). A check can write to the trace or kill its tracer. That only makes its own
reads unknown or wrong, and the author of a check can lie more easily with its exit status. Source: strace(1) 6.1.
"""

from __future__ import annotations

from gitmem.verify.trace.trace import CALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "strace"
# Characters shown of an argument; paths are always shown whole.
LONGEST_ARGUMENT = 1000
# -f: all processes; -q: but also their exits; -y: paths of descriptors; programs with all arguments and variables.
OPTIONS = (
    *("-DDD", "-f", "-q", "-y", "-s", str(LONGEST_ARGUMENT), "--seccomp-bpf"),
    *("-e", "signal=none", "-e", "abbrev=!execve,execveat", "-e"),
)


def argv_traced(strace: str, trace_fd: int, argv: Sequence[str]) -> list[str]:
    """Return the command line that runs a program traced.

    Args:
        strace: The path of strace.
        trace_fd: The descriptor that the trace is written to; inherited, and reopened by its name.
        argv: The program and its arguments.
    """
    return [strace, *OPTIONS, f"trace={CALLS}", "-o", f"/proc/self/fd/{trace_fd}", "--", *argv]
