"""Detect whether a proposal was merged: by ancestry, or by content, because forges squash and rebase."""

from __future__ import annotations

import os
from itertools import pairwise

from gitmem.commands.propose.begin import lock, need_memory
from gitmem.commands.propose.machine import is_machine
from gitmem.commands.sync.companions import Companions
from gitmem.commands.sync.exchange import Exchange
from gitmem.commands.sync.remote import find_remote
from gitmem.errors import NotFoundError, RefusedError
from gitmem.git.objects import open_objects
from gitmem.store import layout
from gitmem.store.companion import companion_branch, companion_code, list_companions
from gitmem.store.merge.trees import merge
from gitmem.store.proposal import PROPOSAL_PREFIX, clear_current_proposal, forget_seen_proposal, read_current_proposal
from gitmem.store.scopes import memory_tip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from gitmem.commands.sync.summary import CompanionStep
    from gitmem.git import Git
    from gitmem.git.objects import Objects
    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository

ANCESTRY, CONTENT = "ancestry", "content"
# With more paths than this, git lists all changes, not only those of these paths.
PATHS_ASKED = 200
# The time limit for that in seconds.
HISTORY_S = 30.0


def how_merged(git: Git, tip: str, memories: Iterable[str]) -> str:
    """Return how a proposal is part of the memory branch: ``ancestry``, ``content``, or empty."""
    tips = list(dict.fromkeys(memories))
    if any(git.is_ancestor(tip, memory) for memory in tips):
        return ANCESTRY
    objects = open_objects(git)
    return CONTENT if any(_has_content(git, objects, tip, memory) for memory in tips) else ""


def furthest(git: Git, here: str, there: str | None) -> str:
    """Return the remote's commit of a proposal if it is ahead of the local one: additions by others count as well."""
    return there if there and git.is_ancestor(here, there) else here


def _has_content(git: Git, objects: Objects, tip: str, memory_commit: str) -> bool:
    """Return whether everything that a proposal changed was later on the memory branch, or would change nothing now."""
    base = git.merge_base(tip, memory_commit)
    changed = {path: now for path, (_, now) in objects.diff(base, tip).items() if not is_machine(path)}
    if not changed or base is None or base == memory_commit:
        return False
    wanted = {_state_of(path, now.oid if now else "") for path, now in changed.items()}
    if wanted <= _states_since(git, base, memory_commit, list(changed)):
        return True
    overlay = merge(objects, memory_commit, tip, who=lambda *_: "").state.overlay
    return all(is_machine(path) or entry == objects.find(memory_commit, path) for path, entry in overlay.items())


def _state_of(path: str, oid: str) -> tuple[str, str]:
    """Return a file's identity and content, independent of split folders."""
    place = layout.find_memory(path)
    if place is None:
        return path, oid
    return f"{'archive/' if place.archived else ''}{place.folder}/{place.key}", oid


def _states_since(git: Git, base: str, memory_commit: str, paths: list[str]) -> set[tuple[str, str]]:
    """Return every state of files on the way from one commit to another (git-log(1), ``--raw -z``)."""
    argv = (
        "log",
        "-z",
        "--format=",
        "--raw",
        "--no-abbrev",
        "--no-renames",
        "--no-ext-diff",
        "-m",
        memory_commit,
        f"^{base}",
    )
    only = ["--", *paths] if len(paths) <= PATHS_ASKED else []
    parts = git.run("--literal-pathspecs", *argv, *only, timeout_s=HISTORY_S).stdout.split(b"\0")
    states = set()
    for head, path in pairwise(parts):
        if head.lstrip(b"\n").startswith(b":"):
            oid = head.split(b" ")[3].decode("ascii")
            states.add(_state_of(os.fsdecode(path), oid if oid.strip("0") else ""))
    return states


def follow(repository: OpenRepository, remote: str, talk: RemoteOptions) -> str:
    """Update the current proposal from the memory branch, or leave it if it was merged; return a notice, or none.

    Args:
        repository: The store; if the proposal was merged, it reads and writes the memory branch afterwards.
        remote: The remote whose memory counts; this clone's unpushed memories never become part of a proposal.
        talk: The connection to it, which is not used.
    """
    git, base = repository.git, repository.config.branch
    current = read_current_proposal(git.repository.state, base)
    tip = git.read_ref(f"refs/heads/{current.branch}") if current else None
    if current is None or tip is None:
        return ""
    own, theirs = git.read_ref(f"refs/heads/{base}"), git.read_ref(f"refs/remotes/{remote}/{base}")
    far = git.read_ref(f"refs/remotes/{remote}/{current.branch}")
    if how_merged(git, furthest(git, tip, far), filter(None, (theirs, own))):
        clear_current_proposal(git.repository.state)
        forget_seen_proposal(git, remote, current.branch)
        repository.turn()
        return (
            f"the proposal {current.name} is merged: new memories go to {base} again (gitmem propose --drop "
            f"{current.name} deletes its branch here)"
        )
    onto = theirs or own
    if onto is None or git.is_ancestor(onto, tip):
        return ""
    result = Exchange(repository, remote, talk, branch=current.branch).take(onto)
    settle = f", {len(result.conflicts)} to settle: gitmem doctor" if result.conflicts else ""
    return f"the proposal {current.name} includes the fetched memories{settle}"


def merge_branch(repository: OpenRepository, name: str, talk: RemoteOptions) -> str:
    """Merge the companion of a code branch, both this clone's and the remote's, into this clone's memory.

    Args:
        repository: The store.
        name: The proposal: ``branch/`` and the branch of the code.
        talk: How to talk to the remote.

    Returns:
        The branch of the code.

    Raises:
        RefusedError: It is another proposal, which the forge merges.
        NotFoundError: There is no such companion.
    """
    code = companion_code(f"{PROPOSAL_PREFIX}{name}")
    if not code:
        message = f"{name} is not the memory of a branch of the code"
        raise RefusedError(message, hint="open a pull request for it: gitmem propose")
    if not end_branches(repository, {code: "on request"}, {}, talk):
        raise NotFoundError(f"there is no {companion_branch(code)}", hint="gitmem propose --list")
    return code


def end_branches(
    repository: OpenRepository, merged: Mapping[str, str], closed: Mapping[str, str], talk: RemoteOptions
) -> Sequence[CompanionStep]:
    """Merge the companions of merged branches into this clone's memory; delete those of closed ones remotely.

    Args:
        repository: The store.
        merged: How each merged branch was merged, by branch.
        closed: Why each of the others was abandoned.
        talk: How to talk to the remote.
    """
    remote = find_remote(repository)
    need_memory(repository)
    with lock(repository):
        branches = Companions(repository, remote, talk)
        for code, because in merged.items():
            branches.merge(code, because)
        for code, because in closed.items():
            branches.drop(code, because)
    return tuple(branches.steps)


def list_branches(repository: OpenRepository) -> list[str]:
    """Return the code branches whose companion the memory does not contain, sorted."""
    tip = memory_tip(repository.git, repository.store)
    remote = find_remote(repository)
    known = list_companions(repository.git, remote) if tip else {}
    return [code for code, tips in known.items() if not all(repository.git.is_ancestor(one, tip) for one in tips)]
