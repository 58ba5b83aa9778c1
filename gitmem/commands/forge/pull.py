"""Find the open pull request for a branch, or open one."""

from __future__ import annotations

from urllib.parse import urlencode

from gitmem.commands.forge.ownership import add_signature, address_of, number_of
from gitmem.errors import ForgeError
from gitmem.frozen import frozen
from gitmem.text import display

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from gitmem.commands.forge.client import Forge
    from gitmem.commands.forge.place import ForgeRepository

NEEDS = "pull-requests: write"
TITLE_LIMIT = 256


@frozen
class PullRequest:
    """A pull request.

    Attributes:
        number: Its number.
        url: Its address.
        is_new: Whether it has just been opened.
    """

    number: int
    url: str
    is_new: bool


def request_body(place: ForgeRepository, head: str, base: str, title: str) -> dict[str, Any]:
    """Return the request that opens a pull request."""
    shown = display(" ".join(title.split()))[:TITLE_LIMIT] or f"memory: {head}"
    text = "A change to this repository's memory: `gitmem review` explains it."
    return {"title": shown, "head": head, "base": base, "body": add_signature(text, place)}


def find_or_open(forge: Forge, head: str, base: str, title: str) -> PullRequest:
    """Return the open pull request from one branch of the repository to another; open one if there is none.

    Raises:
        ForgeError: The forge cannot be reached, or refuses, for example because the branches do not differ.
    """
    found = _find(forge, head, base)
    if found is not None:
        return PullRequest(number_of(found, "number"), address_of(found), is_new=False)
    try:
        made = forge.write("POST", forge.repo("pulls"), request_body(forge.place, head, base, title), needs=NEEDS)
    except ForgeError as err:
        # Someone else was faster ("A pull request already exists for acme:branch").
        found = _find(forge, head, base) if err.status == 422 else None
        if found is None:
            raise
        return PullRequest(number_of(found, "number"), address_of(found), is_new=False)
    return PullRequest(number_of(made, "number"), address_of(made), is_new=True)


def _find(forge: Forge, head: str, base: str) -> Mapping[str, Any] | None:
    asked = urlencode({"state": "open", "head": f"{forge.place.owner}:{head}", "base": base, "per_page": "100"})
    found = forge.items(forge.repo(f"pulls?{asked}"), needs="pull-requests: read")
    # A forge that does not know the filter lists all.
    return next((one for one in found if _is(one, "head", head, forge.place) and _is(one, "base", base)), None)


def _is(one: Mapping[str, Any], side: str, ref: str, place: ForgeRepository | None = None) -> bool:
    found = one.get(side)
    if one.get("state") != "open" or not isinstance(found, dict) or found.get("ref") != ref:
        return False
    if place is None:
        return True
    repository = found.get("repo")
    name = repository.get("full_name") if isinstance(repository, dict) else ""
    return isinstance(name, str) and name.lower() == place.repository.lower()
