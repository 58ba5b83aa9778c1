"""The system calls that a check is refused: one seccomp filter for every rung of the sandbox.

Refused are: sockets of families that no namespace isolates (AF_VSOCK reaches the hypervisor), io_uring, which opens
files and sockets unseen by a filter, keyrings, new namespaces, mounts, other processes' memory and scheduling, the
kernel's own interfaces, setuid bits, and extended attributes (a default access list on the ground would decide what the
next check may read).

A refused call fails with EPERM; with ENOSYS if programs are prepared for a kernel without the call; and with EOPNOTSUPP
for extended attributes, as on a file system without them.

Sources: seccomp(2), linux/seccomp.h, linux/filter.h, linux/audit.h, asm/unistd.h, sched.h(0), open(2).
"""

from __future__ import annotations

import errno
import struct

# linux/audit.h: the architecture; its column in the tables below.
ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}
X32_BIT = 0x40000000
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16

# Call numbers on x86_64 and aarch64.
Numbers = tuple[int, int]
# Calls that every program can do without: a filter can inspect neither the flags of clone3 (libc then uses clone) nor
# the mode of openat2; io_uring and keyrings bypass the filter.
ABSENT: dict[str, Numbers] = {
    "clone3": (435, 435), "openat2": (437, 437),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
}  # fmt: skip
# IPC objects that are shared with the user's other processes and outlive the check.
SHARED: dict[str, Numbers] = {"shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180)}
REFUSED: dict[str, Numbers] = {
    "setns": (308, 268), "pivot_root": (155, 41), "chroot": (161, 51), "mount": (165, 40), "umount2": (166, 39),
    "open_tree": (428, 428), "move_mount": (429, 429), "fsopen": (430, 430), "fsconfig": (431, 431),
    "fsmount": (432, 432), "fspick": (433, 433), "mount_setattr": (442, 442), "open_tree_attr": (467, 467),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "process_madvise": (440, 440),
    "kcmp": (312, 272), "pidfd_getfd": (438, 438), "move_pages": (279, 239), "migrate_pages": (256, 238),
    "kexec_load": (246, 104), "kexec_file_load": (320, 294), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "reboot": (169, 142), "swapon": (167, 224), "swapoff": (168, 225), "acct": (163, 89), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "open_by_handle_at": (304, 265), "fanotify_init": (300, 262), "syslog": (103, 116),
    "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171), "clock_adjtime": (305, 266),
    "sethostname": (170, 161), "setdomainname": (171, 162), "vhangup": (153, 58),
}  # fmt: skip
PTRACE, TRUNCATE, SOCKET = (101, 117), (76, 45), (41, 198)
ATTRIBUTES: dict[str, Numbers] = {
    "setxattr": (188, 5), "lsetxattr": (189, 6), "fsetxattr": (190, 7), "setxattrat": (463, 463),
    "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16), "removexattrat": (466, 466),
}  # fmt: skip
# Calls whose first argument contains the flags of new namespaces (linux/sched.h, all CLONE_NEW*).
NAMESPACES: dict[str, Numbers] = {"clone": (56, 220), "unshare": (272, 97)}
NEW = 0x7E020080
# Calls with a process as an argument, and the argument's index; 0 is the caller itself.
OF_PROCESSES: dict[str, tuple[Numbers, int]] = {
    "prlimit64": ((302, 261), 0), "sched_setparam": ((142, 118), 0), "sched_setscheduler": ((144, 119), 0),
    "sched_setaffinity": ((203, 122), 0), "sched_setattr": ((314, 274), 0),
}  # fmt: skip
# Calls that select processes by a kind and a number, and the kind that is a process: others are its group, and all of
# the user's processes, for which the number 0 is valid as well.
OF_KINDS: dict[str, tuple[Numbers, int]] = {"setpriority": ((141, 140), 0), "ioprio_set": ((251, 30), 1)}
# Calls with a mode as an argument, and the argument's index.
WITH_MODE: dict[str, tuple[Numbers, int]] = {
    "fchmod": ((91, 52), 1), "fchmodat": ((268, 53), 2), "fchmodat2": ((452, 452), 2), "mknodat": ((259, 33), 2),
}  # fmt: skip
# Older calls that only x86_64 has.
OLDER: dict[str, tuple[int, int]] = {"chmod": (90, 1), "creat": (85, 1), "mknod": (133, 1)}
# Calls with a mode that is used if the flags before it create a file (O_CREAT, O_TMPFILE).
OPENING: dict[str, tuple[Numbers, int]] = {"openat": ((257, 56), 3)}
OPEN, MAKES = (2, 2), 0x400040
SETUID_OR_SETGID = 0o6000

# linux/seccomp.h: the return values of a filter.
KILL_PROCESS, REFUSE, ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
# linux/filter.h: load a word of seccomp_data; compare with a constant, or test for common bits; return.
LOAD, IF_EQUAL, IF_AT_LEAST, IF_BITS, RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
# struct seccomp_data: the offsets of the call's number, the architecture and the low half of the first argument.
NUMBER_AT, ARCHITECTURE_AT, ARGUMENT_AT = 0, 4, 16

Step = tuple[int, int, int, int]
# struct sock_filter
STEP_BYTES = 8


def filter_program(
    machine: str, *, families: tuple[int, ...], shares: bool, traced: bool = False, truncates: bool = True
) -> list[Step]:
    """Return the filter as (code, jump if true, jump if false, constant) instructions.

    Calls of another architecture (32-bit programs, x32) have other numbers, so they kill the process: that is a signal,
    which leaves the check without a verdict.

    Args:
        machine: A key of ``ARCHITECTURES``.
        families: The socket families that may be opened.
        shares: Whether the user's other processes are reachable, because no namespace isolates them.
        traced: Whether a tracer runs in the check.
        truncates: Whether Landlock controls truncate(2), which it does from ABI 3 on.
    """
    audit, column = ARCHITECTURES[machine]
    program = [(LOAD, 0, 0, ARCHITECTURE_AT), (IF_EQUAL, 1, 0, audit), (RETURN, 0, 0, KILL_PROCESS)]
    program += [(LOAD, 0, 0, NUMBER_AT)]
    if machine == "x86_64":
        program += [(IF_AT_LEAST, 0, 1, X32_BIT), (RETURN, 0, 0, KILL_PROCESS)]
    refused = [*REFUSED.values(), *([] if traced else [PTRACE]), *([] if truncates else [TRUNCATE])]
    with_mode = [(numbers[column], at) for numbers, at in WITH_MODE.values()]
    opening = [(numbers[column], at) for numbers, at in OPENING.values()]
    if machine == "x86_64":
        with_mode += OLDER.values()
        opening += [OPEN]
    absent = [*ABSENT.values(), *(SHARED.values() if shares else ())]
    others, kinds = (OF_PROCESSES.values(), OF_KINDS.values()) if shares else ((), ())
    blocks: list[tuple[int, list[Step]]] = [
        *((numbers[column], _refuse(errno.ENOSYS)) for numbers in absent),
        *((numbers[column], _refuse(errno.EPERM)) for numbers in refused),
        *((numbers[column], _refuse(errno.EOPNOTSUPP)) for numbers in ATTRIBUTES.values()),
        *((numbers[column], unless_bits(0, NEW)) for numbers in NAMESPACES.values()),
        *((number, unless_bits(at, SETUID_OR_SETGID)) for number, at in with_mode),
        *((number, [*_if_bits(at - 1, MAKES), *unless_bits(at, SETUID_OR_SETGID)]) for number, at in opening),
        *((numbers[column], _only(at, (0,))) for numbers, at in others),
        *((numbers[column], [*_if_equal(0, kind), *_only(1, (0,))]) for numbers, kind in kinds),
        (SOCKET[column], _only(0, families)),
    ]
    for number, block in blocks:
        program += [(IF_EQUAL, 0, len(block), number), *block]
    return [*program, (RETURN, 0, 0, ALLOW)]


def pack(program: list[Step]) -> bytes:
    """Encode a filter for the kernel and bubblewrap: struct sock_filter, one after the other."""
    return b"".join(struct.pack("=HBBI", *step) for step in program)


# A block handles one call, and ends with a return.


def _refuse(error: int) -> list[Step]:
    return [(RETURN, 0, 0, REFUSE | error)]


def _load(argument: int) -> Step:
    return LOAD, 0, 0, ARGUMENT_AT + 8 * argument


def _if_bits(argument: int, bits: int) -> list[Step]:
    """Continue if an argument has one of the bits; else allow the call."""
    return [_load(argument), (IF_BITS, 1, 0, bits), (RETURN, 0, 0, ALLOW)]


def _if_equal(argument: int, value: int) -> list[Step]:
    """Continue if an argument has a value; else refuse the call."""
    return [_load(argument), (IF_EQUAL, 1, 0, value), *_refuse(errno.EPERM)]


def unless_bits(argument: int, bits: int) -> list[Step]:
    """Refuse the call if an argument has one of the bits; else allow it."""
    return [*_if_bits(argument, bits), *_refuse(errno.EPERM)]


def _only(argument: int, values: tuple[int, ...]) -> list[Step]:
    allowed = [step for value in values for step in ((IF_EQUAL, 0, 1, value), (RETURN, 0, 0, ALLOW))]
    return [_load(argument), *allowed, *_refuse(errno.EPERM)]
