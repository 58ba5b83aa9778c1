"""Kernel locks on files, the flags that files are opened with, and whose the files of gitmem's own state are.

A file or folder of the state is this person's alone, or the group's where the folder above it is: git makes a folder
of a repository that a group shares (core.sharedRepository) set-group-ID and writable by the group. Others may never
read or write the state, whatever the umask says.

On Windows (untested there) a lock is on one byte far behind the end: it keeps others from reading what it covers.

Sources: flock(2); Microsoft's C runtime, ``_locking``.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

# What a system lacks of these is 0: nothing is asked for.
CLOSE_ON_EXEC: int = getattr(os, "O_CLOEXEC", getattr(os, "O_NOINHERIT", 0))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
ONLY_FOLDER: int = getattr(os, "O_DIRECTORY", 0)
_SHARED = stat.S_ISGID | stat.S_IWGRP
_FOLDER_OF_GROUP, _FILE_OF_GROUP = 0o2770, 0o660
# Files of one person even there: secrets.
_UNSHARED = frozenset({"mcp-token"})
# Where the byte is that is locked on Windows.
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
    return open_private(path, os.O_RDWR | os.O_CREAT)


def lock_now(fd: int) -> bool:
    """Lock an open file for this process alone; tell whether that was possible now."""
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
    """Lock an open file for this process alone, however long that takes."""
    if sys.platform == "win32":
        while not lock_now(fd):
            time.sleep(POLL_S)
    else:
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX)


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder of the state, and those above it that are missing.

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
    """Open a file of the state, made where the flags say so; a link in its place is never followed.

    Raises:
        OSError: It cannot be made or opened.
    """
    fd = os.open(path, flags | CLOSE_ON_EXEC | NO_FOLLOW, 0o600)
    if flags & os.O_CREAT and _is_shared(os.path.dirname(path)):
        try:
            os.fchmod(fd, _FILE_OF_GROUP)
        except OSError:
            return fd  # another member made it
    return fd


def settle_modes(state_folder: str) -> None:
    """Take a state folder from others, and give the group what it shares: a database, what is put in its place."""
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
    """Let a file or folder of this person have a mode; a link, and what others own, stays."""
    found = os.lstat(path)
    if found.st_uid == os.geteuid() and not stat.S_ISLNK(found.st_mode) and (found.st_mode ^ mode) & 0o077:
        os.chmod(path, mode)


def _is_shared(folder: str | os.PathLike[str]) -> bool:
    try:
        return os.stat(folder or os.curdir).st_mode & _SHARED == _SHARED
    except OSError:
        return False
