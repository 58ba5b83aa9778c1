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
        memories = [one for one in (theirs, own) if one]
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
    return sorted(proposals, key=lambda one: (not one.current, -one.at, one.name))


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
        one = next((one for one in list_proposals(repository) if one.branch == branch), None)
        if one is None or not (one.commit or one.current or remote):
            elsewhere = one is not None and one.remote_commit
            hint = f"gitmem propose --drop {name} --remote" if elsewhere else "gitmem propose --list"
            raise NotFoundError(f"there is no proposal {name} in this clone", hint=hint)
        is_lost = not one.merged and (remote or not one.is_pushed) and bool(one.commit or one.remote_commit)
        if is_lost and not force:
            alone = f"has {one.ahead} unpushed commit{'s' * (one.ahead != 1)}"
            what = "is not merged" if one.is_pushed or not one.commit else alone
            raise RefusedError(f"the proposal {name} {what}", hint=_hint(one, remote=remote))
        if one.commit:
            refuse_checked_out(repository.git, f"refs/heads/{branch}")
        rescue_refs = [] if one.merged else _keep(repository, one)
        if remote and one.remote_commit:
            remotes.delete(
                repository.git, _remote(repository), f"refs/heads/{branch}", expected=one.remote_commit, talk=talk
            )
        if one.current:
            clear_current_proposal(repository.git.repository.state)
            repository.turn()
        if one.commit:
            ref = f"refs/heads/{branch}"
            if repository.git.run("update-ref", "-d", ref, one.commit, check=False, durable=True).status != 0:
                raise ConflictError(f"{ref} was not deleted, because it changed in the meantime", hint="try again")
        forget_seen_proposal(repository.git, _remote(repository), branch)
    return one, rescue_refs


def _hint(one: Proposal, *, remote: bool) -> str:
    """Return the hint for a proposal that is not merged, or only in this clone."""
    dropped = f"gitmem propose --drop {one.name}"
    forced = f"delete it, keeping the commits under a ref in this clone: {dropped}{' --remote' * remote} --force"
    if one.commit and not one.is_pushed:
        return f"push it: {'' if one.current else f'gitmem propose --switch {one.name} && '}gitmem propose\n{forced}"
    return f"delete it in this clone only: {dropped}\n{forced}" if one.commit else forced


def _keep(repository: OpenRepository, one: Proposal) -> list[str]:
    """Keep unmerged commits under refs of their own, and return those."""
    rescue_refs = []
    for tip in filter(None, dict.fromkeys((one.commit, one.remote_commit))):
        if tip == one.commit or not (one.commit and repository.git.is_ancestor(tip, one.commit)):
            rescue_refs.append(f"{KEPT_REFS}{tip[:16]}")
            repository.git.run("update-ref", "-m", f"gitmem: dropped {one.branch}", rescue_refs[-1], tip, durable=True)
    return rescue_refs


def as_table(found: Sequence[Proposal], *, now: int) -> dict[str, Any]:
    """Return proposals as the documented JSON."""
    rows = [
        {
            "name": one.name,
            "branch": one.branch,
            "current": one.current,
            "commit": one.commit,
            "remote_commit": one.remote_commit,
            "ahead": one.ahead,
            "pushed": one.is_pushed,
            "merged": one.merged,
            "added": list(one.added),
            "changed": list(one.changed),
            "retired": list(one.retired),
            "at": format_time(one.at) if one.at else "",
            "age_s": max(0, now - one.at) if one.at else None,
        }
        for one in found
    ]
    return {"current": next((one.name for one in found if one.current), ""), "proposals": rows}
