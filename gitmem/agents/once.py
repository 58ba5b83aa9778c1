"""Count an event once that arrives twice: from the person's and the project's settings, or from two harnesses' files.

Cursor also runs the hooks in Claude Code's settings, and reports the event differently there: if Cursor's own hooks
call gitmem, those count. Everywhere else both payloads are equal, and the caller decides: the n-th arrival of a payload
is new unless other settings have sent it n times already. So a session that is resumed three times within a second
starts three times, with one or with two settings files, without any clock. The counts are in a small file in the state
folder, which one process at a time reads and writes.
"""

from __future__ import annotations

import os

from gitmem.system import make_folder, open_private
from gitmem.system.file_lock import lock

FOLDER = "hooks"
NAME = "arrived"
# Payloads whose arrivals are counted, the latest ones: hooks of one event run at once, or one after another.
MARKS_AT_MOST = 1_000
LINE_LIMIT = 256
# The text in Cursor's settings that calls gitmem, and how much of the file is read.
CURSORS = b"hook cursor"
SETTINGS_LIMIT = 262_144
ROOTS_AT_MOST = 20


def is_first(state_folder: str, mark: str, caller: str) -> bool:
    """Count an arrival of an event; return whether it is new (true if it cannot be counted).

    Args:
        state_folder: The repository's state folder.
        mark: Identifies the payload, the same for both arrivals; no spaces.
        caller: Identifies the calling settings; no spaces or ``=``.
    """
    folder = os.path.join(state_folder, FOLDER)
    try:
        make_folder(folder)
        fd = open_private(os.path.join(folder, NAME), os.O_RDWR | os.O_CREAT)
    except OSError:
        return True
    try:
        lock(fd)  # held for microseconds; released when the holder dies
        arrived = _counts(os.read(fd, LINE_LIMIT * MARKS_AT_MOST))
        counts = arrived.pop(mark, {})
        counts[caller] = counts.get(caller, 0) + 1
        arrived[mark] = counts
        lines = (
            f"{one} {' '.join(f'{name}={count}' for name, count in by.items())}"[: LINE_LIMIT - 1]
            for one, by in list(arrived.items())[-MARKS_AT_MOST:]
        )
        os.lseek(fd, 0, os.SEEK_SET)
        size = os.write(fd, "".join(f"{line}\n" for line in lines).encode("ascii", "replace"))
        os.truncate(fd, size)
    except OSError:
        return True
    finally:
        os.close(fd)
    return counts[caller] > max((count for name, count in counts.items() if name != caller), default=0)


def has_own_hooks(roots: object, person: str) -> bool:
    """Return whether Cursor's own hooks call gitmem, in its workspaces or in the person's settings.

    Args:
        roots: The folders of the workspace, from the payload.
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


def _counts(content: bytes) -> dict[str, dict[str, int]]:
    """Return how often each payload arrived, by caller; malformed lines are skipped."""
    found = {}
    for line in content.decode("ascii", "replace").splitlines():
        mark, *counts = line.split(" ")
        pairs = (one.partition("=") for one in counts)
        found[mark] = {name: int(count) for name, _, count in pairs if count.isdigit() and count.isascii()}
    return found
