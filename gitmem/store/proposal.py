"""Proposals: branches that descend from the memory branch, to be merged into it; and which one is current.

The current proposal is one line of local state: the memory branch, the proposal's branch and, while commits move from
the former to the latter, the previous commit of the memory branch. Every command reads it at start, so it is parsed by
hand.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.store import PROJECT, Store
from gitmem.system.file_lock import make_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.config import Config
    from gitmem.git import Git

# Not below the memory branch: if a branch "memory" exists, "memory/x" cannot.
PREFIX = "gitmem/"
FILE_NAME = "proposal"
NAME_LIMIT = 60
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
