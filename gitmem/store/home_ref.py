"""The branch that a remote keeps its memory on, where that is not the usual one: a ref ``refs/gitmem/home/NAME`` there.

A clone brings no such ref and no setting along, so `init` asks the remote for it.
"""

from __future__ import annotations

from gitmem.config.setting import Config, is_branch
from gitmem.errors import ConflictError, RemoteError
from gitmem.git import remotes
from gitmem.git.binary import Git
from gitmem.git.remotes import RemoteOptions
from gitmem.store import layout
from gitmem.store.proposal import PREFIX

REFS = "refs/gitmem/home/"
# What was published, so that a sync need not ask: a ref for each remote and branch.
PUBLISHED = "refs/gitmem/published/"
USUAL = Config().branch


def is_home(name: str) -> bool:
    """Return whether the memory can be kept on a branch of this name."""
    return is_branch(name) and name != "HEAD" and not name.startswith((PREFIX, "refs/"))


def list_homes(git: Git, remote: str, talk: RemoteOptions) -> list[str]:
    """Return the branches that a remote names as those of its memory, sorted; mostly one or none.

    Raises:
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached.
    """
    found = [ref.removeprefix(REFS) for ref in remotes.list_refs(git, remote, f"{REFS}*", talk)]
    return [name for name in found if is_home(name)]


def refuse_second(git: Git, remote: str, branch: str, talk: RemoteOptions) -> None:
    """Refuse to publish a memory beside the one that a remote has on another branch.

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
    """Name the memory branch at a remote, once, where another clone would not guess it.

    Args:
        git: The repository.
        remote: The remote.
        branch: The memory branch.
        commit: Its tip, which the remote has.
        talk: How to talk to it.

    Returns:
        A line for the person where the remote did not take it: that is no reason to fail. Else an empty string.
    """
    if branch == USUAL or git.read_ref(_published(remote, branch)) is not None:
        return ""
    root = layout.ROOTS[len(commit)]
    try:
        remotes.create_ref(git, remote, REFS + branch, root if git.has(root, "commit") else commit, talk)
    except RemoteError as err:
        message = f"{remote} refused the ref that names its memory branch ({err.message})"
        return f"{message}; in other clones: gitmem init --branch {branch}"
    note_published(git, remote, branch, commit)
    return ""


def note_published(git: Git, remote: str, branch: str, commit: str) -> None:
    """Note that a remote names the memory branch."""
    git.run("update-ref", "-m", "gitmem: home", _published(remote, branch), commit, check=False)


def _published(remote: str, branch: str) -> str:
    return f"{PUBLISHED}{remote}/{branch}"
