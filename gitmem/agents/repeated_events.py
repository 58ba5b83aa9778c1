"""Count an event once that arrives twice: from the person's and the project's settings, or from two clients' files.

Cursor also runs the hooks in Claude Code's settings, and reports the event differently there: if Cursor's own hooks
call gitmem, those count. Everywhere else both payloads are equal, and the caller decides: the n-th arrival of a payload
is new unless other settings have sent it n times already. So a session that is resumed three times within a second
starts three times, with one or with two settings files, without any clock. The counts are in a small file in the state
folder, which one process at a time reads and writes.
"""

from __future__ import annotations

import os

from gitmem.agents.session.places import change_table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "hooks"
NAME = "arrived"
# Payloads whose arrivals are counted, the latest ones: hooks of one event run at once, or one after another.
MARKS_AT_MOST = 1_000
SIZE_LIMIT = 256 * 1024


def is_first(state_folder: str, mark: str, caller: str) -> bool:
    """Count an arrival of an event; return whether it is new (true if it cannot be counted).

    Args:
        state_folder: The repository's state folder.
        mark: Identifies the payload, the same for both arrivals.
        caller: Identifies the calling settings.
    """
    counts: dict[str, int] = {}

    def note(arrived: dict[str, Any]) -> None:
        before = arrived.pop(mark, None)
        if isinstance(before, dict):
            counts.update((name, count) for name, count in before.items() if type(count) is int)
        counts[caller] = counts.get(caller, 0) + 1
        arrived[mark] = counts
        for old in list(arrived)[:-MARKS_AT_MOST]:
            del arrived[old]

    try:
        change_table(os.path.join(state_folder, FOLDER, NAME), note, limit=SIZE_LIMIT)
    except OSError:
        return True
    return counts[caller] > max((count for name, count in counts.items() if name != caller), default=0)
