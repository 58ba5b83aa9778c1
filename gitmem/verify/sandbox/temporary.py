"""Temporary folders that do not outlive a killed process for good: the next one that makes such a folder removes them.

Each is held by a kernel lock on itself, which goes with its process, however that ended (flock(2) takes folders).
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from pathlib import Path

from gitmem.system.file_lock import CLOSE_ON_EXEC, NO_FOLLOW, ONLY_FOLDER, lock_now
from gitmem.verify.sandbox.account import temporary_place
from gitmem.verify.sandbox.removal import remove_tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Between its making and its lock a folder looks like one that nobody holds.
YOUNG_S = 60.0


@contextmanager
def temporary_folder(prefix: str, place: Path | None = None) -> Iterator[Path]:
    """Lend a new folder that is removed when the block ends, and remove those of processes that were killed.

    Args:
        prefix: What its name begins with, and the names of those before it.
        place: The folder that it is made in; None for a folder for temporary files that checks can reach.
    """
    parent = place or temporary_place()
    _sweep(parent, prefix)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent)).resolve()
    held = None
    try:
        with suppress(OSError):  # a file system that locks no folders: then nobody removes one that is left there
            held = _hold(folder)
        yield folder
    finally:
        with suppress(OSError):  # an interrupted check may still be writing there
            remove_tree(str(folder))
        if held is not None:
            os.close(held)


def _sweep(parent: Path, prefix: str) -> None:
    try:
        found = [p for p in parent.iterdir() if p.name.startswith(prefix)]
    except OSError:
        return
    for folder in found:
        held = None
        try:
            if time.time() - folder.lstat().st_mtime > YOUNG_S and (held := _hold(folder)) is not None:
                remove_tree(str(folder))
        except OSError:
            continue  # it is somebody else's, or just went
        finally:
            if held is not None:
                os.close(held)


def _hold(folder: Path) -> int | None:
    """Return a lock that keeps others from removing our folder; None if another has it or none is possible."""
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
