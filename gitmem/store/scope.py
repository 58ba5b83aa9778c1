"""Scopes, and what a store is: a ref of a repository, and the folder of local state beside it. Pure."""

from __future__ import annotations

from gitmem.errors import RefusedError
from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT = "project"
PRIVATE = "private"
DOMAIN = "domain"
UNIVERSAL = "universal"
# What a pulled source has.
SOURCE = "source"
# What other repositories' stores have, where they are listed here (``listed_repositories``): read, never written to.
LISTED = "listed"
# The narrowest last: a key that several scopes have is that of the first one here.
SCOPES = (PROJECT, PRIVATE, DOMAIN, UNIVERSAL)

PRIVATE_REFS = "refs/gitmem/private"
# The boards of runs (``gitmem.boards``): trees of entries, and no stores.
RUN_REFS = "refs/gitmem/runs/"
# What was pulled from a tracker or from files (``commands.pull``): stores of their own, read only where they are named.
SOURCE_REFS = "refs/gitmem/sources/"
# Their settings and indexes, in the state folder of the clone.
SOURCE_FOLDER = "sources"


@frozen
class Store:
    """The memories of one scope: where they are, and where what is derived from them is kept.

    Attributes:
        scope: ``project``, ``private``, ``universal`` (whose repository has the domains' memories as well),
            ``listed`` or ``source``.
        ref: The full ref whose commit they are read from.
        folder: The folder of the store's local state (index, verdicts made here); it may not exist yet.
        upstream: The remote's ref that is read before there is a local one; or empty.
        name: What another repository's store, or a source, is called here; empty for our own.
        proposal: The current proposal, where that is what is read and written (``store.proposal``); or empty.
        companion: The branch of the code whose companion is read or written (``store.companion``); or empty.
    """

    scope: str
    ref: str
    folder: str
    upstream: str = ""
    name: str = ""
    proposal: str = ""
    companion: str = ""


def refuse_misplaced(scope: str, domains: Sequence[str], *, in_tree: bool = False) -> None:
    """Refuse a memory that cannot be of a scope.

    Raises:
        RefusedError: The domain scope without a domain, the universal one with some, or another than the project's in
            the code tree.
    """
    if scope == DOMAIN and not domains:
        message = "a memory with the scope domain must name its domains"
        raise RefusedError(message, hint="use --domain auth; or --scope universal for all projects")
    if scope == UNIVERSAL and domains:
        message = "a universal memory is for all projects, but this one names domains"
        raise RefusedError(message, hint="use --scope domain, or remove --domain")
    if in_tree and scope != PROJECT:
        message = f"the code tree holds only memories of the project, not of the scope {scope}"
        raise RefusedError(message, hint="remove --in-tree or --scope")


def is_meant(fields: str, scopes: Sequence[str], domains: Sequence[str]) -> bool:
    """Return whether a memory of the universal store is one of these scopes, or of any, for a project of these domains.

    Args:
        fields: Its fields as JSON.
        scopes: The scopes that are requested; empty for all.
        domains: The domains of the project.
    """
    named = domains_of(fields)
    is_wanted = not scopes or (DOMAIN if named else UNIVERSAL) in scopes
    return is_wanted and (not named or not set(named).isdisjoint(domains))


def domains_of(fields: str) -> list[str]:
    """Return the domains that a memory names, by its fields as JSON."""
    if '"domains"' not in fields:
        return []
    import json  # 1 ms, and most memories name none

    found = json.loads(fields).get("domains")
    return [str(one) for one in (found if isinstance(found, list) else [found]) if one]
