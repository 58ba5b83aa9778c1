"""A kernel lock on a file, taken where it is free: who does not get it has something else to do than to wait."""

from __future__ import annotations

import fcntl
import os


def try_lock(path: str | os.PathLike[str]) -> int | None:
    """Return the open file that holds the lock, None where another process has it; closing it lets go.

    A link in its place is never followed. The kernel lets go when the holder dies (flock(2)), so it cannot go stale.

    Raises:
        OSError: The file cannot be made or opened.
    """
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    except BaseException:
        os.close(fd)
        raise
    return fd
