"""Sync this clone's memory with a remote's: fetch, merge by meaning, push. Without force, and without loss.

Acknowledged writes are committed before anything is sent, and the merge has both sides as parents, so an interrupted or
refused sync can simply be run again.
"""

from __future__ import annotations

from gitmem.commands.sync import inbox
from gitmem.commands.sync.companions import Companions
from gitmem.commands.sync.exchange import WAIT_S, Exchange
from gitmem.commands.sync.remote import remote_of
from gitmem.errors import ProtectedError, UsageError
from gitmem.frozen import frozen, replace
from gitmem.store import home_ref
from gitmem.store.commit import ref_lock_path
from gitmem.store.state import litter
from gitmem.store.state.write_lock import WriteLock, clear_stale_lock
from gitmem.write.archive import list_rotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.sync.summary import SyncResult
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository


@frozen
class SyncSteps:
    """What a sync does.

    Attributes:
        push: Whether to push.
        dry_run: Only fetch, and return what would be done.
        accept_rewritten: Merge a remote branch whose history was rewritten, or publish again one that was deleted.
        instead: If the remote's memory branch is protected, push to this branch of it, for a pull request; empty for
            nowhere.
    """

    push: bool = True
    dry_run: bool = False
    accept_rewritten: bool = False
    instead: str = ""


def sync(repository: OpenRepository, remote: str, talk: RemoteOptions, how: SyncSteps) -> SyncResult:
    """Sync this clone with a remote.

    Args:
        repository: The store.
        remote: The name of a configured remote; empty for the setting's.
        talk: The connection to it.
        how: What is done.

    Raises:
        UsageError: *instead* is the memory branch, or not a valid branch name.
        NoRepositoryError: There is no memory on either side, or no remote.
        NotFoundError: There is no such remote.
        RemoteError: It cannot be reached, or refuses; local memories are kept.
        ForeignBranchError: The branch, here or at the remote, is not a store.
        ConflictError: The remote's history was rewritten, or other pushes always came first.
    """
    if how.instead:
        _refuse_unusable(repository, how.instead)
    name = remote_of(repository, remote)
    with WriteLock(repository.git.repository.state, command="sync", timeout_s=WAIT_S, name="sync.lock") as lock:
        tracking = ref_lock_path(repository.git, f"refs/remotes/{name}/{repository.config.branch}")
        clear_stale_lock(tracking, lock.crashed)
        # A fetch that the disk refused leaves its pack, and no lock says so.
        litter.sweep(repository.git, repository.ref)
        lock.renew()
        exchange = Exchange(repository, name, talk, accept=how.accept_rewritten)
        branches = Companions(repository, name, talk, accept=how.accept_rewritten)
        if not how.dry_run and branches.find_landed():
            exchange.run(push=False, dry_run=False)
            branches.merge_landed()
        try:
            result = exchange.run(push=how.push, dry_run=how.dry_run)
        except ProtectedError as err:
            if not how.instead:
                hint = "the branch is protected there: propose your changes with gitmem propose NAME"
                raise ProtectedError(err.message, hint=hint) from err
            result = exchange.send_to(how.instead)
        if how.dry_run:
            return result
        if how.push:
            published = home_ref.publish(repository.git, name, repository.config.branch, result.commit, talk)
            repository.notices += [published] if published else []
        branches.finish(push=how.push)
        repository.notices += [str(rotation) for rotation in list_rotations(repository.catalog(), repository.policy())]
        if how.push:
            inbox.receive(repository, name, talk)
        return replace(result, companions=tuple(branches.steps))


def _refuse_unusable(repository: OpenRepository, branch: str) -> None:
    """Refuse a branch for pull requests that is the memory branch, invalid, or mistaken for something else."""
    if branch == repository.config.branch:
        raise UsageError(f"{branch} is the memory branch itself", hint="give another branch, for pull requests to it")
    is_plain = branch != "HEAD" and not branch.startswith(("-", "refs/"))
    if not is_plain or repository.git.run("check-ref-format", f"refs/heads/{branch}", check=False).status != 0:
        raise UsageError(f"invalid branch name: {branch}", hint="give a valid branch name, such as gitmem/verify")
