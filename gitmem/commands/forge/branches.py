"""The state of the pull requests of branches that have a memory of their own."""

from __future__ import annotations

from urllib.parse import urlencode

from gitmem.commands.forge.ownership import number_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.commands.forge.client import Forge

OPEN, MERGED, CLOSED = "open", "merged", "closed"


def fate_of(forge: Forge, branch: str, default: str) -> tuple[str, int]:
    """Return the state of a branch's pull requests into the default branch, and the number of the decisive one.

    Returns:
        ``open`` if one is open; else ``merged`` or ``closed`` like the newest one; an empty string if there is none.

    Raises:
        ForgeError: The forge cannot be reached, or refuses.
    """
    asked = urlencode({"state": "all", "head": f"{forge.place.owner}:{branch}", "base": default, "per_page": "100"})
    found = forge.items(forge.repo(f"pulls?{asked}"), needs="pull-requests: read")
    own = [one for one in found if _is_of(one, branch, default, forge.place.repository)]
    for one in own:
        if one.get("state") == "open":
            return OPEN, number_of(one, "number")
    newest = max(own, key=lambda one: number_of(one, "number"), default=None)
    if newest is None:
        return "", 0
    return MERGED if newest.get("merged_at") else CLOSED, number_of(newest, "number")


def _is_of(one: Mapping[str, Any], branch: str, default: str, repository: str) -> bool:
    """Return whether a pull request is from a branch of this repository: a forge may ignore the filter."""
    head, base = one.get("head"), one.get("base")
    if not isinstance(head, dict) or not isinstance(base, dict):
        return False
    place = head.get("repo")
    name = place.get("full_name") if isinstance(place, dict) else ""
    is_own = isinstance(name, str) and name.lower() == repository.lower()
    return is_own and head.get("ref") == branch and base.get("ref") == default
