"""Companions: a code branch's changes to the memory, until both branches are merged.

The companion of the code's branch ``feature/x`` is ``gitmem/branch/feature/x``, a proposal that descends from the
memory branch. It is read on top of the current memory branch: as a merge of both, local to this clone, under a ref
named for the two commits. Reading an existing merge costs a few small files.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.store import proposal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.config import Config
    from gitmem.git import Git
    from gitmem.store import Store

# No proposal may have this name: it would be in the way of companions (git-check-ref-format(1)).
NAME = "branch"
PREFIX = f"{proposal.PREFIX}{NAME}/"
TOPS = "refs/gitmem/companions/"
HEADS = "refs/heads/"


@frozen
class Companion:
    """The companion of one branch of the code.

    Attributes:
        code: The code's branch, without ``refs/heads/``.
        ref: The full ref that it was read from: this clone's own branch, or the remote-tracking one.
        commit: Its commit.
    """

    code: str
    ref: str
    commit: str


def branch_of(code: str) -> str:
    """Return the branch of a code branch's companion."""
    return PREFIX + code


def code_of(branch: str) -> str:
    """Return the code's branch that a companion belongs to; empty if the branch is not a companion."""
    return branch[len(PREFIX) :] if branch.startswith(PREFIX) else ""


def find_companion(git: Git, config: Config, code: str) -> Companion | None:
    """Return the companion of a code branch: this clone's own, or the remote's as last fetched."""
    if not code or code == config.branch or code.startswith(proposal.PREFIX):
        return None
    branch = branch_of(code)
    for ref in (f"{HEADS}{branch}", f"refs/remotes/{config.remote}/{branch}"):
        commit = git.read_ref(ref)
        if commit is not None:
            return Companion(code, ref, commit)
    return None


def list_companions(git: Git, remote: str) -> dict[str, tuple[str, ...]]:
    """Return the commits of the companions, here and as last fetched, by the code's branch; sorted."""
    found: dict[str, tuple[str, ...]] = {}
    for prefix in (HEADS, f"refs/remotes/{remote}/"):
        asked = ("for-each-ref", "--format=%(refname) %(objectname)", f"{prefix}{PREFIX}")
        for ref, tip in (line.rsplit(" ", 1) for line in git.text(*asked).split("\n") if line):
            code = code_of(ref[len(prefix) :])
            found[code] = tuple(dict.fromkeys((*found.get(code, ()), tip)))
    return dict(sorted(found.items()))


def head_branch(git: Git) -> str:
    """Return the branch that HEAD is on, without ``refs/heads/``; empty for a detached HEAD."""
    head = git.read_head()[0] or ""
    return head[len(HEADS) :] if head.startswith(HEADS) else ""


def memory_ref(git: Git, store: Store) -> str:
    """Return the full ref of the memory branch: this clone's own, else the remote's."""
    return store.ref if git.read_ref(store.ref) or not store.upstream else store.upstream


def memory_tip(git: Git, store: Store) -> str:
    """Return the commit of the memory branch, here or at the remote; empty if there is none."""
    return git.read_ref(memory_ref(git, store)) or ""


def top_ref(memory: str, companion: str) -> str:
    """Return the ref for a companion on top of a commit of the memory branch (``store.merge.on_top``)."""
    return f"{TOPS}{memory[:20]}-{companion[:20]}"


def store_on_top(git: Git, store: Store, code: str, ref: str) -> Store:
    """Return the project's store with a companion on top, for reading only."""
    return replace(store, ref=ref, upstream=memory_ref(git, store), companion=code)


def store_of(git: Git, store: Store, code: str) -> Store:
    """Return the companion itself as a store to write to; a new one starts at the memory branch."""
    return replace(store, ref=f"{HEADS}{branch_of(code)}", upstream=memory_ref(git, store), companion=code)


def branch_notice(code: str) -> str:
    """Return a notice that memories are read as a branch has them; empty if there is no companion."""
    return f"memories are as the branch {code} has them ({branch_of(code)}, which is merged with it)" if code else ""


def describe_write(code: str) -> str:
    """Return the notice for a write to a companion."""
    return (
        f"written to {branch_of(code)}, the memory of this branch, because it is not the same on the default branch: "
        "gitmem sync pushes it, and it is merged with the branch"
    )
