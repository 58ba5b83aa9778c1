"""The companion of a branch of the code: the changes of that branch to the memory, until both are merged.

The companion of ``feature/x`` is ``gitmem/branch/feature/x``, a proposal. It is read on top of the current memory
branch: as a merge of both, local to this clone, under a ref named for the two commits. Reading an existing merge costs
a few small files.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.store.proposal import COMPANION_PREFIX, HEADS, PROPOSAL_PREFIX
from gitmem.store.scopes import Store, memory_ref

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.config import Config
    from gitmem.git import Git

TOP_REFS = "refs/gitmem/companions/"


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


def companion_branch(code: str) -> str:
    """Return the branch of a code branch's companion."""
    return COMPANION_PREFIX + code


def companion_code(branch: str) -> str:
    """Return the code's branch that a companion belongs to; empty if the branch is not a companion."""
    return branch[len(COMPANION_PREFIX) :] if branch.startswith(COMPANION_PREFIX) else ""


def find_companion(git: Git, config: Config, code: str) -> Companion | None:
    """Return the companion of a code branch: this clone's own, or the remote's as last fetched."""
    if not code or code == config.branch or code.startswith(PROPOSAL_PREFIX):
        return None
    branch = companion_branch(code)
    for ref in (f"{HEADS}{branch}", f"refs/remotes/{config.remote}/{branch}"):
        commit = git.read_ref(ref)
        if commit is not None:
            return Companion(code, ref, commit)
    return None


def head_branch(git: Git) -> str:
    """Return the branch that HEAD is on, without ``refs/heads/``; empty for a detached HEAD."""
    head = git.read_head()[0] or ""
    return head[len(HEADS) :] if head.startswith(HEADS) else ""


def top_ref(memory_commit: str, companion: str) -> str:
    """Return the ref for a companion on top of a commit of the memory branch (``store.merge.on_top``)."""
    return f"{TOP_REFS}{memory_commit[:20]}-{companion[:20]}"


def store_on_top(git: Git, location: Store, code: str, ref: str) -> Store:
    """Return the project's store with a companion on top, for reading only."""
    return replace(location, ref=ref, upstream=memory_ref(git, location), companion=code)


def companion_store(git: Git, location: Store, code: str) -> Store:
    """Return the companion itself as a store to write to; a new one starts at the memory branch."""
    return replace(location, ref=f"{HEADS}{companion_branch(code)}", upstream=memory_ref(git, location), companion=code)


def companion_notice(code: str) -> str:
    """Return a notice that memories are read as a branch has them; empty if there is no companion."""
    return f"using the memory of branch {code} ({companion_branch(code)}, merged when that branch is)" if code else ""


def describe_companion_write(code: str) -> str:
    """Return the notice for a write to a companion."""
    return (
        f"written to {companion_branch(code)}, the memory of this branch, because the default branch differs from it"
        " here: push the branch, then gitmem sync; the memory is merged when the branch is"
    )


def list_companions(git: Git, remote: str) -> dict[str, tuple[str, ...]]:
    """Return the commits of the companions, here and as last fetched, by the code's branch; sorted."""
    companions: dict[str, tuple[str, ...]] = {}
    prefixes = (HEADS, f"refs/remotes/{remote}/")
    # Sorted by name: this clone's come first.
    for ref, tip in git.list_refs(*(f"{prefix}{COMPANION_PREFIX}" for prefix in prefixes)).items():
        prefix = prefixes[not ref.startswith(HEADS)]
        code = companion_code(ref[len(prefix) :])
        companions[code] = tuple(dict.fromkeys((*companions.get(code, ()), tip)))
    return dict(sorted(companions.items()))
