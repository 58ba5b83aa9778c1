"""The ref ``refs/gitmem/home/NAME`` at a remote, which names its memory branch if that is not the default one.

A clone brings neither this ref nor a setting along, so `init` asks the remote for it.
"""

from __future__ import annotations

from gitmem.config import Config, is_branch
from gitmem.errors import ConflictError, RemoteError
from gitmem.git import Git, remotes
from gitmem.git.remotes import RemoteOptions
from gitmem.store import layout
from gitmem.store.proposal import PROPOSAL_PREFIX

REFS = "refs/gitmem/home/"
# Caches what was published, so that a sync need not ask: one ref for each remote and branch.
PUBLISHED = "refs/gitmem/published/"
USUAL = Config().branch
# Characters with a meaning for a shell, which git allows in the name of a branch.
_FOR_A_SHELL = frozenset("\"#$&'();<>`{|}!")


def is_home(name: str) -> bool:
    """Return whether a branch with this name can hold the memory.

    Others choose the name that a remote has, and hints have it in commands to paste into a shell.
    """
    is_allowed = name != "HEAD" and not name.startswith((PROPOSAL_PREFIX, "refs/")) and _FOR_A_SHELL.isdisjoint(name)
    return is_allowed and is_branch(name)


def list_homes(git: Git, remote: str, talk: RemoteOptions) -> list[str]:
    """Return the memory branches that a remote names, sorted; usually one or none.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    homes = [ref.removeprefix(REFS) for ref in remotes.list_refs(git, remote, f"{REFS}*", talk)]
    return [name for name in homes if is_home(name)]


def refuse_second(git: Git, remote: str, branch: str, talk: RemoteOptions) -> None:
    """Refuse to publish a second memory if the remote has one on another branch.

    Raises:
        ConflictError: The remote names another branch.
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    homes = list_homes(git, remote, talk)
    if not homes or branch in homes:
        return
    has_own = git.read_ref(f"refs/heads/{branch}") is not None
    move = f"git branch -m {branch} {homes[0]} && " if has_own else ""
    message = f"{remote} keeps its memory on the branch {homes[0]}; nothing was sent"
    raise ConflictError(message, hint=f"combine both: {move}gitmem init --branch {homes[0]} && gitmem sync")


def publish(git: Git, remote: str, branch: str, commit: str, talk: RemoteOptions) -> str:
    """Name the memory branch at a remote, once, if another clone would not guess it.

    Args:
        git: The repository.
        remote: The remote.
        branch: The memory branch.
        commit: Its tip, which the remote has.
        talk: The connection to it.

    Returns:
        A notice if the remote refused the ref, which is not an error; else an empty string.
    """
    published = f"{PUBLISHED}{remote}/{branch}"
    if branch == USUAL or git.read_ref(published) is not None:
        return ""
    root = layout.ROOTS[len(commit)]
    try:
        named = root if git.has(root, "commit") else commit
        remotes.push_ref(git, remote, remotes.RefUpdate(REFS + branch, named), talk)
    except RemoteError as err:
        message = f"{remote} refused the ref that names its memory branch ({err.message})"
        return f"{message}; in other clones: gitmem init --branch {branch}"
    git.run("update-ref", "-m", "gitmem: home", published, commit, check=False)
    return ""
