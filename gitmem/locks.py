"""Kernel locks on files, and the flags that files are opened with, where a system has them.

On Windows (untested there) a lock is on one byte far behind the end: it keeps others from reading what it covers.

Sources: flock(2); Microsoft's C runtime, ``_locking``.
"""

from __future__ import annotations

import os
import sys
import time

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

# What a system lacks of these is 0: nothing is asked for.
CLOSE_ON_EXEC: int = getattr(os, "O_CLOEXEC", getattr(os, "O_NOINHERIT", 0))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
ONLY_FOLDER: int = getattr(os, "O_DIRECTORY", 0)
# Where the byte lies that is locked on Windows.
FAR_BEHIND = 1 << 30
# How often it is tried where there is no waiting for a lock.
POLL_S = 0.01


def try_lock(path: str | os.PathLike[str]) -> int | None:
    """Return the open file that holds the lock, None where another process has it; closing it lets go.

    A link in its place is never followed. The kernel lets go when the holder dies (flock(2)), so it cannot go stale.

    Raises:
        OSError: The file cannot be made or opened.
    """
    fd = open_lock(path)
    try:
        if lock_now(fd):
            return fd
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None


def open_lock(path: str | os.PathLike[str]) -> int:
    """Return a file to lock, made where it is missing; a link in its place is never followed.

    Raises:
        OSError: The file cannot be made or opened.
    """
    return os.open(path, os.O_RDWR | os.O_CREAT | CLOSE_ON_EXEC | NO_FOLLOW, 0o600)


def lock_now(fd: int) -> bool:
    """Lock an open file for this process alone; tell whether that was possible now."""
    try:
        if sys.platform == "win32":
            os.lseek(fd, FAR_BEHIND, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def lock(fd: int) -> None:
    """Lock an open file for this process alone, however long that takes."""
    if sys.platform == "win32":
        while not lock_now(fd):
            time.sleep(POLL_S)
    else:
        fcntl.flock(fd, fcntl.LOCK_EX)
