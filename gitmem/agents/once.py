"""Count an event once that arrives twice: from the person's settings and the project's, or from two harnesses' files.

Cursor runs the hooks of Claude Code's settings besides its own, and tells each of one event in its own way: where its
own files call us, those count. Everywhere else both payloads are the same: the marks of what arrived in the last half
minute are in a small file of the state folder, which one process at a time reads and writes. A mark is of the whole
payload, so that a command that is run again counts again: harnesses name each call, its time or how long it took.
"""

from __future__ import annotations

import os
import time

from gitmem.system.file_lock import lock, make_folder, open_private

FOLDER = "hooks"
NAME = "arrived"
# Hooks of one event run at once, or one after another; a twin that comes later than this is counted again.
REMEMBERED_S = 30.0
# Half a minute of 30 events a second.
MARKS_AT_MOST = 1_000
# What is in settings of Cursor that call us, and how much of them is read.
CURSORS = b"hook cursor"
SETTINGS_LIMIT = 262_144
ROOTS_AT_MOST = 20


def is_first(state_folder: str, mark: str, *, now: float | None = None) -> bool:
    """Note that an event arrived; tell whether it is the first time. So it is where nothing can be noted.

    Args:
        state_folder: The repository's state folder.
        mark: What both arrivals have in common, without spaces.
        now: Epoch seconds.
    """
    now = time.time() if now is None else now
    folder = os.path.join(state_folder, FOLDER)
    try:
        make_folder(folder)
        fd = open_private(os.path.join(folder, NAME), os.O_RDWR | os.O_CREAT)
    except OSError:
        return True
    try:
        lock(fd)  # held for microseconds, and let go of when the holder dies
        arrived = _recent(os.read(fd, 64 * MARKS_AT_MOST), now)
        if mark in arrived:
            return False
        arrived[mark] = now
        content = "".join(f"{one} {at:.3f}\n" for one, at in list(arrived.items())[-MARKS_AT_MOST:]).encode()
        os.lseek(fd, 0, os.SEEK_SET)
        os.write(fd, content)
        os.truncate(fd, len(content))
    except OSError:
        return True
    finally:
        os.close(fd)
    return True


def has_own_hooks(roots: object, person: str) -> bool:
    """Return whether Cursor's own hooks call gitmem, in one of its workspaces or wherever the person works.

    Args:
        roots: The folders of the workspace, as its payload has them.
        person: The person's home folder.
    """
    folders = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    return any(
        _calls_us(os.path.join(folder, ".cursor", "hooks.json")) for folder in [*folders[:ROOTS_AT_MOST], person]
    )


def _calls_us(path: str) -> bool:
    try:
        with open(path, "rb") as file:
            return CURSORS in file.read(SETTINGS_LIMIT)
    except (OSError, ValueError):
        return False


def _recent(content: bytes, now: float) -> dict[str, float]:
    """Return the marks that still count, with when each arrived; what is not a mark is left out."""
    found = {}
    for line in content.decode("ascii", "replace").splitlines():
        mark, _, at = line.partition(" ")
        try:
            when = float(at)
        except ValueError:
            continue
        if abs(now - when) < REMEMBERED_S:
            found[mark] = when
    return found
