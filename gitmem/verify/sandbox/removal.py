"""Remove folders that a check left, in any state. Also used by the starter, so it imports little."""

from __future__ import annotations

import os


def remove_tree(top: str) -> None:
    """Remove a folder and everything in it, including unreadable parts; do nothing if it does not exist.

    If the path is a file or a link, it is removed itself, never the target of a link. Subfolders are first moved to the
    top, so that no depth makes a path too long for the kernel.

    Raises:
        OSError: Something cannot be removed.
    """
    moved, token = 0, os.urandom(8).hex()
    if not os.path.lexists(top):
        return
    if os.path.islink(top) or not os.path.isdir(top):  # noqa: PTH112, PTH114
        os.unlink(top)  # noqa: PTH108
        return
    left_over = _clear(top)
    while left_over:
        for folder in left_over:
            for inner in _clear(folder):
                moved += 1
                os.chmod(inner, 0o700)  # noqa: PTH101 - its entry ".." is rewritten, which takes write permission
                os.rename(inner, f"{top}/{token}-{moved}")  # noqa: PTH104
            os.rmdir(folder)  # noqa: PTH106
        left_over = _clear(top)
    os.rmdir(top)  # noqa: PTH106


def _clear(folder: str) -> list[str]:
    """Remove the files of a folder and return its folders."""
    os.chmod(folder, 0o700)  # noqa: PTH101
    folders = []
    with os.scandir(folder) as entries:
        for entry in list(entries):
            if entry.is_dir(follow_symlinks=False):
                folders.append(entry.path)
            else:
                os.unlink(entry.path)  # noqa: PTH108
    return folders
