"""Give this process its own mounts, network and processes, where the kernel allows that without bubblewrap.

Runs in the child that ``launcher`` forks. With them, a check under Landlock sees its ground at the path of the work
tree, reaches itself over the loopback network, and sees no process but its own, as under bubblewrap.

Sources: user_namespaces(7), mount_namespaces(7), pid_namespaces(7), mount(2), statvfs(3), netdevice(7).
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
from _socket import AF_INET, SOCK_DGRAM, socket  # the module `socket` costs 5 ms (measured)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# linux/sched.h, linux/mount.h
CLONE_NEWNS, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x00020000, 0x10000000, 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_NOEXEC = 0x2, 0x4, 0x8
MS_RDONLY, MS_REMOUNT, MS_BIND, MS_REC, MS_PRIVATE = 0x1, 0x20, 0x1000, 0x4000, 0x40000
# Flags of a mount that a remount in a user namespace must keep, as statvfs(3) and mount(2) number them.
KEPT_MOUNT_FLAGS = ((2, 2), (4, 4), (8, 8), (1024, 1024), (2048, 2048), (4096, 1 << 21))
# linux/sockios.h, linux/if.h
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP = 0x8913, 0x8914, 0x1

# Numbers below this one are not given again when all have been used: linux/pid.h.
RESERVED_PIDS = 300

_libc = ctypes.CDLL(None, use_errno=True)


def enter(*, is_root: bool, network: bool = True, inside: int | None = None, processes: bool = True) -> None:
    """Move this process into a mount namespace of its own, and a user namespace unless it is root.

    Args:
        is_root: Whether it may mount without a user namespace, in which no other user could own files.
        network: Whether it keeps the machine's network; else it only has a loopback device of its own.
        inside: Its user in the user namespace; None for the same as outside.
        processes: Whether its children see all processes of the machine; else ``show_processes`` must follow in one.

    Raises:
        OSError: The kernel or its settings do not allow it.
    """
    user, group = os.geteuid(), os.getegid()
    flags = CLONE_NEWNS | (0 if is_root else CLONE_NEWUSER) | (0 if network else CLONE_NEWNET)
    flags |= 0 if processes else CLONE_NEWPID
    _check(_libc.unshare(flags), "unshare")
    inner_user, inner_group = (user, group) if inside is None else (inside, inside)
    ids = (("setgroups", "deny"), ("uid_map", f"{inner_user} {user} 1"), ("gid_map", f"{inner_group} {group} 1"))
    for name, text in () if is_root else ids:
        with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123 - pathlib costs 8 ms to import (measured)
            file.write(text)
    mount(None, "/", None, MS_REC | MS_PRIVATE, None)
    if not network:
        _raise_loopback()


def show_processes() -> None:
    """Show in /proc the processes of this process's namespace, in which it is the first one.

    Raises:
        OSError: A container that hides parts of its own /proc does not allow it (pid_namespaces(7), mount(2)).
    """
    mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, None)


def limit_processes(most: int) -> None:
    """Set the most processes and threads of this process's namespace, where the kernel has a limit for each.

    Before Linux 6.14 the setting is the machine's, and is left alone. ``show_processes`` must come first.

    Source: the kernel's Documentation/admin-guide/sysctl/kernel.rst, pid_max.
    """
    version = os.uname().release.split(".")[:2]
    if not all(map(str.isdecimal, version)) or tuple(map(int, version)) < (6, 14):
        return
    try:
        with open("/proc/sys/kernel/pid_max", "w") as file:  # noqa: PTH123 - pathlib costs 8 ms to import (measured)
            file.write(str(RESERVED_PIDS + most))
    except OSError:
        return  # a container that shows it read-only; ``limits`` counts the processes anyway


def _raise_loopback() -> None:
    device = socket(AF_INET, SOCK_DGRAM)
    try:
        flags = struct.unpack("16sh", fcntl.ioctl(device, SIOCGIFFLAGS, struct.pack("16sh14x", b"lo", 0))[:18])[1]
        fcntl.ioctl(device, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | IFF_UP))
    finally:
        device.close()


def bind(places: Sequence[tuple[str, str]], *, is_root: bool) -> None:
    """Show files and folders at other paths: the first can be changed there, the others are read-only.

    Args:
        places: The path at which it appears, and its real path; later ones may be inside earlier ones.
        is_root: Whether the check runs as another user: folders on the way that only root may enter are then replaced
            by empty ones that contain these places and nothing else.

    Raises:
        OSError: A place is missing or cannot be mounted.
    """
    sources = [os.open(source, os.O_PATH) for _, source in places]
    try:
        for folder in sorted({_find_closed(target) for target, _ in places} - {""}) if is_root else ():
            if _find_closed(folder):  # it is not in one that was replaced already
                mount("tmpfs", folder, "tmpfs", 0, "mode=0755,size=1m")
        for number, ((target, _), fd) in enumerate(zip(places, sources, strict=True)):
            if not os.path.lexists(target):
                _make(target, is_folder=os.path.isdir(f"/proc/self/fd/{fd}"))  # noqa: PTH112
            mount(f"/proc/self/fd/{fd}", target, None, MS_BIND | MS_REC, None)
            if number:
                has = os.statvfs(target).f_flag
                flags = sum(flag for said, flag in KEPT_MOUNT_FLAGS if has & said)
                mount(None, target, None, MS_BIND | MS_REMOUNT | MS_RDONLY | flags, None)
    finally:
        for fd in sources:
            os.close(fd)


def _find_closed(path: str) -> str:
    """Return the outermost folder on the way to a path, itself included, that other users may not enter; or empty."""
    at = ""
    for part in path.split("/")[1:]:
        at += f"/{part}"
        if os.path.isdir(at) and not os.stat(at).st_mode & 0o001:  # noqa: PTH112, PTH116
            return at
    return ""


def _make(path: str, *, is_folder: bool) -> None:
    folder = path if is_folder else path.rpartition("/")[0]
    os.makedirs(folder, 0o755, exist_ok=True)  # noqa: PTH103
    if not is_folder:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))


def mount(source: str | None, target: str, kind: str | None, flags: int, options: str | None) -> None:
    """Mount or remount a file system (mount(2)).

    Raises:
        OSError: It failed.
    """
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind, options)]
    _check(_libc.mount(words[0], words[1], words[2], ctypes.c_ulong(flags), words[3]), "mount")


def _check(result: int, what: str) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
