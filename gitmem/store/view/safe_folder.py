"""Access files below one folder without ever following a symbolic link: for reading and writing a view.

Every path component is opened relative to its parent (openat(2) with ``O_NOFOLLOW``): a link that was put there is only
an obstacle.
"""

from __future__ import annotations

import os
import stat

from gitmem.errors import suppress
from gitmem.git.objects import oid_of
from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER
from gitmem.system.atomic_write import sync_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from types import TracebackType

# An entry that is not a regular file, or too large to be gitmem's.
ODD = "!"
# Larger than any file of a view (``layout``'s limits): such a file is a person's own.
READ_LIMIT = 1024 * 1024
# The temporary name of a new file. One name suffices: the writer holds the view's lock.
NEW = ".gitmem-new"
_FOLDER = os.O_RDONLY | ONLY_FOLDER | NO_FOLLOW | CLOSE_ON_EXEC


class Folder:
    """One folder, as a context manager; paths are relative, with ``/``."""

    def __init__(self, top: str) -> None:
        self._top = top
        self._last: tuple[str, int] = ("", -1)
        self._fd = -1

    def __enter__(self) -> Folder:
        """Open the folder.

        Raises:
            OSError: It is missing, or a symbolic link.
        """
        self._fd = os.open(self._top, _FOLDER)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the folder."""
        self._forget()
        os.close(self._fd)

    def read(self, path: str, *, limit: int = READ_LIMIT) -> bytes | None:
        """Return a file's content, or None if there is none.

        Raises:
            ValueError: It is not a regular file, or larger than *limit* bytes; the message says which.
        """
        parent, name = _split(path)
        try:
            fd = os.open(
                name,
                os.O_RDONLY | NO_FOLLOW | getattr(os, "O_NONBLOCK", 0) | CLOSE_ON_EXEC,
                dir_fd=self._parent(parent, make=False),
            )
        except FileNotFoundError:
            return None
        except OSError as err:
            raise ValueError(f"it cannot be read as a file: {err.strerror}") from err
        with open(fd, "rb") as file:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise ValueError("it is not a regular file")
            content = file.read(limit + 1)
        if len(content) > limit:
            raise ValueError(f"{info.st_size} bytes; the limit is {limit}")
        return content

    def oid(self, path: str, length: int) -> str:
        """Return git's object name for a file's content; empty if there is none, ``ODD`` for anything else."""
        try:
            content = self.read(path)
        except ValueError:
            return ODD
        return "" if content is None else oid_of(content, length)

    def is_blank(self, path: str) -> bool:
        """Return whether a file is empty or full of zeros, as a power cut leaves a file that was not synced."""
        try:
            content = self.read(path)
        except ValueError:
            return False
        return content is not None and not content.strip(b"\0")

    def write(self, path: str, content: bytes, *, mode: str, instead: str | None = None) -> bool:
        """Write a file atomically, creating its folders; return false if another file is there by now.

        Args:
            path: The file.
            content: Its content.
            mode: Its mode in git.
            instead: The blob that it may replace, empty for none; checked again at the last moment, since people
                edit. None replaces anything.

        Raises:
            ValueError: The path leads out of the folder.
        """
        parent, name = _split(path)
        folder = self._parent(parent, make=True)
        self._drop(NEW)
        permissions = 0o777 if mode == "100755" else 0o666
        fd = os.open(
            NEW, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | CLOSE_ON_EXEC, permissions, dir_fd=self._fd
        )
        with open(fd, "wb") as file:
            file.write(content)
        if instead is not None and self.oid(path, len(instead)) != instead:
            self._drop(NEW)
            return False
        os.rename(NEW, name, src_dir_fd=self._fd, dst_dir_fd=folder)
        return True

    def remove(self, path: str) -> None:
        """Delete a file, and its folders if they are empty then.

        Raises:
            ValueError: The path leads out of the folder.
        """
        parent, name = _split(path)
        try:
            os.unlink(name, dir_fd=self._parent(parent, make=False))
        except FileNotFoundError:
            return
        self._forget()
        while parent:
            above, _, name = parent.rpartition("/")
            try:
                os.rmdir(name, dir_fd=self._parent(above, make=False))
            except OSError:
                return  # not empty
            self._forget()
            parent = above

    def sync(self, paths: Collection[str]) -> None:
        """Make files and their names durable."""
        sync_files(os.path.join(self._top, path) for path in paths)

    def _drop(self, name: str) -> None:
        try:
            os.unlink(name, dir_fd=self._fd)
        except FileNotFoundError:
            return

    def _parent(self, folder: str, *, make: bool) -> int:
        """Return the open folder of a path; the last one stays open, since paths are sorted."""
        if not folder:
            return self._fd
        if self._last[0] == folder:
            return self._last[1]
        fd = os.dup(self._fd)
        for part in folder.split("/"):
            try:
                if make:
                    with suppress(FileExistsError):
                        os.mkdir(part, dir_fd=fd)
                below = os.open(part, _FOLDER, dir_fd=fd)
            finally:
                os.close(fd)
            fd = below
        self._forget()
        self._last = (folder, fd)
        return fd

    def _forget(self) -> None:
        if self._last[1] >= 0:
            os.close(self._last[1])
        self._last = ("", -1)


def _split(path: str) -> tuple[str, str]:
    """Split a path into folder and name; refuse one that leaves the top folder or enters git's own."""
    if any(part in ("", ".", "..") or part.lower() == ".git" for part in path.split("/")):
        raise ValueError("its name is not allowed")
    parent, _, name = path.rpartition("/")
    return parent, name
