"""Temporary folders; those left by killed processes are removed when the next one is made.

Each folder is locked by its process, and the kernel releases the lock when the process ends (flock(2) works on
folders).
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from gitmem.system import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER
from gitmem.system.file_lock import lock_now
from gitmem.verify.sandbox.account import temporary_place
from gitmem.verify.sandbox.removal import remove_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# A new folder is not locked at first, so younger ones are not removed.
YOUNG_S = 60.0


@contextmanager
def temporary_folder(prefix: str, place: Path | None = None) -> Iterator[Path]:
    """Create a folder that is removed when the block ends, and remove the folders of killed processes.

    Args:
        prefix: The beginning of its name, and of the names of the folders to remove.
        place: The parent folder; None for a folder for temporary files that checks can reach.
    """
    parent = place or temporary_place()
    _sweep(parent, prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent)).resolve()
    held = None
    try:
        with suppress(OSError):  # a file system that cannot lock folders: then a leftover folder is never removed
            held = _hold(folder)
        yield folder
    finally:
        with suppress(OSError):  # an interrupted check may still be writing there
            remove_tree(str(folder))
        if held is not None:
            os.close(held)


def _sweep(parent: Path, prefix: str) -> None:
    try:
        folders = [p for p in parent.iterdir() if p.name.startswith(prefix)]
    except OSError:
        return
    for folder in folders:
        held = None
        try:
            if time.time() - folder.lstat().st_mtime > YOUNG_S and (held := _hold(folder)) is not None:
                remove_tree(str(folder))
        except OSError:
            continue  # it belongs to another user, or was just removed
        finally:
            if held is not None:
                os.close(held)


def _hold(folder: Path) -> int | None:
    """Lock our folder and return the lock; None if another process has it or locking is not possible."""
    if sys.platform == "win32":
        return None
    fd = os.open(folder, os.O_RDONLY | CLOSE_ON_EXEC | NO_FOLLOW | ONLY_FOLDER)
    is_held = False
    try:
        is_held = os.fstat(fd).st_uid == os.geteuid() and lock_now(fd)
    finally:
        if not is_held:
            os.close(fd)
    return fd if is_held else None
