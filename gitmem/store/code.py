"""Tell a branch of the code from one of memories, before one becomes part of the other."""

from __future__ import annotations

import os

from gitmem.errors import ConflictError
from gitmem.store import layout
from gitmem.store.proposed import PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.binary import Git


def refuse_code(git: Git, commit: str, branch: str, *, hint: str) -> None:
    """Refuse a commit of the code where one of memories is meant.

    It is one where no store may have some of its files, and its history does not begin as every store's does: somebody
    may have pushed such a file onto a store.

    Args:
        git: The repository.
        commit: The commit.
        branch: What it is called for the person.
        hint: What they can do.

    Raises:
        ConflictError: It is one of the code.
    """
    top = git.run("ls-tree", "-z", "--name-only", "--full-tree", commit).stdout.split(b"\0")
    odd = [name for name in map(os.fsdecode, filter(None, top)) if not layout.may_be_on_top(name)]
    if not odd:
        return
    roots = git.run("rev-list", "--max-parents=0", commit).stdout.decode("ascii").split()
    if not any(layout.ROOT_MESSAGE.strip() == git.text("log", "-1", "--format=%s", root) for root in roots):
        told = f"{branch} is a branch of code ({odd[0]} lies on it), and memories are never written onto one"
        raise ConflictError(told, hint=hint)


def refuse_remote_code(git: Git, commit: str, branch: str, *, remote: str) -> None:
    """Refuse a remote's branch of the code: merged, neither side would be of use to anybody.

    Args:
        git: The repository.
        commit: The remote's commit.
        branch: The branch, here and there.
        remote: The remote.

    Raises:
        ConflictError: It is one of the code.
    """
    if branch.startswith(PREFIX):
        other = f"{branch}-2"
        switch = f"gitmem propose --switch {other.removeprefix(PREFIX)}"
        hint = f"call yours otherwise: git branch -m {branch} {other} && {switch} && gitmem propose"
    else:
        hint = "name a branch of its own: git config gitmem.branch NAME"
    refuse_code(git, commit, f"{branch} of {remote}", hint=hint)
