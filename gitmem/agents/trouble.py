"""Trouble during a session: say it once, and after a timeout stay out of the way for the rest of the session.

Several slow events count as a timeout. A sub-agent counts as a session of its own, since each waits for its own events
only, and what a process waits for a CPU does not count: ten sub-agents that start at once on a busy machine must not
lose what they learn. Marks are small files in the state folder, or in the person's own where that one cannot be written
to.
"""

from __future__ import annotations

import os
from zlib import crc32

from gitmem.config import second_place
from gitmem.errors import suppress
from gitmem.system import NO_WAIT, make_folder, read_file, write_text

FOLDER = "hooks"
# The kinds of trouble: an event that took too long, a memory that cannot be read, events that were slow, and a search
# that could not see the newest memories.
SILENT, UNREADABLE, SLOW, BEHIND = "silent", "unreadable", "slow", "behind"
# From how many seconds on an event is slow, less than a wait for a lock, part of which may be for a CPU; how many of
# them a session may lose to slow events.
SLOW_S, LOST_S = 0.75, 4.0
TIMED_OUT = (
    "gitmem did not answer within {:g} seconds and stays silent for the rest of this session: gitmem doctor. "
    "Tell the person."
)
TOO_SLOW = (
    "gitmem has kept this session waiting for {:.0f} seconds and stays silent for the rest of it: gitmem doctor. "
    "Tell the person."
)
CANNOT_READ = (
    "The memory of this repository cannot be read: gitmem doctor --fix. What you learn is stored until it can be. "
    "Tell the person."
)
NOT_THE_TIP = "The newest memories of this repository could not be searched for this prompt: {}."
NO_FOLDER = (
    "{} is not a folder, so gitmem cannot keep its state: move it away, then gitmem doctor --fix. What you learn "
    "is stored elsewhere until then. Tell the person."
)


def is_no_folder(state_folder: str) -> bool:
    """Return whether something else has the place of the state folder."""
    return bool(state_folder) and os.path.exists(state_folder) and not os.path.isdir(state_folder)


def has(state_folder: str, session: str, kind: str) -> bool:
    """Return whether a session is marked."""
    return any(os.path.exists(path) for path in _paths(state_folder, session, kind))


def note(state_folder: str, session: str, kind: str) -> bool:
    """Mark a session; return whether it was not marked before, also where no mark can be made."""
    if has(state_folder, session, kind):
        return False
    for path in _paths(state_folder, session, kind):
        with suppress(OSError):
            make_folder(os.path.dirname(path))
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY | NO_WAIT, 0o600))
            return True
    return True


def lost_s(state_folder: str, session: str) -> float:
    """Return how many seconds a session has lost to slow events."""
    numbers = [read_file(path) for path in _paths(state_folder, session, SLOW)]
    return max((int(number) / 1000 for number in numbers if number.isdigit() and len(number) < 9), default=0.0)


def add_lost(state_folder: str, session: str, seconds: float) -> float:
    """Count a slow event; return how many seconds the session has lost."""
    total = lost_s(state_folder, session) + seconds
    for path in _paths(state_folder, session, SLOW):
        with suppress(OSError):
            make_folder(os.path.dirname(path))
            write_text(path, f"{round(total * 1000)}")
            break
    return total


def cpu_wait_s() -> float:
    """Return how many seconds this process was ready to run and had no CPU: what a busy machine costs it.

    Source: proc(5); Documentation/scheduler/sched-stats.rst, /proc/<pid>/schedstat. 0 where there is no such file.
    """
    fields = read_file("/proc/self/schedstat").split()
    return int(fields[1]) / 1e9 if len(fields) == 3 else 0.0


def clear(state_folder: str, session: str) -> None:
    """Remove the marks of a session that starts again or ends."""
    for kind in (SILENT, UNREADABLE, SLOW):
        for path in _paths(state_folder, session, kind):
            with suppress(OSError):
                os.unlink(path)


def _paths(state_folder: str, session: str, kind: str) -> tuple[str, ...]:
    if not state_folder or not session:
        return ()
    name = f"{kind}-{crc32(session.encode('utf-8', 'surrogatepass')):08x}"
    return tuple(os.path.join(place, FOLDER, name) for place in (state_folder, second_place(state_folder)))
