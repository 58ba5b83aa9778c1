"""Make a proposal current: memories that the remote lacks move to it, and later writes go there.

The commits move in one transaction that names both branches' old commits; a record on disk is made first, so that the
next command completes an interrupted move (``finish``).
"""

from __future__ import annotations

from gitmem.commands.propose.machine import is_machine
from gitmem.commands.sync.exchange import ATTEMPTS, WAIT_S, Exchange
from gitmem.commands.sync.remote import find_remote, remote_of
from gitmem.errors import ConflictError, NoRepositoryError, NotFoundError, RefusedError
from gitmem.frozen import frozen
from gitmem.git import remotes
from gitmem.git.objects import open_objects
from gitmem.git.remotes import RemoteOptions
from gitmem.store.commit import WriteTarget, advance
from gitmem.store.companion import companion_code
from gitmem.store.foreign import init_hint, need_store
from gitmem.store.proposal import (
    COMPANION_NAME,
    PROPOSAL_PREFIX,
    CurrentProposal,
    clear_current_proposal,
    is_proposal_name,
    read_current_proposal,
    write_current_proposal,
)
from gitmem.store.state.write_lock import WriteLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git
    from gitmem.repository import OpenRepository


@frozen
class Begun:
    """The result of making a proposal current.

    Attributes:
        current: The proposal.
        moved: The number of commits moved to it from the memory branch.
        is_new: Whether it was not already the current one.
    """

    current: CurrentProposal
    moved: int = 0
    is_new: bool = False


def lock(repository: OpenRepository) -> WriteLock:
    """Return the lock for proposals, shared with ``sync``: neither runs while the other moves branches."""
    return WriteLock(repository.git.repository.state, command="propose", timeout_s=WAIT_S, name="sync.lock")


def branch_named(repository: OpenRepository, name: str) -> str:
    """Return the branch of a proposal.

    Raises:
        RefusedError: The name is invalid.
        ConflictError: A branch is in the way.
    """
    base = repository.config.branch
    if name.startswith(f"{COMPANION_NAME}/"):
        return PROPOSAL_PREFIX + name
    if not is_proposal_name(name) or name in (base, "memory", COMPANION_NAME):
        message = f"invalid name for a proposal: {name!r}"
        raise RefusedError(
            message,
            hint="use lower-case letters, digits, '.', '_' and '-', and not the names memory and branch: auth-notes",
        )
    if f"{base}/" == PROPOSAL_PREFIX or base == f"{PROPOSAL_PREFIX}{name}":
        message = f"the branch {PROPOSAL_PREFIX}{name} cannot exist next to the memory branch {base}"
        raise RefusedError(message, hint="rename the memory branch: git config gitmem.branch memory")
    blocking = PROPOSAL_PREFIX.rstrip("/")
    if repository.git.read_ref(f"refs/heads/{blocking}") is not None:
        message = f"the branch {PROPOSAL_PREFIX}{name} cannot exist, because there is a branch {blocking}"
        raise ConflictError(message, hint=f"rename that one: git branch -m {blocking} {blocking}-code")
    branch = f"{PROPOSAL_PREFIX}{name}"
    tip = repository.git.read_ref(f"refs/heads/{branch}")
    if tip is not None:
        need_store(repository.git, tip, branch)
    return branch


def need_memory(repository: OpenRepository) -> str:
    """Return the tip of the memory branch; if only the remote has one, create this clone's own.

    Raises:
        NoRepositoryError: There is none; or the branch is not a store (ForeignBranchError).
    """
    branch, remote = repository.config.branch, repository.config.remote
    ref = f"refs/heads/{branch}"
    tip = repository.git.read_ref(ref)
    if tip is not None:
        need_store(repository.git, tip, branch)
        return tip
    theirs = repository.git.read_ref(f"refs/remotes/{remote}/{branch}")
    if theirs is None:
        message = f"this repository has no memory yet: there is no branch {branch}"
        raise NoRepositoryError(message, hint="create one: gitmem init")
    need_store(repository.git, theirs, branch, remote=remote, hint=init_hint(branch))
    advance(_target(repository, ref), theirs, old=None)
    return repository.git.read_ref(ref) or theirs


def begin(repository: OpenRepository, name: str, *, remote: str, talk: RemoteOptions) -> Begun:
    """Make a proposal current, and move the memories to it that the remote lacks.

    Args:
        repository: The store; it reads and writes the proposal afterwards.
        name: The proposal.
        remote: The remote; empty if there is none: then all commits stay on the memory branch.
        talk: The connection to it, for the first fetch of its memory.

    Raises:
        RefusedError: The name is invalid.
        ConflictError: The remote has no memory to merge this into.
        RemoteError: The remote cannot be reached to find out.
    """
    current = CurrentProposal(branch_named(repository, name))
    _refuse_companion(current)
    need_memory(repository)
    state, base = repository.git.repository.state, repository.config.branch
    before = read_current_proposal(state, base)
    there = _theirs(repository, remote, talk) if remote else None
    moved = _move(repository, current, there) if there else 0
    write_current_proposal(state, base, current)
    repository.turn()
    return Begun(current, moved, before is None or before.branch != current.branch)


def _refuse_companion(current: CurrentProposal) -> None:
    """Refuse to make a branch's companion current: it contains only that branch's changes."""
    code = companion_code(current.branch)
    if code:
        import shlex  # it imports re, and only this error needs it

        message = f"{current.branch} is the memory of the branch {code}, and is written to on that branch"
        raise RefusedError(message, hint=f"git switch {shlex.quote(code)}; gitmem sync pushes it")


def _theirs(repository: OpenRepository, remote: str, talk: RemoteOptions) -> str:
    tracking = f"refs/remotes/{remote}/{repository.config.branch}"
    tip = repository.git.read_ref(tracking) or remotes.fetch(repository.git, remote, repository.config.branch, talk)
    if tip is None:
        message = f"{remote} has no branch {repository.config.branch} yet, so nothing can be merged into it"
        raise ConflictError(message, hint="publish it first: gitmem sync")
    need_store(repository.git, tip, repository.config.branch, remote=remote)
    return tip


def _move(repository: OpenRepository, current: CurrentProposal, there: str) -> int:
    """Move the memory branch's commits that the remote lacks to a proposal, and return how many."""
    git, base = repository.git, repository.config.branch
    ref, onto = f"refs/heads/{base}", f"refs/heads/{current.branch}"
    for _ in range(ATTEMPTS):
        tip = git.read_ref(ref)
        assert tip is not None, "there is a memory branch"
        if not _has_writes(git, there, tip):
            return 0
        number = len(git.text("rev-list", tip, f"^{there}").split())
        write_current_proposal(git.repository.state, base, CurrentProposal(current.branch, tip))
        has_branch = git.read_ref(onto) is not None
        if has_branch:
            Exchange(repository, "this clone", RemoteOptions(), branch=current.branch).take(tip)
        keep = "" if has_branch else onto
        if advance(_target(repository, ref), there, old=tip, keep=keep):
            return number
    raise ConflictError(f"{ref}: other writers updated it first {ATTEMPTS} times", hint="try again")


def _has_writes(git: Git, there: str, tip: str) -> bool:
    """Return whether a tip has more than verdicts compared with a commit: verdicts belong on the memory branch."""
    if git.is_ancestor(tip, there):
        return False
    base = git.merge_base(there, tip)
    return any(not is_machine(path) for path in open_objects(git).diff(base, tip))


def finish(repository: OpenRepository) -> str:
    """Complete an interrupted ``propose``, under its lock; return a notice, or an empty string."""
    state, base = repository.git.repository.state, repository.config.branch
    current = read_current_proposal(state, base)
    if current is None or not current.moving:
        return ""
    with lock(repository):
        current = read_current_proposal(state, base)
        if current is None or not current.moving:  # by another process, just now
            return ""
        remote = find_remote(repository)
        there = repository.git.read_ref(f"refs/remotes/{remote}/{base}")
        if there is not None:
            _move(repository, current, there)
        write_current_proposal(state, base, CurrentProposal(current.branch))
    repository.turn()
    return f"finished an interrupted command: commits that only {base} had are on the proposal {current.name} now"


def switch(repository: OpenRepository, name: str, talk: RemoteOptions) -> str:
    """Make another existing proposal (here or at the remote) or the memory branch current; return its branch.

    Raises:
        NotFoundError: There is no such proposal.
    """
    git, base = repository.git, repository.config.branch
    state = git.repository.state
    if name in (base, "memory"):
        clear_current_proposal(state)
        repository.turn()
        return base
    current = CurrentProposal(branch_named(repository, name))
    _refuse_companion(current)
    need_memory(repository)
    ref = f"refs/heads/{current.branch}"
    if git.read_ref(ref) is None:
        theirs = _find_remote(repository, current.branch, talk)
        if theirs is None:
            message = f"there is no proposal {name}, in this clone or at the remote"
            raise NotFoundError(message, hint=f"gitmem propose --list; or start it: gitmem propose {name}")
        need_store(repository.git, theirs, current.branch, remote=remote_of(repository, ""))
        advance(_target(repository, ref), theirs, old=None)
    write_current_proposal(state, base, current)
    repository.turn()
    return current.branch


def _find_remote(repository: OpenRepository, branch: str, talk: RemoteOptions) -> str | None:
    remote = find_remote(repository)
    if not remote:
        return None
    known = repository.git.read_ref(f"refs/remotes/{remote}/{branch}")
    return known or remotes.fetch(repository.git, remote, branch, talk)


def _target(repository: OpenRepository, ref: str) -> WriteTarget:
    return WriteTarget(repository.git, ref, "propose", repository.config.lock_timeout_s)
