"""The user that a check of root runs as: root's own rights are those over the machine, sandbox or not.

Where gitmem runs as root, a check runs as an ordinary user that no account has, who owns the ground for that time and
nothing else. Root of a user namespace alone (as in a rootless container) is an ordinary user outside of it already.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

# Between the accounts of people and those that systemd gives out (systemd.io, "Users, Groups, UIDs and GIDs").
CHECK_USER = 60_877
# Where every user may make files (hier(7)).
SYSTEM_PLACES = ("/tmp", "/var/tmp")  # noqa: S108
SETPRIV = "/usr/bin/setpriv"


@lru_cache
def check_user() -> int:
    """Return the number of the user and group that checks run as; 0 where they run as whoever runs gitmem."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return 0
    try:
        inside, outside, count = map(int, Path("/proc/self/uid_map").read_text(encoding="ascii").split()[:3])
    except (OSError, ValueError):
        return 0
    return CHECK_USER if (inside, outside) == (0, 0) and count > CHECK_USER else 0


def argv_as(user: int) -> list[str]:
    """Return the words before a program that make a process of root another user's (setpriv(1)); none for 0."""
    return [SETPRIV, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--"] if user else []


def open_way(folder: Path) -> None:
    """Let others through a folder, but not look into it."""
    folder.chmod(0o711)


def temporary_place() -> Path:
    """Return a folder for temporary files that the user of checks can reach; root's own `TMPDIR` may be closed to it.

    If the system's folders are closed too, it is that of `TMPDIR`, and the sandbox's probe reports what fails.
    """
    first = Path(tempfile.gettempdir()).resolve()
    places = (first, *map(Path, SYSTEM_PLACES)) if check_user() else ()
    return next((place for place in places if _is_open_to_others(place)), first)


def _is_open_to_others(folder: Path) -> bool:
    try:
        return all(part.stat().st_mode & stat.S_IXOTH for part in (folder, *folder.parents))
    except OSError:
        return False


def give(top: Path, user: int) -> None:
    """Give a tree to a user; links themselves, never what they lead to. Nothing for 0.

    Raises:
        OSError: It cannot be given away.
    """
    if not user:
        return
    for _, folders, files, at in os.fwalk(top):
        os.fchown(at, user, user)
        for name in (*folders, *files):
            os.chown(name, user, user, dir_fd=at, follow_symlinks=False)
