"""Scopes, and stores: a ref of a repository, and the folder with its local state. Pure."""

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
# The scope of a pulled source.
SOURCE = "source"
# The scope of other repositories' stores that are listed here (``listed_repositories``): read-only.
LISTED = "listed"
# In order of precedence: a key in several scopes means that of the first one here.
SCOPES = (PROJECT, PRIVATE, DOMAIN, UNIVERSAL)

PRIVATE_REFS = "refs/gitmem/private"
# The boards of runs (``gitmem.boards``): trees of entries, not stores.
RUN_REFS = "refs/gitmem/runs/"
# Memories pulled from a tracker or from files (``commands.pull``): stores of their own, read only on request.
SOURCE_REFS = "refs/gitmem/sources/"
# Their settings and indexes, in the state folder of the clone.
SOURCE_FOLDER = "sources"


@frozen
class Store:
    """The memories of one scope: their location, and that of data derived from them.

    Attributes:
        scope: ``project``, ``private``, ``universal`` (whose repository has the domains' memories as well),
            ``listed`` or ``source``.
        ref: The full ref whose commit they are read from.
        folder: The folder of the store's local state (index, verdicts made here); it may not exist yet.
        upstream: The remote's ref to read until there is a local one; or empty.
        name: The name of another repository's store or of a source; empty for the repository's own.
        proposal: The current proposal, if it is read and written (``store.proposal``); or empty.
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
    """Refuse a memory that does not fit its scope.

    Raises:
        RefusedError: It has the scope domain but no domain, the scope universal but a domain, or is in the code tree
            but not of the project.
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
    """Return whether a memory of the universal store is in one of these scopes, for a project with these domains.

    Args:
        fields: Its fields as JSON.
        scopes: The requested scopes; empty for all.
        domains: The domains of the project.
    """
    named = domains_of(fields)
    is_wanted = not scopes or (DOMAIN if named else UNIVERSAL) in scopes
    return is_wanted and (not named or not set(named).isdisjoint(domains))


def domains_of(fields: str) -> list[str]:
    """Return the domains that a memory names, from its fields as JSON."""
    if '"domains"' not in fields:
        return []
    import json  # 1 ms, and most memories have none

    found = json.loads(fields).get("domains")
    return [str(one) for one in (found if isinstance(found, list) else [found]) if one]
