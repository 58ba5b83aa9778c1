"""Confine this process with kernel features only: Landlock for files, seccomp for the rest (``seccomp``).

Runs in the child that ``launcher`` forks, just before it becomes the check. The restrictions cannot be undone, and
child processes inherit them. They do not prevent (measured): ``chmod`` and ``utime`` on the user's own files, testing
whether a path exists, and, before Landlock ABI 6 (Linux 6.12), signals to the user's other processes. UNIX sockets are
denied altogether, because Landlock cannot tell the Docker daemon's from a harmless one.

Sources: landlock(7), linux/landlock.h, seccomp(2), prctl(2), setuid(2).
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct

from gitmem.verify.sandbox import seccomp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# linux/landlock.h: the access rights in the order of their bits; right number i is 1 << i.
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
REFER, TRUNCATE, IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
# The number of file rights of each ABI: 13 in the first, then REFER (2), TRUNCATE (3) and IOCTL_DEV (5).
RIGHTS_OF_ABI = {1: 13, 2: 14, 3: 15, 4: 15, 5: 16}
READING = EXECUTE | READ_FILE | READ_DIR
ON_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
# TCP bind and connect (ABI 4); abstract UNIX sockets and signals (ABI 6).
TCP = 0b11
SCOPES = 0b11
RULE_PATH_BENEATH = 1
VERSION_FLAG = 1

# These numbers are the same on every architecture since Linux 5.
CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446

# prctl(2)
PR_SET_PDEATHSIG, PR_SET_SECCOMP, PR_CAPBSET_DROP, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 22, 24, 36, 38
# capabilities(7): a kernel has at most 64; the version is that of linux/capability.h since Linux 2.6.26.
CAPABILITIES, CAPABILITY_VERSION = 64, 0x20080522
SECCOMP_MODE_FILTER = 2

_libc = ctypes.CDLL(None, use_errno=True)
_filters: dict[tuple[bool, bool, bool], bytes] = {}


def adopt_orphans() -> None:
    """Make this process the parent of every descendant whose own parent has ended (PR_SET_CHILD_SUBREAPER).

    Raises:
        OSError: The kernel does not support it.
    """
    set_option(PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends, for checks that kill their parent."""
    set_option(PR_SET_PDEATHSIG, 9)


def restore_signals() -> None:
    """Restore the default actions of the signals that Python ignores, so that a check is ended by a broken pipe.

    Source: signal(7): SIGPIPE is 13, SIGXFSZ is 25; the signal module costs 3 ms to import (measured).
    """
    for number in (13, 25):
        _libc.signal(ctypes.c_int(number), None)


def find_abi() -> int:
    """Return the kernel's Landlock ABI, >= 1; 0 if it has none or Landlock is disabled."""
    version = _libc.syscall(ctypes.c_long(CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(VERSION_FLAG))
    return max(0, int(version))


def confine(readable: Sequence[str], writable: Sequence[str], *, network: bool, traced: bool) -> None:
    """Allow this process to read and execute only below *readable*, write only below *writable*, and open no sockets.

    Args:
        readable: Files and folders; missing ones are skipped.
        writable: Files and folders, readable as well; they must exist.
        network: Whether internet sockets may be opened; UNIX sockets never may.
        traced: Whether a tracer runs in the check.

    Raises:
        OSError: The kernel does not support it (ENOSYS), or a writable path is missing.
    """
    abi = find_abi()
    if abi == 0 or os.uname().machine not in seccomp.ARCHITECTURES:
        raise OSError(errno.ENOSYS, "no Landlock here")
    _drop_capabilities()
    set_option(PR_SET_NO_NEW_PRIVS, 1)
    _restrict_files(abi, readable, writable, network=network)
    filter_calls(find_filter(confined=True, network=network, traced=traced))


def become(user: int) -> None:
    """Become an ordinary user permanently; this also cancels the effect of ``die_with_parent``.

    Raises:
        OSError: This process may not, or its namespace does not know the user.
    """
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    die_with_parent()


def find_filter(*, confined: bool, network: bool, traced: bool) -> bytes:
    """Return the seccomp filter of a check; making one takes 1.5 ms (measured), so each is made once.

    Args:
        confined: Whether it is for Landlock; else for bubblewrap, whose namespaces isolate sockets and processes.
        network: Whether Landlock's checks may open internet sockets.
        traced: Whether a tracer runs in the check.

    Raises:
        OSError: No filter is known for this architecture.
    """
    machine, known = os.uname().machine, (confined, network, traced)
    if machine not in seccomp.ARCHITECTURES:
        raise OSError(errno.ENOSYS, f"no filter of system calls for {machine}")
    if known not in _filters:
        internet = (seccomp.AF_INET, seccomp.AF_INET6, seccomp.AF_NETLINK)
        families = (internet if network else ()) if confined else (seccomp.AF_UNIX, *internet)
        truncates = not confined or find_abi() >= 3
        program = seccomp.filter_program(
            machine, families=families, shares=confined, traced=traced, truncates=truncates
        )
        _filters[known] = seccomp.pack(program)
    return _filters[known]


def _drop_capabilities() -> None:
    """Drop the capabilities of root beyond its own files, for this process and the programs it executes.

    CAP_PERFMON alone allows reading other processes' environment in spite of Landlock (measured: Linux 6.18).
    """
    for number in range(CAPABILITIES):
        if _libc.prctl(PR_CAPBSET_DROP, ctypes.c_ulong(number), *[ctypes.c_ulong(0)] * 3) != 0:
            break  # the last one, or this is not root
    head = ctypes.create_string_buffer(struct.pack("=Ii", CAPABILITY_VERSION, 0))
    if _libc.capset(head, ctypes.create_string_buffer(24)) != 0:
        raise OSError(ctypes.get_errno(), f"capset: {os.strerror(ctypes.get_errno())}")


def _restrict_files(abi: int, readable: Sequence[str], writable: Sequence[str], *, network: bool) -> None:
    rights = (1 << RIGHTS_OF_ABI.get(abi, 16)) - 1
    # struct landlock_ruleset_attr grew with the ABI: files, then network (4), then scopes (6).
    fields = [rights] + ([0 if network else TCP] if abi >= 4 else []) + ([SCOPES] if abi >= 6 else [])
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    ruleset = _syscall(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), ctypes.c_uint(0))
    try:
        for path in readable:
            _allow(ruleset, path, READING & rights, missing_ok=True)
        for path in writable:
            _allow(ruleset, path, rights, missing_ok=False)
        _syscall(RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint(0))
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, rights: int, *, missing_ok: bool) -> None:
    try:
        fd = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        if missing_ok:
            return
        raise
    try:
        if not os.path.isdir(path):  # noqa: PTH112 - pathlib costs 8 ms to import (measured)
            rights &= ON_FILES
        rule = ctypes.create_string_buffer(struct.pack("=Qi", rights, fd))  # landlock_path_beneath_attr is packed
        _syscall(ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(RULE_PATH_BENEATH), rule, ctypes.c_uint(0))
    finally:
        os.close(fd)


def filter_calls(packed: bytes) -> None:
    """Apply a seccomp filter (``seccomp.pack``) to this process and all that it starts.

    Raises:
        OSError: The kernel does not allow it.
    """
    code = ctypes.create_string_buffer(packed, len(packed))
    # struct sock_fprog, with the native padding before the pointer.
    head = ctypes.create_string_buffer(struct.pack("@HP", len(packed) // seccomp.STEP_BYTES, ctypes.addressof(code)))
    set_option(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.addressof(head))


def set_option(option: int, *arguments: int) -> None:
    """Call prctl(2) with up to four arguments.

    Raises:
        OSError: It failed.
    """
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    if _libc.prctl(ctypes.c_int(option), *words) != 0:
        raise OSError(ctypes.get_errno(), f"prctl {option}: {os.strerror(ctypes.get_errno())}")


def _syscall(number: int, *arguments: object) -> int:
    result = int(_libc.syscall(ctypes.c_long(number), *arguments))
    if result < 0:
        raise OSError(ctypes.get_errno(), f"system call {number}: {os.strerror(ctypes.get_errno())}")
    return result
