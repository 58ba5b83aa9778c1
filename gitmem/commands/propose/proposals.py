"""List the proposals, here and at the remote as last fetched, and delete one."""

from __future__ import annotations

from gitmem.commands.propose import begin as beginning
from gitmem.commands.propose.merge import furthest, how_merged
from gitmem.commands.propose.send import changes_of
from gitmem.commands.sync.remote import find_remote
from gitmem.commands.sync.summary import SyncResult
from gitmem.document.times import format_time
from gitmem.errors import ConflictError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git import remotes
from gitmem.store.commit.guard import refuse_checked_out
from gitmem.store.proposal import (
    COMPANION_NAME,
    PROPOSAL_PREFIX,
    clear_current_proposal,
    forget_seen_proposal,
    is_proposal_name,
    read_current_proposal,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository

KEPT_REFS = "refs/gitmem/kept/"


@frozen
class Proposal:
    """One proposal.

    Attributes:
        name: Its name.
        branch: Its branch.
        current: Whether writes go to it.
        commit: The branch's commit here; empty if there is none.
        remote_commit: The remote's, as last fetched; empty if there is none.
        ahead: The number of local commits that the remote's branch lacks.
        merged: ``ancestry``, ``content``, or empty if it is not merged.
        added: Keys of memories that it adds.
        changed: Keys of memories that it changes.
        retired: Keys of memories that it retires.
        at: When its last commit was made, epoch seconds; 0 if it has none.
    """

    name: str
    branch: str
    current: bool = False
    commit: str = ""
    remote_commit: str = ""
    ahead: int = 0
    merged: str = ""
    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    retired: tuple[str, ...] = ()
    at: int = 0

    @property
    def is_pushed(self) -> bool:
        """Return whether the remote has, or had, all of it."""
        return bool(self.remote_commit) and not self.ahead


def list_proposals(repository: OpenRepository) -> list[Proposal]:
    """Return the proposals, the current one first, then the newest."""
    git, base = repository.git, repository.config.branch
    current = read_current_proposal(git.repository.state, base)
    remote = _remote(repository)
    heads = _refs(repository, f"refs/heads/{PROPOSAL_PREFIX}")
    far = _refs(repository, f"refs/remotes/{remote}/{PROPOSAL_PREFIX}")
    branches = {*heads, *far, *([current.branch] if current else [])}
    own, theirs = git.read_ref(f"refs/heads/{base}"), git.read_ref(f"refs/remotes/{remote}/{base}")
    proposals = []
    for branch in branches:
        here, (there, _) = heads.get(branch, ("", 0)), far.get(branch, ("", 0))
        tip, at = here if here[0] else far.get(branch, ("", 0))
        memories = [tip for tip in (theirs, own) if tip]
        if tip and not any(git.merge_bases(one, tip) for one in memories):
            continue  # a branch of the code with such a name
        changes = changes_of(git, memories[0], tip) if tip else SyncResult(remote)
        proposals.append(
            Proposal(
                branch.removeprefix(PROPOSAL_PREFIX),
                branch,
                current is not None and current.branch == branch,
                here[0],
                there,
                _ahead(repository, here[0], there or theirs or ""),
                how_merged(git, furthest(git, tip, there), memories) if tip else "",
                changes.added,
                changes.changed,
                changes.retired,
                at,
            )
        )
    return sorted(proposals, key=lambda proposal: (not proposal.current, -proposal.at, proposal.name))


def _remote(repository: OpenRepository) -> str:
    return find_remote(repository) or repository.config.remote


def _refs(repository: OpenRepository, prefix: str) -> dict[str, tuple[str, int]]:
    """Return the commits and times of some refs that are proposals, by branch."""
    line_format = "--format=%(refname) %(objectname) %(committerdate:unix)"
    lines = repository.git.run("for-each-ref", line_format, prefix).stdout.decode("utf-8", "replace").split("\n")
    rows = (line.split(" ") for line in lines if line)
    names = {ref[len(prefix) :]: (oid, int(at or 0)) for ref, oid, at in rows}
    is_one = {name: is_proposal_name(name) or name.startswith(f"{COMPANION_NAME}/") for name in names}
    return {f"{PROPOSAL_PREFIX}{name}": found for name, found in names.items() if is_one[name]}


def _ahead(repository: OpenRepository, here: str, there: str) -> int:
    return len(repository.git.text("rev-list", here, *([f"^{there}"] if there else [])).split()) if here else 0


def drop(
    repository: OpenRepository, name: str, talk: RemoteOptions, *, force: bool, remote: bool
) -> tuple[Proposal, list[str]]:
    """Delete a proposal's branch here, and optionally at the remote; return it, and the refs that keep its commits.

    Args:
        repository: The store; if this was the current proposal, it reads and writes the memory branch afterwards.
        name: The proposal.
        talk: The connection to the remote.
        force: Whether to delete it even if it is neither merged nor at the remote; a ref then keeps its commits.
        remote: Whether to delete the remote's branch as well, if it has not moved since it was fetched.

    Raises:
        NotFoundError: There is no such proposal.
        RefusedError: It is not merged, and the remote does not have it, or would no longer have it.
        ConflictError: A branch moved meanwhile.
        RemoteError: The remote cannot be reached, or refuses.
    """
    branch = beginning.branch_named(repository, name)
    with beginning.lock(repository):
        proposal = next((proposal for proposal in list_proposals(repository) if proposal.branch == branch), None)
        if proposal is None or not (proposal.commit or proposal.current or remote):
            elsewhere = proposal is not None and proposal.remote_commit
            hint = f"gitmem propose --drop {name} --remote" if elsewhere else "gitmem propose --list"
            raise NotFoundError(f"there is no proposal {name} in this clone", hint=hint)
        is_lost = (
            not proposal.merged
            and (remote or not proposal.is_pushed)
            and bool(proposal.commit or proposal.remote_commit)
        )
        if is_lost and not force:
            alone = f"has {proposal.ahead} unpushed commit{'s' * (proposal.ahead != 1)}"
            what = "is not merged" if proposal.is_pushed or not proposal.commit else alone
            raise RefusedError(f"the proposal {name} {what}", hint=_hint(proposal, remote=remote))
        if proposal.commit:
            refuse_checked_out(repository.git, f"refs/heads/{branch}")
        rescue_refs = [] if proposal.merged else _keep(repository, proposal)
        if remote and proposal.remote_commit:
            remotes.delete(
                repository.git, _remote(repository), f"refs/heads/{branch}", expected=proposal.remote_commit, talk=talk
            )
        if proposal.current:
            clear_current_proposal(repository.git.repository.state)
            repository.turn()
        if proposal.commit:
            ref = f"refs/heads/{branch}"
            if repository.git.run("update-ref", "-d", ref, proposal.commit, check=False, durable=True).status != 0:
                raise ConflictError(f"{ref} was not deleted, because it changed in the meantime", hint="try again")
        forget_seen_proposal(repository.git, _remote(repository), branch)
    return proposal, rescue_refs


def _hint(proposal: Proposal, *, remote: bool) -> str:
    """Return the hint for a proposal that is not merged, or only in this clone."""
    dropped = f"gitmem propose --drop {proposal.name}"
    forced = f"delete it, keeping the commits under a ref in this clone: {dropped}{' --remote' * remote} --force"
    if proposal.commit and not proposal.is_pushed:
        switch = "" if proposal.current else f"gitmem propose --switch {proposal.name} && "
        return f"push it: {switch}gitmem propose\n{forced}"
    return f"delete it in this clone only: {dropped}\n{forced}" if proposal.commit else forced


def _keep(repository: OpenRepository, proposal: Proposal) -> list[str]:
    """Keep unmerged commits under refs of their own, and return those."""
    rescue_refs = []
    for tip in filter(None, dict.fromkeys((proposal.commit, proposal.remote_commit))):
        if tip == proposal.commit or not (proposal.commit and repository.git.is_ancestor(tip, proposal.commit)):
            rescue_refs.append(f"{KEPT_REFS}{tip[:16]}")
            repository.git.run(
                "update-ref", "-m", f"gitmem: dropped {proposal.branch}", rescue_refs[-1], tip, durable=True
            )
    return rescue_refs


def as_table(proposals: Sequence[Proposal], *, now: int) -> dict[str, Any]:
    """Return proposals as the documented JSON."""
    rows = [
        {
            "name": proposal.name,
            "branch": proposal.branch,
            "current": proposal.current,
            "commit": proposal.commit,
            "remote_commit": proposal.remote_commit,
            "ahead": proposal.ahead,
            "pushed": proposal.is_pushed,
            "merged": proposal.merged,
            "added": list(proposal.added),
            "changed": list(proposal.changed),
            "retired": list(proposal.retired),
            "at": format_time(proposal.at) if proposal.at else "",
            "age_s": max(0, now - proposal.at) if proposal.at else None,
        }
        for proposal in proposals
    ]
    return {"current": next((proposal.name for proposal in proposals if proposal.current), ""), "proposals": rows}
