"""What is to be pushed as a git bundle: for a machine that has the right to push, and nothing else of gitmem's.

Nothing is fetched: what the remote has is what was fetched before. Whoever pushes the bundle does it without force.
"""

from __future__ import annotations

from gitmem.commands.sync.companions import Companions
from gitmem.commands.sync.sync import Exchange, remote_of
from gitmem.git.remotes import RemoteOptions
from gitmem.store.companion import HEADS, PREFIX
from gitmem.store.foreign import need_store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.repository import OpenRepository


def write_bundle(memory: OpenRepository, remote: str, file: str, *, instead: str = "") -> list[str]:
    """Write what the remote lacks to a file, with what was fetched merged in, and return its branches.

    Companions of branches that were merged become part of the memory branch.

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
        _merge_landed(memory, name)
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


def _merge_landed(memory: OpenRepository, remote: str) -> None:
    """Merge the companions of branches that are part of the default one, as they were fetched."""
    git, seen = memory.git, f"refs/remotes/{remote}/"
    rows = git.text("for-each-ref", "--format=%(refname) %(objectname)", f"{seen}{PREFIX}").split("\n")
    for ref, tip in (row.split(" ") for row in rows if row):
        if git.read_ref(here := f"{HEADS}{ref.removeprefix(seen)}") is None:
            git.run("update-ref", "-m", "gitmem: bundle", here, tip)
    talk = RemoteOptions()
    Companions(memory, "", talk, lambda branch: Exchange(memory, remote, talk, branch=branch)).merge_landed()
