"""Replace the history of a remote's branches by the purged one, and keep what others pushed meanwhile."""

from __future__ import annotations

from gitmem.commands.purge.run import accept, forget_reflogs
from gitmem.commands.sync.exchange import Exchange
from gitmem.commands.sync.remote import remote_of
from gitmem.errors import ConflictError, NotFoundError
from gitmem.frozen import frozen
from gitmem.git import remotes
from gitmem.git.rewrite import drop_objects, move_refs, plan_rewriting, write_rewriting
from gitmem.store.foreign import need_store
from gitmem.store.proposal import HEADS, PROPOSAL_PREFIX
from gitmem.store.purged import Eraser, list_records
from gitmem.store.state.write_lock import WriteLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.purge.run import Merge, PurgeResult
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository
    from gitmem.store.purged import Record

# How often a push that lost a race is tried again.
ATTEMPTS = 8


@frozen
class Published:
    """What was replaced at a remote.

    Attributes:
        remote: The remote.
        branches: The branches whose history was replaced, sorted.
    """

    remote: str
    branches: tuple[str, ...]


def publish(repository: OpenRepository, remote: str, talk: RemoteOptions) -> Published:
    """Replace the histories of a remote's branches that still have what was purged here.

    Raises:
        NotFoundError: Nothing was purged here, or there is no such remote.
        ConflictError: Other pushes always came first.
        ProtectedError: A branch is protected.
        RemoteError: The remote cannot be reached, or refuses.
    """
    git, name = repository.git, remote_of(repository, remote)
    ours = git.read_ref(f"{HEADS}{repository.config.branch}")
    records = list_records(git, ours) if ours else []
    if not records:
        raise NotFoundError("nothing was purged from this memory", hint="gitmem purge KEY --push")
    prefix = f"refs/remotes/{name}/"
    known = [ref.removeprefix(prefix) for ref in git.list_refs(f"{prefix}{PROPOSAL_PREFIX}")]
    branches = [repository.config.branch, *known]
    wait = repository.config.lock_timeout_s
    with WriteLock(git.repository.state, command="purge", timeout_s=wait, name="sync.lock"):
        done = [branch for branch in branches if _publish_branch(repository, (name, branch), records, talk)]
    return Published(name, tuple(sorted(done)))


def _publish_branch(
    repository: OpenRepository, place: tuple[str, str], records: Sequence[Record], talk: RemoteOptions
) -> bool:
    """Replace one branch of a remote; return whether that was necessary."""
    git, (remote, branch) = repository.git, place
    local, tracking = f"{HEADS}{branch}", f"refs/remotes/{remote}/{branch}"
    for _ in range(ATTEMPTS):
        theirs = remotes.fetch(git, remote, branch, talk)
        ours = git.read_ref(local)
        if theirs is None or theirs == ours:
            return False
        need_store(git, theirs, branch, remote=remote)
        clean = _without(repository, theirs, records, home=ours or "")
        if clean == theirs and (ours is None or git.is_ancestor(theirs, ours)):
            return False
        move_refs(git, {tracking: (theirs, clean)})
        if ours is not None:
            Exchange(repository, remote, talk, branch="" if branch == repository.config.branch else branch).take(clean)
        tip = git.read_ref(local) or clean
        if remotes.replace_branch(git, remote, remotes.RefUpdate(local, tip, theirs), talk):
            git.run("update-ref", "-m", "gitmem: purge", f"refs/gitmem/seen/{remote}/{branch}", tip, durable=True)
            forget_reflogs(repository)
            drop_objects(git, [theirs])
            return True
    message = f"{remote}: others pushed {ATTEMPTS} times during the purge; {branch} there still has the old history"
    raise ConflictError(message, hint="try again: gitmem purge --push")


def _without(repository: OpenRepository, theirs: str, records: Sequence[Record], *, home: str) -> str:
    """Return a remote's commit, rewritten without what was purged here."""
    eraser = Eraser([mark for record in reversed(records) for mark in record.marks])
    plan = plan_rewriting(repository.git, eraser, [theirs], but=[home] if home else [])
    return write_rewriting(repository.git, plan).get(theirs, theirs)


def accept_from(repository: OpenRepository, remote: str, talk: RemoteOptions, merge: Merge) -> PurgeResult:
    """Apply the purges of a remote's memory to this clone.

    Raises:
        NotFoundError: The remote has no memory, or no purge that this clone lacks.
    """
    name = remote_of(repository, remote)
    theirs = remotes.fetch(repository.git, name, repository.config.branch, talk)
    if theirs is None:
        raise NotFoundError(f"{name} has no memory", hint="gitmem sync")
    need_store(repository.git, theirs, repository.config.branch, remote=name)
    return accept(repository, theirs, merge)
