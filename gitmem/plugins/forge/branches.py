"""The state of the pull requests of branches that have a memory of their own."""

from __future__ import annotations

from gitmem.plugins.forge.ownership import number_of
from gitmem.plugins.forge.pull import iter_pulls

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.forges.client import Forge

OPEN, MERGED, CLOSED = "open", "merged", "closed"


def fate_of(forge: Forge, branch: str, default: str) -> tuple[str, int]:
    """Return the state of a branch's pull requests into the default branch, and the number of the decisive one.

    Returns:
        ``open`` if one is open; else ``merged`` or ``closed`` like the newest one; an empty string if there is none.

    Raises:
        ForgeError: The forge cannot be reached, or refuses.
    """
    own = list(iter_pulls(forge, branch, default, state="all"))
    for pull in own:
        if pull.get("state") == "open":
            return OPEN, number_of(pull, "number")
    newest = max(own, key=lambda pull: number_of(pull, "number"), default=None)
    if newest is None:
        return "", 0
    return MERGED if newest.get("merged_at") else CLOSED, number_of(newest, "number")
