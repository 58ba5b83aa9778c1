"""Proposals: branches that descend from the memory branch and wait to be merged into it; and which one is current.

What is current is one line of local state: the memory branch, the proposal's branch and, while commits of the one move
to the other, the commit that the memory branch had. Every command that starts reads it, so it is read by hand.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.store.scope import PROJECT, Store
from gitmem.system.file_lock import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.config.setting import Config
    from gitmem.git.binary import Git

# Not below the memory branch: where there is a branch "memory" there can be none called "memory/x".
PREFIX = "gitmem/"
FILE_NAME = "proposal"
NAME_LIMIT = 60
_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


@frozen
class Current:
    """The current proposal of a clone.

    Attributes:
        branch: Its branch, without ``refs/heads/``.
        moving: The commit of the memory branch that is on its way to the proposal; empty where none is.
    """

    branch: str
    moving: str = ""

    @property
    def name(self) -> str:
        """Return its name."""
        return self.branch.removeprefix(PREFIX)


def is_proposal(ref: str) -> bool:
    """Return whether a full ref is that of a proposal's branch."""
    return ref.startswith(f"refs/heads/{PREFIX}")


def is_name(text: str) -> bool:
    """Return whether a proposal can be called so: a slug that can be the end of a branch (git-check-ref-format(1))."""
    is_slug = 0 < len(text) <= NAME_LIMIT and _CHARS.issuperset(text) and text[0].isalnum() and text[-1].isalnum()
    return is_slug and ".." not in text and not text.endswith(".lock")


def read_current(state: str, base: str) -> Current | None:
    """Return the current proposal onto a memory branch, or None where what is written goes to that branch itself.

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
    """Make a proposal the current one, on disk before anything is done for it."""
    make_folder(state)
    path = os.path.join(state, FILE_NAME)
    new = f"{path}.{os.getpid()}.new"
    with open(new, "w", encoding="utf-8") as file:
        file.write(f"{base} {current.branch} {current.moving}".rstrip() + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


def clear_current(state: str) -> None:
    """Let what follows go to the memory branch itself."""
    try:
        os.unlink(os.path.join(state, FILE_NAME))
    except FileNotFoundError:
        return


def forget_seen(git: Git, remote: str, branch: str) -> None:
    """Forget what a remote had of a proposal: it is over, and another one may be called so."""
    git.run("update-ref", "-d", f"refs/gitmem/seen/{remote}/{branch}", check=False)


def project_store(git: Git, config: Config, *, follows: bool = True) -> Store:
    """Return the store of a project: on its memory branch, or on the current proposal, which has that and more.

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
    # A proposal without a write of its own has no branch yet: memory itself is read, and the first write begins there.
    return Store(PROJECT, f"refs/heads/{current.branch}", state, upstream=ref, proposal=current.name)


def notice_of(name: str) -> str:
    """Return one line that says where what is written goes, where that is a proposal; else an empty string."""
    after = "(gitmem propose pushes it, gitmem propose --switch memory leaves it)"
    return f"new memories go to the proposal {name} {after}" if name else ""


def describe_write(name: str) -> str:
    """Return one line for who wrote to a proposal."""
    return f"written to the proposal {name}: gitmem propose pushes it"
