"""The private stores of workers."""

from __future__ import annotations

import os

from gitmem.git import Git
from gitmem.git.repository import read_own
from gitmem.repository.open_store import OpenStore
from gitmem.store.scopes import PRIVATE, PRIVATE_REFS, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.open_repository import OpenRepository

# The agent in a ref if its name gives no slug (one in Chinese).
NAMELESS = "agent"


def has_private(git: Git) -> bool:
    """Return whether any agent has private memories here; if not, the current agent need not be determined."""
    common = git.repository.common
    if os.path.isdir(os.path.join(common, PRIVATE_REFS)) or os.path.isdir(os.path.join(common, "reftable")):
        return True
    try:
        return f" {PRIVATE_REFS}/".encode() in read_own(os.path.join(common, "packed-refs"))
    except OSError:
        return False


def agent_of(repository: OpenRepository, named: str = "") -> str:
    """Return the name for private memories: the agent's, or else the person's, as a slug."""
    from gitmem.text.slugs import slug

    return slug(named or repository.config.agent or repository.git.identity()[0]) or NAMELESS


def open_private(repository: OpenRepository, *, agent: str = "") -> OpenStore:
    """Return the private store of the current worker or of a named agent, with or without memories."""
    agent = agent_of(repository, agent)
    folder = os.path.join(repository.git.repository.state, "private", agent)
    store = Store(PRIVATE, f"{PRIVATE_REFS}/{agent}", folder)
    return repository.beside(repository.git, repository.config, store)
