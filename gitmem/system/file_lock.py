"""Kernel locks on files, flags for opening files, and the permissions of gitmem's own state.

A file or folder of the state belongs to this person alone, or to the group if the folder above does: git makes a
repository's folders set-group-ID and group-writable if a group shares it (core.sharedRepository). Others may never read
or write the state, whatever the umask.

On Windows (untested there) a lock covers one byte far beyond the end: locked bytes cannot be read by others.

Sources: flock(2); Microsoft's C runtime, ``_locking``.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

# Flags that a system lacks are 0.
CLOSE_ON_EXEC: int = getattr(os, "O_CLOEXEC", getattr(os, "O_NOINHERIT", 0))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
ONLY_FOLDER: int = getattr(os, "O_DIRECTORY", 0)
_SHARED = stat.S_ISGID | stat.S_IWGRP
_FOLDER_OF_GROUP, _FILE_OF_GROUP = 0o2770, 0o660
# Files that belong to one person even in a shared repository: secrets.
_UNSHARED = frozenset({"mcp-token"})
# The position of the locked byte on Windows.
FAR_BEHIND = 1 << 30
# How often to retry where waiting for a lock is not possible.
POLL_S = 0.01


def try_lock(path: str | os.PathLike[str]) -> int | None:
    """Return the open file that holds the lock, None if another process has it; closing the file releases it.

    A link is never followed. The kernel releases the lock when its holder dies (flock(2)), so it cannot become stale.

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
    return True


def lock(fd: int) -> None:
    """Lock an open file for this process alone, waiting as long as necessary."""
    if sys.platform == "win32":
        while not lock_now(fd):
            time.sleep(POLL_S)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Create a folder of the state, with missing parents.

    Raises:
        OSError: It cannot be made.
    """
    folder = os.fspath(path)
    if os.path.isdir(folder):
        return
    above = os.path.dirname(os.path.abspath(folder))
    if os.path.lexists(above) and not os.path.isdir(above):
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder)
    make_folder(above)
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        if not os.path.isdir(folder):
            raise
        return
    if _is_shared(above):
        os.chmod(folder, _FOLDER_OF_GROUP)


def open_private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file of the state, created if the flags say so; a link is never followed.

    Raises:
        OSError: It cannot be made or opened.
    """
    fd = os.open(path, flags | CLOSE_ON_EXEC | NO_FOLLOW, 0o600)
    if flags & os.O_CREAT and _is_shared(os.path.dirname(path)):
        try:
            os.fchmod(fd, _FILE_OF_GROUP)
        except OSError:
            return fd  # another member created it
    return fd


def remove(path: str | os.PathLike[str]) -> None:
    """Remove a file of the state, which may be missing."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        return


def discard(path: str | os.PathLike[str]) -> None:
    """Remove a file of the state if it is there and can be removed."""
    try:
        os.unlink(path)
    except OSError:
        return


def settle_modes(state_folder: str) -> None:
    """Remove others' access to a state folder, and give the group its shared files: a database, and replaced files."""
    try:
        if os.path.islink(state_folder):
            return
        if _is_shared(os.path.dirname(state_folder)):
            _settle(state_folder, _FOLDER_OF_GROUP)
            _share(state_folder)
        elif os.stat(state_folder).st_mode & 0o022:
            _settle(state_folder, 0o700)
    except OSError:
        return  # read-only, or another person's


def _share(folder: str) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            try:
                if entry.is_dir(follow_symlinks=False):
                    _settle(entry.path, _FOLDER_OF_GROUP)
                    _share(entry.path)
                elif entry.is_file(follow_symlinks=False) and entry.name not in _UNSHARED:
                    _settle(entry.path, _FILE_OF_GROUP)
            except OSError:
                continue  # gone, or another member's


def _settle(path: str, mode: int) -> None:
    """Set the mode of a file or folder of this person; links, and what others own, stay."""
    found = os.lstat(path)
    if found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode) and (found.st_mode ^ mode) & 0o077:
        os.chmod(path, mode)


def _is_shared(folder: str | os.PathLike[str]) -> bool:
    try:
        return os.stat(folder or os.curdir).st_mode & _SHARED == _SHARED
    except OSError:
        return False
