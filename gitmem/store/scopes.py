"""The scopes of memories, and the store of each: its ref, and the folder with its local state."""

from __future__ import annotations

from gitmem.errors import RefusedError
from gitmem.frozen import frozen
from gitmem.store.proposal import read_current_proposal
from gitmem.text import parse_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.config import Config
    from gitmem.git import Git

PROJECT = "project"


PRIVATE = "private"


DOMAIN = "domain"


UNIVERSAL = "universal"


# The scope of a pulled source.
SOURCE = "source"


# The scope of other repositories' stores that are listed here (``listings``): read-only.
LISTED = "listed"
# What stands for the scope of a memory that is in no store of the reader: it was read through a hub.
HUB = "hub"


# In order of precedence: a key in several scopes means that of the first one here.
SCOPES = (PROJECT, PRIVATE, DOMAIN, UNIVERSAL)


# The policy of a store, at the top of its tree.
POLICY_PATH = "gitmem.toml"


PRIVATE_REFS = "refs/gitmem/private"


# The boards of runs (``gitmem.plugins.board``): trees of entries, not stores.
RUN_REFS = "refs/gitmem/runs/"


# Memories pulled from a tracker or from files (``plugins.pull``): stores of their own, read only on request.
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
        proposal: The current proposal, if it is read and written; or empty.
        companion: The branch of the code whose companion is read or written; or empty.
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
    value = parse_json(fields).get("domains")
    return [str(entry) for entry in (value if isinstance(value, list) else [value]) if entry]


def project_store(git: Git, config: Config, *, follows: bool = True) -> Store:
    """Return the store of a project: its memory branch, or the current proposal, which contains that branch.

    Args:
        git: The repository.
        config: Its settings.
        follows: Whether the current proposal counts.
    """
    state = git.repository.state
    ref, upstream = f"refs/heads/{config.branch}", f"refs/remotes/{config.remote}/{config.branch}"
    current = read_current_proposal(state, config.branch) if follows else None
    if current is None:
        return Store(PROJECT, ref, state, upstream=upstream)
    # A proposal without a write has no branch yet: the memory branch is read, and the first write starts there.
    return Store(PROJECT, f"refs/heads/{current.branch}", state, upstream=ref, proposal=current.name)


def memory_ref(git: Git, location: Store) -> str:
    """Return the full ref of the memory branch: this clone's own, else the remote's."""
    return location.ref if git.read_ref(location.ref) or not location.upstream else location.upstream


def memory_tip(git: Git, location: Store) -> str:
    """Return the commit of the memory branch, here or at the remote; empty if there is none."""
    return git.read_ref(memory_ref(git, location)) or ""
