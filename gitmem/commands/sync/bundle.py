"""Write a git bundle of the commits to push, for a machine that may push but does not run gitmem.

Nothing is fetched: the remote's state is the last fetched one. The bundle can be pushed without force.
"""

from __future__ import annotations

from gitmem.commands.sync.companions import Companions
from gitmem.commands.sync.exchange import Exchange
from gitmem.commands.sync.remote import remote_of
from gitmem.errors import GitmemError
from gitmem.git.objects import open_objects
from gitmem.git.remotes import RemoteOptions
from gitmem.store.foreign import need_store
from gitmem.store.proposal import COMPANION_PREFIX, HEADS
from gitmem.store.proposal import PROPOSAL_PREFIX as PROPOSALS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository


def write_bundle(repository: OpenRepository, remote: str, file: str, *, instead: str = "") -> list[str]:
    """Write what the remote lacks to a file, with the last fetched state merged in, and return its branches.

    Companions of merged branches become part of the memory branch. Proposals whose pull requests would conflict with
    the remote's memory get it merged in by meaning.

    Args:
        repository: The store.
        remote: The name of a configured remote; empty for the setting's.
        file: The bundle's path; no file is written if there is nothing to push.
        instead: A branch for a pull request, if the memory branch is protected; its present content is merged in by
            meaning. Empty for none.

    Returns:
        The branches of the bundle; empty if there is nothing to push.
    """
    git, name, branch = repository.git, remote_of(repository, remote), repository.config.branch
    theirs = git.read_ref(f"refs/remotes/{name}/{branch}")
    if theirs is not None:
        need_store(git, theirs, branch, remote=name)
        Exchange(repository, name, RemoteOptions()).take(theirs)
        _merge_landed(repository, name)
    refs, known = _update_proposals(repository, name, theirs, instead) if theirs else ([], [])
    tip = git.read_ref(repository.ref)
    if tip is not None and tip != theirs:
        refs.insert(0, branch)
        if instead:
            waiting = git.read_ref(f"refs/remotes/{name}/{instead}")
            git.run("update-ref", "-m", "gitmem: bundle", f"{HEADS}{instead}", tip)
            if waiting is not None:
                need_store(git, waiting, instead, remote=name)
                Exchange(repository, name, RemoteOptions(), branch=instead).take(waiting)
                known.append(waiting)
            refs.insert(1, instead)
    known += [theirs] if theirs else []
    refs = [ref for ref in refs if not any(git.is_ancestor(f"{HEADS}{ref}", commit) for commit in known)]
    if refs:
        git.run("bundle", "create", "-q", file, *(f"{HEADS}{ref}" for ref in refs), *(f"^{commit}" for commit in known))
    return refs


def _update_proposals(
    repository: OpenRepository, remote: str, theirs: str, instead: str
) -> tuple[list[str], list[str]]:
    """Merge the remote's memory by meaning into proposals of which it changed the same files.

    Returns:
        The branches, sorted, and their commits at the remote.
    """
    git, seen = repository.git, f"refs/remotes/{remote}/"
    refs, known = [], []
    for ref, tip in git.list_refs(f"{seen}{PROPOSALS}").items():
        branch = ref.removeprefix(seen)
        here = git.read_ref(f"{HEADS}{branch}")
        if branch == instead or branch.startswith(COMPANION_PREFIX) or here not in (None, tip):
            continue  # a proposal in progress in this clone is left to its author
        try:
            need_store(git, tip, branch, remote=remote)
            if not _conflicts(repository, tip, theirs):
                continue
            git.run("update-ref", "-m", "gitmem: bundle", f"{HEADS}{branch}", tip)
            Exchange(repository, remote, RemoteOptions(), branch=branch).take(theirs)
        except GitmemError as err:
            repository.notices.append(f"{branch} is left as it is: {err.message}")
            continue
        refs.append(branch)
        known.append(tip)
    return refs, known


def _conflicts(repository: OpenRepository, tip: str, theirs: str) -> bool:
    """Return whether two commits changed the same file differently since they diverged: a forge merges by lines."""
    git, objects = repository.git, open_objects(repository.git)
    if git.is_ancestor(theirs, tip) or git.is_ancestor(tip, theirs):
        return False
    base = git.merge_base(tip, theirs)
    ours, others = objects.diff(base, tip), objects.diff(base, theirs)
    return any(ours[path][1] != others[path][1] for path in ours.keys() & others.keys())


def _merge_landed(repository: OpenRepository, remote: str) -> None:
    """Merge the fetched companions of branches that are part of the default one."""
    git, seen = repository.git, f"refs/remotes/{remote}/"
    for ref, tip in git.list_refs(f"{seen}{COMPANION_PREFIX}").items():
        if git.read_ref(here := f"{HEADS}{ref.removeprefix(seen)}") is None:
            git.run("update-ref", "-m", "gitmem: bundle", here, tip)
    Companions(repository, "", RemoteOptions(), known_as=remote).merge_landed()
