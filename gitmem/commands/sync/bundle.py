"""What is to be pushed as a git bundle: for a machine that has the right to push, and nothing else of gitmem's.

Nothing is fetched: what the remote has is what was fetched before. Whoever pushes the bundle does it without force.
"""

from __future__ import annotations

from gitmem.commands.sync.sync import Exchange, remote_of
from gitmem.git.remotes import RemoteOptions
from gitmem.store.foreign import need_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.repository import OpenRepository


def write_bundle(memory: OpenRepository, remote: str, file: str, *, instead: str = "") -> list[str]:
    """Merge what was fetched into the memory branch, write what the remote lacks to a file, and return its branches.

    Args:
        memory: The store.
        remote: The name of a configured remote; empty for the setting's.
        file: Where the bundle goes; no file is written where there is nothing to push.
        instead: A branch for a pull request, where the memory branch is protected; what waits there already comes along
            by meaning, even if it conflicts with the memory branch. Empty for none.

    Returns:
        The branches of the bundle; empty where there is nothing to push.
    """
    git, name, branch = memory.git, remote_of(memory, remote), memory.config.branch
    theirs = git.read_ref(f"refs/remotes/{name}/{branch}")
    if theirs is not None:
        need_store(git, theirs, branch, remote=name)
        Exchange(memory, name, RemoteOptions()).take(theirs)
    tip = git.read_ref(memory.ref)
    if tip is None or tip == theirs:
        return []
    refs, known = [branch], [theirs] if theirs else []
    if instead:
        waiting = git.read_ref(f"refs/remotes/{name}/{instead}")
        git.run("update-ref", "-m", "gitmem: bundle", f"refs/heads/{instead}", tip)
        if waiting is not None:
            need_store(git, waiting, instead, remote=name)
            Exchange(memory, name, RemoteOptions(), branch=instead).take(waiting)
            known.append(waiting)
        refs.append(instead)
    git.run("bundle", "create", "-q", file, *(f"refs/heads/{ref}" for ref in refs), *(f"^{commit}" for commit in known))
    return refs
