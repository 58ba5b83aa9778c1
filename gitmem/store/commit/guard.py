"""Checks before a ref is moved: it must not be checked out, symbolic, or on foreign commits."""

from __future__ import annotations

from gitmem.errors import ConflictError
from gitmem.git import Git, worktrees
from gitmem.git.branches import find_checkout
from gitmem.store.foreign import need_store, short
from gitmem.store.scopes import RUN_REFS
from gitmem.store.view.state import load
from gitmem.system import command_of


def refuse_checked_out(git: Git, ref: str) -> None:
    """Refuse to move the branch of a work tree: the person's next commit there would revert the write.

    A symbolic ref is refused as well: the write would move the branch that it points to.
    """
    refuse_symbolic(git, ref)
    top, name = find_checkout(git, ref), ref.removeprefix("refs/heads/")
    view = load(git.repository) if top else None
    if view is not None and view.path == top:
        # A `git switch` in the view must not block writes; it is made a view again.
        commit = git.read_ref(ref)
        assert commit is not None, "it is checked out"
        worktrees.move_head(worktrees.at(git, view.name, top), commit)
        return
    if top and top == git.repository.top:
        raise ConflictError(
            f"the branch {name} is checked out here, and a write would move it under your files",
            hint=f"switch to a code branch: git switch -\nor correct gitmem.branch, which names {name}",
        )
    if top:
        raise ConflictError(
            f"the branch {name} is checked out in {top}, and a write would move it under the files there",
            hint=f"detach that work tree from the branch: {command_of('git', '-C', top, 'switch', '--detach')}",
        )


def refuse_symbolic(git: Git, ref: str) -> None:
    """Refuse a symbolic ref.

    Raises:
        ConflictError: It is one.
    """
    if target := git.symbolic_target(ref):
        raise ConflictError(
            f"{ref} is a symbolic ref to {target}: a write would move that branch",
            hint="turn it into a branch again, at its last commit: gitmem doctor --fix",
        )


def need_own(git: Git, ref: str, commit: str | None, *, repairs: bool = False, hint: str = "") -> None:
    """Refuse to build a ref on a commit that is not a store's; a branch of code may have gotten the name meanwhile.

    Boards are exempt: they are not stores, no branch can have their refs, and readers check each entry.
    """
    if commit and not ref.startswith(RUN_REFS):
        need_store(git, commit, short(ref), repairs=repairs, hint=hint)
