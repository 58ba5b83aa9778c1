"""Kernel locks on files.

On Windows (untested there) a lock covers one byte far beyond the end: locked bytes cannot be read by others.

Sources: flock(2); Microsoft's C runtime, ``_locking``.
"""

from __future__ import annotations

import errno
import os
import sys
import time

from gitmem.system import discard, open_private

# The position of the locked byte on Windows.
FAR_BEHIND = 1 << 30
# How often to retry where waiting for a lock is not possible.
POLL_S = 0.01
# What a file system without locks answers (flock(2); NFS without a lock daemon, some mounts of containers). Locks only
# save work: what is written is safe without them.
_UNKNOWN = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


def try_lock(path: str | os.PathLike[str]) -> int | None:
    """Return the open file that holds the lock, None if another process has it; closing the file releases it.

    A link is never followed. The kernel releases the lock when its holder dies (flock(2)), so it cannot become stale.

    Raises:
        OSError: The file cannot be made or opened.
    """
    fd, is_held = open_lock(path), False
    try:
        is_held = lock_now(fd)
    finally:
        if not is_held:
            os.close(fd)
    return fd if is_held else None


def open_lock(path: str | os.PathLike[str]) -> int:
    """Return a file to lock, created if missing; a link is never followed.

    Raises:
        OSError: The file cannot be made or opened.
    """
    return open_private(path, os.O_RDWR | os.O_CREAT)


def lock_now(fd: int) -> bool:
    """Lock an open file for this process alone; return whether that was possible at once."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(fd, FAR_BEHIND, os.SEEK_SET)
            msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # an extension module: 0.2 ms, and recall locks nothing

            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    except OSError as err:
        if err.errno not in _UNKNOWN:
            raise
    return True


def works(folder: str | os.PathLike[str]) -> bool:
    """Return whether locks of files in a folder keep anybody out; true if that cannot be tried."""
    path = os.path.join(folder, f"locks.{os.getpid()}.new")
    try:
        first, second = open_lock(path), open_lock(path)
    except OSError:
        return True
    try:
        return lock_now(first) and not lock_now(second)
    finally:
        os.close(first)
        os.close(second)
        discard(path)


def lock(fd: int) -> None:
    """Lock an open file for this process alone, waiting as long as necessary."""
    if sys.platform == "win32":
        while not lock_now(fd):
            time.sleep(POLL_S)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX)
