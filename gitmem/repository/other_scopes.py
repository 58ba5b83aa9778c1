"""The stores that are read beside the project's: the agent's private one, and the person's universal repository."""

from __future__ import annotations

import os

from gitmem import config
from gitmem.frozen import replace
from gitmem.git.binary import Git
from gitmem.repository.proving_store import ProvingStore
from gitmem.store import universal
from gitmem.store.remove_links import remove_links
from gitmem.store.scope import PRIVATE, PRIVATE_REFS, UNIVERSAL, Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.repository import OpenRepository

# An agent's name in a ref, where the name gives none (one in Chinese).
NAMELESS = "agent"


def has_private(git: Git) -> bool:
    """Return whether any agent has private memories here: then it is worth to find out who we are."""
    common = git.repository.common
    if os.path.isdir(os.path.join(common, PRIVATE_REFS)) or os.path.isdir(os.path.join(common, "reftable")):
        return True
    try:
        with open(os.path.join(common, "packed-refs"), "rb") as file:
            return f" {PRIVATE_REFS}/".encode() in file.read()
    except OSError:
        return False


def agent_of(opened: OpenRepository, named: str = "") -> str:
    """Return the name that private memories are kept under: an agent's, or else the person's, as a slug."""
    from gitmem.text.tokens import slug

    return slug(named or opened.config.agent or opened.git.identity()[0]) or NAMELESS


def open_private(opened: OpenRepository, *, agent: str = "") -> ProvingStore:
    """Return the private store of whoever works here, or of the agent that is named, whether it has memories or not."""
    agent = agent_of(opened, agent)
    folder = os.path.join(opened.git.repository.state, "private", agent)
    store = Store(PRIVATE, f"{PRIVATE_REFS}/{agent}", folder)
    return opened.beside(opened.git, opened.config, store)


def open_universal(opened: OpenRepository, *, make: bool) -> ProvingStore | None:
    """Return the person's universal store, or None where there is none and none is to be made."""
    repository = universal.make() if make else universal.find()
    if repository is None or repository.common == opened.git.repository.common:
        return None
    remove_links(*repository.states)
    git = Git(repository)
    # Its own branch and remote: a project, or the environment there, may name others.
    own = config.load(git.config_values(), environment={})
    settings = replace(opened.config, branch=own.branch, remote=own.remote)
    store = Store(
        UNIVERSAL,
        f"refs/heads/{settings.branch}",
        repository.state,
        upstream=f"refs/remotes/{settings.remote}/{settings.branch}",
    )
    return opened.beside(git, settings, store)
