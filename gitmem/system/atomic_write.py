"""Write files atomically, and make files and names durable."""

from __future__ import annotations

import os

from gitmem.errors import suppress
from gitmem.system import CLOSE_ON_EXEC, ONLY_FOLDER, open_private

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# With more files than this, syncing each of them takes longer than syncing every disk at once.
EACH_AT_MOST = 200


def write(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Write a file atomically; a link of that name is replaced, not followed.

    Readers see the old file or the new one (rename(2)). It is not synced: after a power cut, it may be either.

    Args:
        path: Its path; the folder must exist.
        content: Its content.
        mode: Its permissions, independent of the umask; None = according to the umask.

    Raises:
        OSError: It cannot be written; a file that was there is left as it was.
    """
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        # Of a process of that number that was killed (in a container, each has the same), or a link that came with the
        # code.
        new.unlink(missing_ok=True)
        with new.open("xb") as file:
            if mode is not None:
                new.chmod(mode)  # before it contains anything private
            file.write(content)
        new.replace(path)
    except BaseException:
        with suppress(OSError):  # the folder is missing, or not writable
            new.unlink(missing_ok=True)
        raise


def write_durably(path: str, content: bytes) -> None:
    """Write a file atomically, its content and its name on disk when this returns.

    Raises:
        OSError: It cannot be written; a file that was there is left as it was.
    """
    write_synced(f"{path}.new", content)
    try:
        os.replace(f"{path}.new", path)
    except OSError:  # a folder is in the way
        os.unlink(f"{path}.new")
        raise
    sync_folder(os.path.dirname(path))


def write_synced(path: str, content: bytes) -> None:
    """Write a file in place and sync its content, not its name."""
    fd = open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(fd, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_files(paths: Iterable[str]) -> None:
    """Make files and their names durable; those that are missing are left out."""
    files = list(paths)
    if len(files) > EACH_AT_MOST:
        os.sync()
        return
    for path in files:
        with suppress(FileNotFoundError):
            _sync(path, os.O_RDONLY)
    for folder in dict.fromkeys(os.path.dirname(path) for path in files):
        with suppress(FileNotFoundError):
            sync_folder(folder)


def sync_folder(folder: str | os.PathLike[str]) -> None:
    """Make the names in a folder durable: syncing a file says nothing of the name that leads to it (fsync(2))."""
    _sync(folder, os.O_RDONLY | ONLY_FOLDER)


def _sync(path: str | os.PathLike[str], flags: int) -> None:
    fd = os.open(path, flags | CLOSE_ON_EXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
