"""Proposals: branches that descend from the memory branch, to be merged into it; and which of them is current.

The current proposal is one line of local state: the memory branch, the proposal's branch and, while commits move from
the former to the latter, the previous commit of the memory branch. Every command reads it at start, so it is parsed by
hand.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.system import make_folder, only_regular, remove
from gitmem.system.atomic_write import sync_folder, write_synced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

# Not below the memory branch: if a branch "memory" exists, "memory/x" cannot.
PROPOSAL_PREFIX = "gitmem/"
PROPOSAL_FILE = "proposal"
PROPOSAL_NAME_LIMIT = 60
# No proposal may have this name: it would be in the way of companions (git-check-ref-format(1)).
COMPANION_NAME = "branch"
COMPANION_PREFIX = f"{PROPOSAL_PREFIX}{COMPANION_NAME}/"
HEADS = "refs/heads/"
_PROPOSAL_CHARS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789._-")


@frozen
class CurrentProposal:
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
        return self.branch.removeprefix(PROPOSAL_PREFIX)


def is_proposal(ref: str) -> bool:
    """Return whether a full ref is a proposal's branch."""
    return ref.startswith(f"refs/heads/{PROPOSAL_PREFIX}")


def is_proposal_name(text: str) -> bool:
    """Return whether a proposal's name is valid: a slug that can end a branch name (git-check-ref-format(1))."""
    if not 0 < len(text) <= PROPOSAL_NAME_LIMIT or not _PROPOSAL_CHARS.issuperset(text):
        return False
    return text[0].isalnum() and text[-1].isalnum() and ".." not in text and not text.endswith(".lock")


def read_current_proposal(state: str, base: str) -> CurrentProposal | None:
    """Return the current proposal onto a memory branch, or None if writes go to that branch itself.

    Args:
        state: The repository's state folder.
        base: The memory branch; a proposal onto another one does not count.
    """
    try:
        with open(os.path.join(state, PROPOSAL_FILE), encoding="utf-8", errors="replace", opener=only_regular) as file:
            words = file.readline(1000).split()
    except OSError:
        return None
    if len(words) not in (2, 3) or words[0] != base:
        return None
    branch, moving = words[1], "".join(words[2:])
    if not branch.startswith(PROPOSAL_PREFIX) or not is_proposal_name(branch.removeprefix(PROPOSAL_PREFIX)):
        return None
    return CurrentProposal(branch, moving)


def write_current_proposal(state: str, base: str, current: CurrentProposal) -> None:
    """Make a proposal the current one, durably, before anything else is done for it."""
    make_folder(state)
    line = f"{base} {current.branch} {current.moving}".rstrip() + "\n"
    new = os.path.join(state, f"{PROPOSAL_FILE}.{os.getpid()}.new")  # switching proposals takes no lock
    write_synced(new, line.encode())
    os.replace(new, os.path.join(state, PROPOSAL_FILE))
    sync_folder(state)


def clear_current_proposal(state: str) -> None:
    """Make writes go to the memory branch itself again."""
    remove(os.path.join(state, PROPOSAL_FILE))


def forget_seen_proposal(git: Git, remote: str, branch: str) -> None:
    """Forget a proposal's remote-tracking state: it is over, and a new one may have its name."""
    git.run("update-ref", "-d", f"refs/gitmem/seen/{remote}/{branch}", check=False)


def proposal_notice(name: str) -> str:
    """Return a notice that writes go to a proposal; empty if they do not."""
    after = "(gitmem propose pushes it, gitmem propose --switch memory leaves it)"
    return f"new memories go to the proposal {name} {after}" if name else ""


def describe_proposal_write(name: str) -> str:
    """Return the notice for a write to a proposal."""
    return f"written to the proposal {name}: gitmem propose pushes it"
