"""Whether this person registered this very clone on this machine.

The state folder of a clone holds derived data, and lines about what only this clone knows. A ``.git`` that was copied
or unpacked from elsewhere brings a state folder along: its index can hide or invent memories, its verdicts can claim to
be made here. Nothing in that folder can prove that this machine wrote it, so the proof is outside: a file named for the
clone's id and the inode of the file with the id. It contains the time at which the kernel last changed that file
(stat(2), st_ctime), which no archive can set. A repository that was renamed or moved on its disk stays known. The
device number is not used: it may change at the next boot.
"""

from __future__ import annotations

import os
import stat

from gitmem.config import clones_place
from gitmem.frozen import frozen
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW, NO_WAIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    pass

# The file with the clone's id.
ID_NAME = "clone-id"


# Everything derived in the state folder was made on this machine.
SEEN = "seen"


@frozen
class CloneState:
    """Whether a state folder can be used.

    Attributes:
        is_usable: Whether derived data may be read and written there.
        notice: A line for the person, or empty.
    """

    is_usable: bool
    notice: str = ""


def is_registered(state: str, what: str = SEEN) -> bool:
    """Return whether this person registered this very clone on this machine."""
    try:
        name, content = clone_identity(state)
        path = os.path.join(clones_place(), f"{name}.{what}")
        return is_private_folder(clones_place()) and _read_registration(path) == content
    except (OSError, ValueError):
        return False


def clone_identity(state: str) -> tuple[str, bytes]:
    """Return the name under which a clone is registered, and the content of the registration.

    Raises:
        OSError, ValueError: It has no id made by gitmem.
    """
    fd = os.open(os.path.join(state, ID_NAME), os.O_RDONLY | NO_FOLLOW | NO_WAIT | CLOSE_ON_EXEC)
    with open(fd, "rb") as file:
        name, info = file.read(100).decode("ascii").strip(), os.fstat(fd)
    if len(name) != 32 or set(name) - set("0123456789abcdef"):
        raise ValueError(f"{state} has no id of gitmem's")
    return f"{name}-{info.st_ino}", f"{info.st_ctime_ns}\n".encode("ascii")


def _read_registration(path: str) -> bytes:
    with open(os.open(path, os.O_RDONLY | NO_FOLLOW | NO_WAIT | CLOSE_ON_EXEC), "rb") as file:
        return file.read(1000)


def is_private_folder(folder: str) -> bool:
    """Return whether a folder is owned by the current user, and only writable for them."""
    if not os.path.isabs(folder):
        return False  # HOME is empty
    info = os.lstat(folder)
    if not hasattr(os, "geteuid"):
        return stat.S_ISDIR(info.st_mode)
    return stat.S_ISDIR(info.st_mode) and info.st_uid == os.geteuid() and not info.st_mode & 0o022
