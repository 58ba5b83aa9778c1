"""Run a program as a container without privileges does: it cannot make namespaces.

    python -m benchmarks.container gitmem verify

With `unshare` and `clone` refused, bubblewrap does not work, and checks under Landlock have no mounts and no network of
their own. The filter is inherited by all that the program starts.
"""

from __future__ import annotations

import errno
import os
import sys

from gitmem.verify.sandbox import landlock, seccomp

# prctl(2)
NO_NEW_PRIVILEGES = 38


def forbid_namespaces() -> None:
    """Refuse new namespaces to this process and all that it starts, for good.

    Raises:
        OSError: There is no filter for this architecture.
    """
    machine = os.uname().machine
    if machine not in seccomp.ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine}")
    column = seccomp.ARCHITECTURES[machine][1]
    program: list[seccomp.Step] = [(seccomp.LOAD, 0, 0, seccomp.NUMBER_AT)]
    # The flags of clone3 are in memory, where a filter cannot look; libc then uses clone.
    absent = [(seccomp.RETURN, 0, 0, seccomp.REFUSE | errno.ENOSYS)]
    program += [(seccomp.IF_EQUAL, 0, 1, seccomp.ABSENT["clone3"][column]), *absent]
    for numbers in seccomp.NAMESPACES.values():
        block = seccomp.unless_bits(0, seccomp.NEW)
        program += [(seccomp.IF_EQUAL, 0, len(block), numbers[column]), *block]
    landlock.set_option(NO_NEW_PRIVILEGES, 1)
    landlock.filter_calls(seccomp.pack([*program, (seccomp.RETURN, 0, 0, seccomp.ALLOW)]))


if __name__ == "__main__":
    forbid_namespaces()
    os.execvp(sys.argv[1], sys.argv[1:])
