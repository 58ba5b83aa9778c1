"""Proposals: branches that descend from the memory branch, to be merged into it; and which one is current.

The current proposal is one line of local state: the memory branch, the proposal's branch and, while commits move from
the former to the latter, the previous commit of the memory branch. Every command reads it at start, so it is parsed by
hand.

The companion of the code's branch ``feature/x`` is ``gitmem/branch/feature/x``, a proposal with that branch's changes
to the memory, until both are merged. It is read on top of the current memory branch: as a merge of both, local to this
clone, under a ref named for the two commits. Reading an existing merge costs a few small files.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen, replace
from gitmem.store import PROJECT, Store
from gitmem.system import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.config import Config
    from gitmem.git import Git

# Not below the memory branch: if a branch "memory" exists, "memory/x" cannot.
PREFIX = "gitmem/"
FILE_NAME = "proposal"
NAME_LIMIT = 60
# No proposal may have this name: it would be in the way of companions (git-check-ref-format(1)).
COMPANION_NAME = "branch"
COMPANION_PREFIX = f"{PREFIX}{COMPANION_NAME}/"
TOPS = "refs/gitmem/companions/"
HEADS = "refs/heads/"
_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


@frozen
class Current:
    """The current proposal of a clone.

    Attributes:
        branch: Its branch, without ``refs/heads/``.
        moving: The commit of the memory branch that is being moved to the proposal; empty if none is.
    """

    branch: str
    moving: str = ""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.branch.removeprefix(PREFIX)


def is_proposal(ref: str) -> bool:
    """Return whether a full ref is a proposal's branch."""
    return ref.startswith(f"refs/heads/{PREFIX}")


def is_name(text: str) -> bool:
    """Return whether a proposal's name is valid: a slug that can end a branch name (git-check-ref-format(1))."""
    is_slug = 0 < len(text) <= NAME_LIMIT and _CHARS.issuperset(text) and text[0].isalnum() and text[-1].isalnum()
    return is_slug and ".." not in text and not text.endswith(".lock")


def read_current(state: str, base: str) -> Current | None:
    """Return the current proposal onto a memory branch, or None if writes go to that branch itself.

    Args:
        state: The repository's state folder.
        base: The memory branch; a proposal onto another one does not count.
    """
    try:
        with open(os.path.join(state, FILE_NAME), encoding="utf-8", errors="replace") as file:
            words = file.readline(1000).split()
    except OSError:
        return None
    if len(words) not in (2, 3) or words[0] != base:
        return None
    branch, moving = words[1], "".join(words[2:])
    return Current(branch, moving) if branch.startswith(PREFIX) and is_name(branch.removeprefix(PREFIX)) else None


def write_current(state: str, base: str, current: Current) -> None:
    """Make a proposal the current one, durably, before anything else is done for it."""
    make_folder(state)
    path = os.path.join(state, FILE_NAME)
    new = f"{path}.{os.getpid()}.new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(f"{base} {current.branch} {current.moving}".rstrip() + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def clear_current(state: str) -> None:
    """Make writes go to the memory branch itself again."""
    try:
        os.unlink(os.path.join(state, FILE_NAME))
    except FileNotFoundError:
        return


def forget_seen(git: Git, remote: str, branch: str) -> None:
    """Forget a proposal's remote-tracking state: it is over, and a new one may have its name."""
    git.run("update-ref", "-d", f"refs/gitmem/seen/{remote}/{branch}", check=False)


def project_store(git: Git, config: Config, *, follows: bool = True) -> Store:
    """Return the store of a project: its memory branch, or the current proposal, which contains that branch.

    Args:
        git: The repository.
        config: Its settings.
        follows: Whether the current proposal counts.
    """
    state = git.repository.state
    ref, upstream = f"refs/heads/{config.branch}", f"refs/remotes/{config.remote}/{config.branch}"
    current = read_current(state, config.branch) if follows else None
    if current is None:
        return Store(PROJECT, ref, state, upstream=upstream)
    # A proposal without a write has no branch yet: the memory branch is read, and the first write starts there.
    return Store(PROJECT, f"refs/heads/{current.branch}", state, upstream=ref, proposal=current.name)


def notice_of(name: str) -> str:
    """Return a notice that writes go to a proposal; empty if they do not."""
    after = "(gitmem propose pushes it, gitmem propose --switch memory leaves it)"
    return f"new memories go to the proposal {name} {after}" if name else ""


def describe_write(name: str) -> str:
    """Return the notice for a write to a proposal."""
    return f"written to the proposal {name}: gitmem propose pushes it"


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
    return COMPANION_PREFIX + code


def code_of(branch: str) -> str:
    """Return the code's branch that a companion belongs to; empty if the branch is not a companion."""
    return branch[len(COMPANION_PREFIX) :] if branch.startswith(COMPANION_PREFIX) else ""


def find_companion(git: Git, config: Config, code: str) -> Companion | None:
    """Return the companion of a code branch: this clone's own, or the remote's as last fetched."""
    if not code or code == config.branch or code.startswith(PREFIX):
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
    prefixes = (HEADS, f"refs/remotes/{remote}/")
    asked = ("for-each-ref", "--format=%(refname) %(objectname)", *(f"{one}{COMPANION_PREFIX}" for one in prefixes))
    # Sorted by name: this clone's come first.
    for ref, tip in (line.rsplit(" ", 1) for line in git.text(*asked).split("\n") if line):
        prefix = prefixes[not ref.startswith(HEADS)]
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


def describe_companion_write(code: str) -> str:
    """Return the notice for a write to a companion."""
    return (
        f"written to {branch_of(code)}, the memory of this branch, because it is not the same on the default branch: "
        "gitmem sync pushes it, and it is merged with the branch"
    )
