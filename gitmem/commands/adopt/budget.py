"""The CPU time that a run may take. Statements left unjudged are reported, so that nothing is taken to be checked."""

from __future__ import annotations

import os

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Of 238 repositories, most need less than 2 s.
LIMIT_S = 5.0
# After these parts of it, no further statement is read, no further commit is searched for all names, and no further
# statement is judged: the rest is for the causes of what is false, and corrections.
READING, SEARCHING, JUDGING = 0.2, 0.5, 0.8
# Where reading the code took this part, all of the rest is for judging: without it, there are no causes to find.
ALMOST = 0.7
# More time for the claims of one statement does not count, so that one slow statement leaves time for the others.
SLOW_S = 0.2


def used_s() -> float:
    """Return the CPU time of this process and of the programs that it has waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@frozen
class Budget:
    """A limit of CPU time, with the git processes that are started.

    Attributes:
        limit_s: The limit; None for no limit.
        began_s: The time used before.
        used_s: Returns the time used.
    """

    limit_s: float | None = None
    began_s: float = 0.0
    used_s: Callable[[], float] = used_s

    def is_spent(self, part: float = 1.0, excused_s: float = 0.0) -> bool:
        """Return whether a part of the limit is used, without an excused time of at most half the limit."""
        if self.limit_s is None:
            return False
        return self.used_s() - self.began_s - min(excused_s, self.limit_s / 2) >= self.limit_s * part


UNLIMITED = Budget()
