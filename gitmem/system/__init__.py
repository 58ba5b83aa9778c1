"""What reaches outside: files, processes, HTTP. Here are the files of gitmem's own state, and a walk of any folder.

A file or folder of the state belongs to this person alone, or to the group if the folder above does: git makes a
repository's folders set-group-ID and group-writable if a group shares it (core.sharedRepository). Others may never read
or write the state, whatever the umask.
"""

from __future__ import annotations

import errno
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Flags that a system lacks are 0.
CLOSE_ON_EXEC: int = getattr(os, "O_CLOEXEC", getattr(os, "O_NOINHERIT", 0))
NO_FOLLOW: int = getattr(os, "O_NOFOLLOW", 0)
ONLY_FOLDER: int = getattr(os, "O_DIRECTORY", 0)
NO_WAIT: int = getattr(os, "O_NONBLOCK", 0)
_SHARED = stat.S_ISGID | stat.S_IWGRP
_FOLDER_OF_GROUP, _FILE_OF_GROUP = 0o2770, 0o660
# No file that gitmem writes beside its databases is larger (chosen).
LARGEST = 64 << 20
SPECIAL = "Not a regular file"
# Files that belong to one person even in a shared repository: secrets.
_UNSHARED = frozenset({"mcp-token"})


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
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), folder) from None
        return
    if _is_shared(above):
        os.chmod(folder, _FOLDER_OF_GROUP)


def open_private(path: str | os.PathLike[str], flags: int) -> int:
    """Open a file of the state, created if the flags say so; a link is never followed.

    Raises:
        OSError: It cannot be made or opened.
    """
    fd = os.open(path, flags | CLOSE_ON_EXEC | NO_FOLLOW | NO_WAIT, 0o600)
    if flags & os.O_CREAT and _is_shared(os.path.dirname(path)):
        try:
            os.fchmod(fd, _FILE_OF_GROUP)
        except OSError:
            return fd  # another member created it
    return fd


def blocked_by(err: OSError, path: str | os.PathLike[str]) -> str:
    """Return how to move a folder out of the place of a file, or a file out of that of a folder; empty if neither."""
    there = os.fspath(path)
    if err.errno in (errno.EEXIST, errno.ENOTDIR):  # a file where a folder must be
        while not os.path.lexists(there):
            there = os.path.dirname(there)
    elif err.errno != errno.EISDIR:
        return ""
    kind = "folder" if os.path.isdir(there) else "file"
    return f"a {kind} is in its place; move it: {command_to_move(there)}"


def command_to_move(path: str) -> str:
    """Return a command that moves a file or a folder out of the way, and overwrites none."""
    return command_of("mv", "-n", path, f"{path}.old")


def command_of(*words: str) -> str:
    """Return a command for a shell, its words quoted where they need it."""
    import shlex  # it imports re, which hooks do not need

    return shlex.join(words)


def only_regular(path: str, flags: int) -> int:
    """Open a file as an ``opener`` of `open`; a pipe in its place would wait for ever, and a device never end.

    Raises:
        OSError: It cannot be opened, or is not a regular file.
    """
    fd = os.open(path, flags | CLOSE_ON_EXEC | NO_WAIT, 0o666)
    mode = os.fstat(fd).st_mode
    if not stat.S_ISREG(mode):
        os.close(fd)
        code, why = (errno.EISDIR, os.strerror(errno.EISDIR)) if stat.S_ISDIR(mode) else (errno.ENXIO, SPECIAL)
        raise OSError(code, why, path)
    return fd


def read_regular(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file that others may have put there; nothing of the null device, as of an empty file.

    Raises:
        OSError: It cannot be read, or is neither a regular file nor the null device.
    """
    try:
        with open(path, "rb", opener=only_regular) as file:
            return file.read()
    except OSError:
        if is_null_device(path):
            return b""
        raise


def is_null_device(path: str | os.PathLike[str]) -> bool:
    """Return whether a path leads to the null device: a hook that is switched off, what a container hides."""
    try:
        there = os.stat(path)
        return stat.S_ISCHR(there.st_mode) and there.st_rdev == os.stat(os.devnull).st_rdev
    except OSError:
        return False


def append_file(path: str | os.PathLike[str], content: bytes) -> None:
    """Append to a file of the state, created with its folder if missing, in one write: readers see all of it or none.

    Source: POSIX.1-2017, write(), O_APPEND.

    Raises:
        OSError: It cannot be made, opened or written.
    """
    make_folder(os.path.dirname(path))
    fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        os.write(fd, content)
    finally:
        os.close(fd)


def write_text(path: str, text: str) -> None:
    """Write a text file of the state atomically, with its folder; it is not synced.

    Raises:
        OSError: It cannot be written; a file that was there is left as it was.
    """
    make_folder(os.path.dirname(path))
    new = f"{path}.{os.getpid()}.new"
    try:
        with open(new, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        os.replace(new, path)
    except OSError:
        discard(new)
        raise


def remove(path: str | os.PathLike[str]) -> None:
    """Remove a file of the state, which may be missing, as may its folder."""
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
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
    info = os.lstat(path)
    if info.st_uid == os.geteuid() and not stat.S_ISLNK(info.st_mode) and (info.st_mode ^ mode) & 0o077:
        os.chmod(path, mode)


def _is_shared(folder: str | os.PathLike[str]) -> bool:
    try:
        return os.stat(folder or os.curdir).st_mode & _SHARED == _SHARED
    except OSError:
        return False


def iter_files(folder: str, hidden: list[os.DirEntry[str]] | None = None) -> Iterator[os.DirEntry[str]]:
    """Yield the entries below a folder, in no order, except folders and what begins with a dot; follow no links.

    Args:
        folder: The folder.
        hidden: Takes the files and folders that begin with a dot.

    Raises:
        OSError: A folder cannot be read.
    """
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    if hidden is not None:
                        hidden.append(entry)
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    yield entry


def list_names(folder: str) -> list[str]:
    """Return the names in a folder, in no order; none if it cannot be listed."""
    try:
        return os.listdir(folder)
    except OSError:
        return []


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the content of a file; nothing if it cannot be read, or is larger than any that gitmem writes."""
    try:
        with open(path, "rb", opener=only_regular) as file:
            return file.read() if os.fstat(file.fileno()).st_size <= LARGEST else b""
    except OSError:
        return b""
