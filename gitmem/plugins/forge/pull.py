"""Find the open pull request for a branch, or open one."""

from __future__ import annotations

from urllib.parse import urlencode

from gitmem.errors import ForgeError
from gitmem.frozen import frozen
from gitmem.git.forges.client import part_of
from gitmem.plugins.forge.ownership import add_signature, address_of, number_of
from gitmem.text import display
from gitmem.text.secrets import redact

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from gitmem.git.forges.client import Forge
    from gitmem.git.forges.job_environment import ForgeRepository

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
    shown = redact(display(" ".join(title.split())))[:TITLE_LIMIT] or f"memory: {head}"
    text = "A change to this repository's memory: `gitmem review` explains it."
    return {"title": shown, "head": head, "base": base, "body": add_signature(text, place)}


def find_or_open(forge: Forge, head: str, base: str, title: str) -> PullRequest:
    """Return the open pull request from one branch of the repository to another; open one if there is none.

    Raises:
        ForgeError: The forge cannot be reached, or refuses, for example because the branches do not differ.
    """
    pull = _find(forge, head, base)
    if pull is not None:
        return PullRequest(number_of(pull, "number"), address_of(pull), is_new=False)
    try:
        made = forge.write("POST", forge.repo("pulls"), request_body(forge.place, head, base, title), needs=NEEDS)
    except ForgeError as err:
        # Someone else was faster ("A pull request already exists for acme:branch").
        pull = _find(forge, head, base) if err.status == 422 else None
        if pull is None:
            raise
        return PullRequest(number_of(pull, "number"), address_of(pull), is_new=False)
    return PullRequest(number_of(made, "number"), address_of(made), is_new=True)


def _find(forge: Forge, head: str, base: str) -> Mapping[str, Any] | None:
    pulls = iter_pulls(forge, head, base, state="open")
    return next((pull for pull in pulls if pull.get("state") == "open"), None)


def iter_pulls(forge: Forge, head: str, base: str, *, state: str) -> Iterator[Mapping[str, Any]]:
    """Yield the pull requests from one branch of the repository to another.

    Args:
        forge: The forge, which may ignore a filter: the branches are compared here, the state is not.
        head: The branch to merge.
        base: The branch to merge it into.
        state: ``open`` or ``all``.
    """
    parameters = urlencode({"state": state, "head": f"{forge.place.owner}:{head}", "base": base, "per_page": "100"})
    for pull in forge.items(forge.repo(f"pulls?{parameters}"), needs="pull-requests: read"):
        source, target = part_of(pull, "head"), part_of(pull, "base")
        name = part_of(source, "repo").get("full_name")
        is_own = isinstance(name, str) and name.lower() == forge.place.repository.lower()
        if is_own and source.get("ref") == head and target.get("ref") == base:
            yield pull
