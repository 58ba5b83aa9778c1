"""Run a command on a bare machine: a root folder put together from mounts, and system calls that a filter refuses.

    unshare --mount --pid --fork python3 tests/bare/enter.py PLAN

PLAN is a file of JSON (``Plan``). Runs as root in a mount and PID namespace of its own, so every mount ends with it.
The exit status is the command's; 4 if it left something in a folder for temporary files or in its home.

Sources: mount(8), pivot_root(2), user_namespaces(7): a process in a chroot cannot create a user namespace; seccomp(2),
linux/filter.h, linux/audit.h.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# Folders of installed programs and their settings (hier(7)).
SYSTEM = ("usr", "bin", "sbin", "lib", "lib32", "lib64", "libx32", "etc", "opt")
DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
LINKS = {"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"}
TEMPORARY = ("tmp", "var/tmp", "dev/shm")
FOLDERS = ("dev", "proc", "sys", "tmp", "var/tmp", "run", "root", "home", "mnt", "home/someone")
ROOM = "size=6g"
LEFT_SOMETHING = 4
# prctl(2), capabilities(7), umount(2)
PR_SET_SECCOMP, PR_CAPBSET_DROP, CAP_SYS_ADMIN, MNT_DETACH, SECCOMP_MODE_FILTER = 22, 24, 21, 2, 2
# linux/filter.h: load a word, jump if equal, return; linux/seccomp.h: the results.
LOAD, IF_EQUAL, RETURN, ALLOW, REFUSE = 0x20, 0x15, 0x06, 0x7FFF0000, 0x00050000
# landlock_create_ruleset, landlock_add_rule and landlock_restrict_self have the same numbers everywhere.
LANDLOCK_CALLS = (444, 445, 446)


@dataclass(frozen=True)
class Plan:
    """What to run, and where.

    Attributes:
        root: An empty folder, the root folder of the machine.
        system: The folder of an installed system; ``/`` for this machine's.
        hidden: Names of programs that are not there.
        shown: More folders and files, as (place, path on the machine, whether they can be written).
        user: The user and group that it runs as.
        namespaces: Whether it can make namespaces.
        landlock: Whether there is Landlock.
        shm: Whether there is a /dev/shm.
        home: Whether its home can be written.
        folder: Where it runs.
        env: The whole environment.
        argv: The command.
    """

    root: str
    system: str
    hidden: list[str]
    shown: list[tuple[str, str, bool]]
    user: int
    namespaces: bool
    landlock: bool
    shm: bool
    home: bool
    folder: str
    env: dict[str, str]
    argv: list[str]


_libc = ctypes.CDLL(None, use_errno=True)


def main(place: str) -> int:
    """Carry out a plan and return the exit status of its command."""
    plan = Plan(**json.loads(Path(place).read_text(encoding="utf-8")))
    root = Path(plan.root)
    mount("-t", "tmpfs", "-o", f"mode=755,{ROOM}", "none", root)
    show_system(plan, root)
    add_devices(plan, root)
    for source, path, is_writable in plan.shown:
        bind(Path(source), root / path.lstrip("/"), is_writable=is_writable)
    protect_system(root)
    home = root / ("home/someone" if plan.user else "root")
    os.chown(home, plan.user, plan.user)
    if not plan.home:
        bind(home, home)
    before = list_temporary(root, home)
    child = os.fork()
    if child == 0:
        try:
            become(plan, root)
        finally:
            os._exit(127)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    status = status if status >= 0 else 128 - status
    left = sorted(list_temporary(root, home) - before)
    if left and status == 0:
        print(f"left behind: {', '.join(left)}", file=sys.stderr)
        return LEFT_SOMETHING
    return status


def list_temporary(root: Path, home: Path) -> set[str]:
    """Return the paths of what is in the folders for temporary files and in the home."""
    folders = [folder for folder in (*(root / name for name in TEMPORARY), home) if folder.exists()]
    return {f"/{place.relative_to(root)}" for folder in folders for place in folder.iterdir()}


def mount(*words: str | Path) -> None:
    """Call mount(8)."""
    subprocess.run(["mount", *map(str, words)], check=True)


def bind(source: Path, target: Path, *, is_writable: bool = False) -> None:
    """Show a folder or file at another place, which is made if it is not there."""
    if source.is_dir():
        target.mkdir(parents=True, exist_ok=True)
    elif not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    mount("--bind", source, target)
    if not is_writable:
        mount("-o", "remount,bind,ro", target)


def show_system(plan: Plan, root: Path) -> None:
    """Show the folders of a system read-only, and an empty file in place of each hidden program."""
    system = Path(plan.system)
    for name in SYSTEM:
        place = system / name
        if place.is_symlink():
            (root / name).symlink_to(place.readlink())
        elif place.is_dir():
            # In a system of its own, mount points can be made until ``protect_system``.
            bind(place, root / name, is_writable=plan.system != "/")
    for name in FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / "root").chmod(0o711)  # an interpreter may be below it
    empty = root / "run" / "hidden"
    empty.touch(mode=0o644)
    folders = dict.fromkeys([*os.defpath.split(":"), "/usr/local/bin", *plan.env["PATH"].split(":")])
    for name in plan.hidden:
        for place in {Path(os.path.realpath(f"{folder}/{name}")) for folder in folders if Path(folder, name).exists()}:
            inside = root / str(place).lstrip("/")
            if plan.system == "/" and inside.exists():
                bind(empty, inside)


def protect_system(root: Path) -> None:
    """Make the folders of a system read-only."""
    for name in SYSTEM:
        if (root / name).is_dir() and not (root / name).is_symlink():
            mount("-o", "remount,bind,ro", root / name)


def add_devices(plan: Plan, root: Path) -> None:
    """Make /dev, /proc and /sys, and folders for temporary files."""
    for name in DEVICES:
        (root / "dev" / name).touch()
        mount("--bind", f"/dev/{name}", root / "dev" / name)
    for name, target in LINKS.items():
        (root / "dev" / name).symlink_to(target)
    (root / "dev/pts").mkdir()
    mount("-t", "devpts", "-o", "newinstance,ptmxmode=0666,mode=620", "none", root / "dev/pts")
    mount("-t", "proc", "none", root / "proc")
    mount("-t", "sysfs", "-o", "ro", "none", root / "sys")
    if plan.shm:
        (root / "dev/shm").mkdir()
    for name in TEMPORARY:
        if (root / name).exists():
            (root / name).chmod(0o1777)


def become(plan: Plan, root: Path) -> None:
    """Turn this process into the command, on the machine."""
    os.setsid()
    if not plan.landlock:
        refuse(LANDLOCK_CALLS, errno.ENOSYS)
    os.chdir(root)
    if plan.namespaces:
        check(_libc.pivot_root(b".", b"."), "pivot_root")
        check(_libc.umount2(b".", MNT_DETACH), "umount2")
        os.chdir("/")
    else:
        os.chroot(".")
        check(_libc.prctl(PR_CAPBSET_DROP, CAP_SYS_ADMIN, 0, 0, 0), "prctl")
    os.chdir(plan.folder)
    os.umask(0o022)
    os.setgroups([])
    os.setgid(plan.user)
    os.setuid(plan.user)
    os.execvpe(plan.argv[0], plan.argv, plan.env)


def refuse(calls: tuple[int, ...], error: int) -> None:
    """Let system calls fail, for this process and the programs that it runs."""
    program = [(LOAD, 0, 0, 0)]
    for number in calls:
        program += [(IF_EQUAL, 0, 1, number), (RETURN, 0, 0, REFUSE | error)]
    program += [(RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    head = ctypes.create_string_buffer(struct.pack("@HP", len(program), ctypes.addressof(code)))
    check(_libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.c_ulong(ctypes.addressof(head)), 0, 0), "seccomp")


def check(result: int, what: str) -> None:
    """Raise OSError if a call of the C library failed."""
    if result != 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
