"""Counters of this clone: how often something happened, for metrics.

Each is a file that grows by a byte: adding takes no lock and loses nothing, and its size is the count.
"""

from __future__ import annotations

import os

from gitmem.system.file_lock import make_folder, open_private

FOLDER = "tally"
# What is counted.
CAPTURES, REFUSALS, STARTS, PROMPTS, SHOWN = "captures", "refusals", "starts", "prompts", "shown"
NAMES = (CAPTURES, REFUSALS, STARTS, PROMPTS, SHOWN)


def add(state_folder: str | os.PathLike[str], name: str, number: int = 1) -> None:
    """Count so many more; nothing where the disk does not allow it: a number is no reason to fail."""
    path = os.path.join(state_folder, FOLDER, name)
    try:
        make_folder(os.path.dirname(path))
        fd = open_private(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        try:
            os.write(fd, b"." * number)
        finally:
            os.close(fd)
    except OSError:
        return


def count(state_folder: str | os.PathLike[str], name: str) -> int:
    """Return how often something was counted."""
    try:
        return os.stat(os.path.join(state_folder, FOLDER, name)).st_size
    except OSError:
        return 0
