"""The user account for checks when gitmem runs as root, whose rights over the machine no sandbox removes.

If gitmem runs as root, a check runs as an ordinary user without an account, who owns the ground during the check and
nothing else. Root inside a user namespace only (as in a rootless container) is already an ordinary user outside of it.
"""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

# Between the accounts of people and those that systemd assigns (systemd.io, "Users, Groups, UIDs and GIDs").
CHECK_USER = 60_877
# Folders in which every user may create files (hier(7)).
SYSTEM_PLACES = ("/tmp", "/var/tmp")  # noqa: S108
SETPRIV = "/usr/bin/setpriv"
OPEN_TO_OTHERS = stat.S_IROTH | stat.S_IXOTH


@lru_cache
def check_user() -> int:
    """Return the user and group ID that checks run as; 0 if they run as the current user."""
    if sys.platform != "linux" or os.geteuid() != 0:
        return 0
    try:
        inside, outside, count = map(int, Path("/proc/self/uid_map").read_text(encoding="ascii").split()[:3])
    except (OSError, ValueError):
        return 0
    return CHECK_USER if (inside, outside) == (0, 0) and count > CHECK_USER else 0


def argv_as(user: int) -> list[str]:
    """Return the command prefix that runs a program of root as another user (setpriv(1)); empty for 0."""
    return [SETPRIV, f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--"] if user else []


def open_way(folder: Path) -> None:
    """Let other users pass through a folder, but not list it."""
    folder.chmod(0o711)


def temporary_place() -> Path:
    """Return a folder for temporary files that the user of checks can reach; root's own `TMPDIR` may be inaccessible.

    If the system's folders are also inaccessible, return that of `TMPDIR`; the sandbox's probe then reports what fails.
    """
    first = Path(tempfile.gettempdir()).resolve()
    places = (first, *map(Path, SYSTEM_PLACES)) if check_user() else ()
    return next((place for place in places if _is_open_to_others(place)), first)


def _is_open_to_others(folder: Path) -> bool:
    try:
        return all(part.stat().st_mode & stat.S_IXOTH for part in (folder, *folder.parents))
    except OSError:
        return False


def can_reach(folder: Path) -> bool:
    """Return whether the user of checks can list a folder of root's; what is in it may still be unreadable."""
    try:
        return _is_open_to_others(folder) and folder.stat().st_mode & OPEN_TO_OTHERS == OPEN_TO_OTHERS
    except OSError:
        return False


def give(top: Path, user: int) -> None:
    """Change the owner of a tree; of links, the link itself and not its target. Does nothing for user 0.

    Raises:
        OSError: The owner cannot be changed.
    """
    if not user:
        return
    for _, folders, files, at in os.fwalk(top):
        os.fchown(at, user, user)
        for name in (*folders, *files):
            os.chown(name, user, user, dir_fd=at, follow_symlinks=False)
