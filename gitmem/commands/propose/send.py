"""Push the current proposal, with the memory branch and others' pushes merged in by meaning."""

from __future__ import annotations

import os

from gitmem.commands.propose import begin as beginning
from gitmem.commands.propose.link import link
from gitmem.commands.propose.machine import tidy
from gitmem.commands.propose.merge import furthest, how_merged
from gitmem.commands.sync.exchange import Exchange
from gitmem.commands.sync.remote import find_remote
from gitmem.commands.sync.summary import SyncResult, count_changes
from gitmem.errors import ConflictError, RemoteError, UsageError
from gitmem.frozen import frozen, replace
from gitmem.git.objects import open_objects
from gitmem.store.commit import ref_lock_path
from gitmem.store.proposal import clear_current_proposal, forget_seen_proposal, read_current_proposal
from gitmem.store.state.write_lock import clear_stale_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.git import Git
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository
    from gitmem.store.merge.trees import Conflict


@frozen
class ProposalState:
    """The state of a proposal after ``propose``.

    Attributes:
        name: The proposal.
        branch: Its branch.
        base: The memory branch.
        remote: The remote; empty if there is none.
        commit: Its commit; empty if nothing was written to it yet.
        is_new: Whether it was not already the current one.
        moved: The number of commits moved to it from the memory branch.
        pushed: Whether the remote has it.
        link: The page that opens the pull request; empty if it cannot be determined.
        merged: How it was merged; it is then no longer current.
        added: Keys of memories that it adds, sorted.
        changed: Keys of memories that it changes.
        retired: Keys of memories that it retires.
        joined: The number of memories that others pushed to it.
        conflicts: The conflicts of merging that a person must resolve, by path.
    """

    name: str
    branch: str
    base: str
    remote: str = ""
    commit: str = ""
    is_new: bool = False
    moved: int = 0
    pushed: bool = False
    link: str = ""
    merged: str = ""
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    joined: int = 0
    conflicts: tuple[Conflict, ...] = ()


def propose(
    repository: OpenRepository, name: str, talk: RemoteOptions, *, push: bool, accept_rewritten: bool
) -> ProposalState:
    """Make a proposal current, or use the current one, and push it if it has any commits.

    Args:
        repository: The store; it reads and writes the proposal afterwards.
        name: The proposal; empty for the current one.
        talk: The connection to the remote.
        push: Whether to push it.
        accept_rewritten: Whether to merge a remote branch whose history was rewritten.

    Raises:
        UsageError: No name was given, and no proposal is current.
        RefusedError: The name is invalid.
        ConflictError: The remote has no memory, or its history was rewritten.
        RemoteError: The remote cannot be reached, or refuses; the proposal exists in this clone, and is current.
    """
    current = read_current_proposal(repository.git.repository.state, repository.config.branch)
    if not name and current is None:
        message = "no proposal is current: new memories go to the memory branch"
        raise UsageError(message, hint="give a name: gitmem propose auth-notes; or list them: gitmem propose --list")
    remote = find_remote(repository)
    name = name or (current.name if current else "")
    with beginning.lock(repository) as lock:
        try:
            begun = beginning.begin(repository, name, remote=remote, talk=talk)
        except RemoteError as err:  # if memory was never fetched
            raise _later(err, f"nothing was changed; try again later: gitmem propose {name}") from err
        proposal = ProposalState(begun.current.name, begun.current.branch, repository.config.branch, remote)
        proposal = replace(
            proposal, is_new=begun.is_new, moved=begun.moved, commit=repository.git.read_ref(repository.ref) or ""
        )
        if not proposal.commit or not remote or not push:
            return _with_counts(repository, proposal)
        for branch in (proposal.branch, proposal.base):
            clear_stale_lock(ref_lock_path(repository.git, f"refs/remotes/{remote}/{branch}"), lock.crashed)
        lock.renew()
        try:
            return _send(repository, proposal, talk, accept_rewritten)
        except RemoteError as err:
            hint = (
                f"nothing is lost: the proposal is the branch {proposal.branch} in this clone; try again later: gitmem "
                "propose"
            )
            raise _later(err, hint) from err


def _later(err: RemoteError, hint: str) -> RemoteError:
    """Return a remote's error with a hint for proposals, if trying again later may help."""
    return RemoteError(err.message, hint=hint if err.hint.endswith("gitmem sync") else err.hint)


def _send(repository: OpenRepository, proposal: ProposalState, talk: RemoteOptions, accept: bool) -> ProposalState:
    git = repository.git
    came = Exchange(repository, proposal.remote, talk, accept=accept).run(push=False, dry_run=False)
    if not came.fetched:
        message = f"{proposal.remote} no longer has a branch {proposal.base}, so nothing can be merged into it"
        raise ConflictError(message, hint="publish it again: gitmem sync --accept-rewritten")
    far = git.read_ref(f"refs/remotes/{proposal.remote}/{proposal.branch}")
    merged = how_merged(git, furthest(git, proposal.commit, far), (came.fetched, came.commit))
    if merged:
        clear_current_proposal(git.repository.state)
        forget_seen_proposal(git, proposal.remote, proposal.branch)
        repository.turn()
        return _with_counts(repository, replace(proposal, merged=merged))
    seen = git.read_ref(f"refs/gitmem/seen/{proposal.remote}/{proposal.branch}")
    if seen and how_merged(git, seen, (came.fetched,)):
        # Forges delete merged branches: that is not a lost history, and later writes are kept.
        forget_seen_proposal(git, proposal.remote, proposal.branch)
    conflicts = {**_by_path(came), **_by_path(_exchange(repository, proposal, talk).take(came.fetched))}
    tidy(repository, came.fetched)
    sent = _exchange(repository, proposal, talk, accept=accept).run(push=True, dry_run=False)
    conflicts |= _by_path(sent)
    joined = len({*sent.added, *sent.changed, *sent.retired})
    url = push_url(git, proposal.remote)
    where = link(url, branch=proposal.branch, base=proposal.base)
    settle = tuple(conflict for _, conflict in sorted(conflicts.items()))
    outcome = replace(proposal, commit=sent.commit, pushed=sent.pushed, link=where, joined=joined, conflicts=settle)
    return _with_counts(repository, outcome)


def _exchange(
    repository: OpenRepository, proposal: ProposalState, talk: RemoteOptions, *, accept: bool = False
) -> Exchange:
    return Exchange(repository, proposal.remote, talk, branch=proposal.branch, accept=accept)


def _by_path(result: SyncResult) -> dict[str, Conflict]:
    return {conflict.path: conflict for conflict in result.conflicts}


def push_url(git: Git, remote: str) -> str:
    """Return git's push URL, with ``insteadOf`` and ``pushInsteadOf`` applied; it may contain a secret."""
    output = git.run("remote", "get-url", "--push", "--", remote, check=False).stdout
    return os.fsdecode(output).split("\n", 1)[0]


def _with_counts(repository: OpenRepository, proposal: ProposalState) -> ProposalState:
    """Return the state with the differences from the memory that it is compared with counted."""
    git = repository.git
    theirs = git.read_ref(f"refs/remotes/{proposal.remote}/{proposal.base}") if proposal.remote else None
    against = theirs or git.read_ref(f"refs/heads/{proposal.base}")
    if not proposal.commit or against is None or proposal.merged:
        return proposal
    changes = changes_of(git, against, proposal.commit)
    return replace(proposal, added=changes.added, changed=changes.changed, retired=changes.retired)


def changes_of(git: Git, memory_commit: str, tip: str) -> SyncResult:
    """Return the memories that a proposal adds, changes and retires since it branched off."""
    base = git.merge_base(memory_commit, tip)
    return count_changes(SyncResult(""), open_objects(git), base, tip)


def as_table(proposal: ProposalState) -> dict[str, Any]:
    """Return the documented JSON of a proposal."""
    return {
        "name": proposal.name,
        "branch": proposal.branch,
        "base": proposal.base,
        "remote": proposal.remote,
        "commit": proposal.commit,
        "moved": proposal.moved,
        "pushed": proposal.pushed,
        "link": proposal.link,
        "merged": proposal.merged,
        "added": list(proposal.added),
        "changed": list(proposal.changed),
        "retired": list(proposal.retired),
        "conflicts": [{"key": c.key, "path": c.path, "fields": list(c.fields)} for c in proposal.conflicts],
    }
