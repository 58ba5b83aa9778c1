"""Record captured texts that could not be written anywhere, for doctor and for the next start of a session.

The record's space is allocated beside the spool at the first capture: on most file systems, overwriting existing blocks
needs no free space.
"""

from __future__ import annotations

import os
import time

from gitmem.errors import suppress
from gitmem.frozen import frozen
from gitmem.git.git import plausible
from gitmem.system import make_folder, only_regular, open_private
from gitmem.system.atomic_write import write_synced
from gitmem.system.file_lock import lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NAME = "lost"
ROOM = 4096


@frozen
class Loss:
    """A captured text that was lost.

    Attributes:
        at: When it was captured, epoch seconds.
        why: The system's error message.
    """

    at: int
    why: str


def reserve(folder: str) -> None:
    """Allocate the record if it is missing, so that it can be written on a full disk."""
    path = os.path.join(folder, NAME)
    if not os.path.exists(path):
        with suppress(OSError):
            write_synced(path, bytes(ROOM))


def note(folders: Iterable[str], why: str) -> bool:
    """Record a loss in the first folder that allows it; return whether one did."""
    for folder in folders:
        with suppress(OSError):
            make_folder(folder)
            _add(os.path.join(folder, NAME), f"{plausible(time.time())} {why[:200]}\n".encode("utf-8", "replace"))
            return True
    return False


def list_losses(folders: Iterable[str]) -> list[Loss]:
    """Return the recorded losses, oldest first."""
    losses = []
    for folder in folders:
        with (
            suppress(OSError),
            open(os.path.join(folder, NAME), encoding="utf-8", errors="replace", opener=only_regular) as file,
        ):
            words = (line.partition(" ") for line in file.read(ROOM).strip("\0").splitlines())
            losses += [Loss(int(at), why) for at, _, why in words if at.isdecimal() and at.isascii()]
    return sorted(losses, key=lambda loss: loss.at)


def forget(folders: Iterable[str]) -> None:
    """Clear the records; their space stays allocated."""
    for folder in folders:
        path = os.path.join(folder, NAME)
        with suppress(OSError):
            if os.path.getsize(path):
                write_synced(path, bytes(ROOM))


def _add(path: str, line: bytes) -> None:
    fd = open_private(path, os.O_RDWR | os.O_CREAT)
    try:
        lock(fd)
        there = os.read(fd, ROOM).rstrip(b"\0") + line
        while len(there) > ROOM:
            there = there.partition(b"\n")[2]
        os.lseek(fd, 0, os.SEEK_SET)
        if os.write(fd, there.ljust(ROOM, b"\0")) < len(there):
            raise OSError("the disk is full")
        os.fsync(fd)
    finally:
        os.close(fd)
