"""Wait for changes of files and folders by looking at them every few seconds: works on every file system."""

from __future__ import annotations

import os
import time
from pathlib import Path

from gitmem.system import iter_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

# Seconds between two looks: an editor's save is imported within twice this time.
POLL_S = 2.0


def iter_changes(names: Sequence[str], wait: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Yield once at the start, and again after each change of the files, once nothing changes between two looks.

    It ends when the user interrupts the wait.

    Args:
        names: Files and folders.
        wait: Waits for some seconds.
    """
    imported: object = None
    while True:
        before, now = _state_of(names), None
        while before != (now := _state_of(names)) or now == imported:
            before = now
            try:
                wait(POLL_S)
            except KeyboardInterrupt:
                return
        imported = now
        yield


def _state_of(names: Sequence[str]) -> frozenset[tuple[str, int, int]]:
    """Return path, time of the last change in nanoseconds, and size of every file."""
    files = set()
    for name in names:
        try:
            paths = [entry.path for entry in iter_files(name)] if Path(name).is_dir() else [name]
        except OSError:
            continue  # a folder that is being moved: the next look sees it
        for path in paths:
            try:
                status = os.lstat(path)
            except OSError:
                continue
            files.add((path, status.st_mtime_ns, status.st_size))
    return frozenset(files)
