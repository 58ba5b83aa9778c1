"""The command line of bubblewrap: a machine with the system's programs and the ground, and none of the user's files.

Source: bwrap(1).
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from gitmem.verify.ground.ground import Ground
from gitmem.verify.sandbox import account, caches, toolchain
from gitmem.verify.sandbox.launch_plan import FILTER_FD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Folders that are empty for a check under bubblewrap: the first is its TMPDIR.
PRIVATE_FOLDERS = ("/tmp", "/var/tmp", "/home", "/root", "/run")  # noqa: S108 - of the sandbox
PRIVATE_HOME = "/tmp/home"  # noqa: S108
# Entries of /proc that belong to the kernel and not to a process (proc(5)).
KERNEL = tuple(
    f"/proc/{name}"
    for name in ["sys", "sysrq-trigger", "irq", "bus", "fs", "acpi", "scsi", "mtrr", "driver", "tty", "pressure"]
)


def wrap(
    argv: Sequence[str],
    *,
    program: str,
    ground: Ground,
    path: str,
    network: bool,
    report_fd: int,
) -> list[str]:
    """Return the command line that runs a check in bubblewrap.

    Args:
        argv: The check.
        program: The path of bubblewrap.
        ground: The ground.
        path: Its PATH.
        network: Whether it may reach the network.
        report_fd: The descriptor on which bubblewrap reports how the check ended.
    """
    at, seen, user = str(ground.path), str(ground.path_in_check), account.check_user()
    laid = [
        *_tools(path, ground, is_inside=False),
        *("--bind", at, seen),
        *_tools(path, ground, is_inside=True),
        *(word for lent in ground.bound for word in ("--ro-bind", str(lent.place), f"{seen}/{lent.name}")),
        *(word for name, place in caches.find_caches() for word in ("--ro-bind", place, f"{PRIVATE_HOME}/{name}")),
        *(word for shown, place in ground.borrowed for word in ("--ro-bind", place, shown)),
    ]
    return [
        program,
        *_bare_machine(network, user),
        *("--seccomp", str(FILTER_FD)),
        *(_ways(tuple(laid[2::3])) if user else ()),
        *laid,
        *("--chdir", seen, "--json-status-fd", str(report_fd), "--"),
        *account.argv_as(user),
        *argv,
    ]


def _bare_machine(network: bool, user: int) -> list[str]:
    """Return the arguments for a machine with the system's programs and none of the user's files."""
    words = [*_namespaces(network, is_root=bool(user)), "--die-with-parent", "--new-session"]
    for name in toolchain.SYSTEM:
        folder = Path(name)
        if folder.is_symlink():
            words += ["--symlink", str(folder.readlink()), name]
        elif folder.is_dir():
            words += ["--ro-bind", name, name]
    for secret in toolchain.list_secrets():
        words += ["--tmpfs", str(secret)] if secret.is_dir() else ["--ro-bind", "/dev/null", str(secret)]
    # In the tmpfs that bubblewrap makes for the root: a tmpfs for each folder would cost a mount each.
    room = ("--perms", "1777", "--dir") if user else ("--dir",)
    words += [word for name in (*PRIVATE_FOLDERS, PRIVATE_HOME) for word in (*room, name)]
    words += ["--dev", "/dev", "--proc", "/proc"]
    # Root may write the kernel's settings, even in a namespace that a process of root created.
    words += [word for name in KERNEL for word in ("--ro-bind-try", name, name)]
    names = os.path.realpath("/etc/resolv.conf")  # often a link into /run (systemd-resolved(8))
    return [*words, "--ro-bind-try", names, names] if network and not names.startswith("/etc/") else words


def _namespaces(network: bool, *, is_root: bool) -> list[str]:
    """Return bubblewrap's arguments for the namespaces of a check.

    Root needs no user namespace, which would only rename it: it becomes another user inside (``account``).
    """
    if not is_root:
        words = ["--unshare-all", *(["--share-net"] if network else [])]
        return [*words, "--uid", str(os.getuid()), "--gid", str(os.getgid()), "--cap-drop", "ALL"]
    words = ["--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]
    words += [] if network else ["--unshare-net"]
    # Needed to become another user, which drops them, in a folder that only that user can enter.
    capabilities = ("CAP_SETUID", "CAP_SETGID", "CAP_DAC_READ_SEARCH")
    return [*words, "--cap-drop", "ALL", *(word for name in capabilities for word in ("--cap-add", name))]


@lru_cache(maxsize=64)
def _ways(places: tuple[str, ...]) -> tuple[str, ...]:
    """Return bubblewrap's arguments for parents of mounts; by default only its own user could enter them."""
    above = {str(place) for at in places for place in Path(at).parents}
    wanted = sorted(above - {"/", *PRIVATE_FOLDERS, PRIVATE_HOME})
    apart = [place for place in wanted if not any(map(Path(place).is_relative_to, toolchain.SYSTEM))]
    # Tools write beside their caches in the home.
    modes = ("1777" if Path(place).is_relative_to(PRIVATE_HOME) else "0755" for place in apart)
    return tuple(word for mode, place in zip(modes, apart, strict=True) for word in ("--perms", mode, "--dir", place))


def _tools(path: str, ground: Ground, *, is_inside: bool) -> list[str]:
    """Return bubblewrap's arguments for the programs on PATH and those that the lent environments use.

    Args:
        path: PATH.
        ground: The ground; its own files are shown instead of those of the user's work tree.
        is_inside: Select the programs inside the ground; if false, all others.
    """
    found = toolchain.find_toolchain(ground.tied_path(path))
    top = f"{ground.path_in_check}/"

    def is_wanted(place: str) -> bool:
        inside = f"{place}/".startswith(top)
        return inside == is_inside and not (inside and ground.contains(Path(place)))

    words = [word for folder in found.folders if is_wanted(folder) for word in ("--ro-bind-try", folder, folder)]
    return words + [word for said, at in found.links if is_wanted(at) for word in ("--symlink", said, at)]
