"""Find the default branch: verdicts are committed for it, and approved lists are read from it."""

from __future__ import annotations

import os

from gitmem.git import Git
from gitmem.git.repository import refuse_special
from gitmem.system import list_names, read_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


# Branches that many people share; a detached HEAD is on no branch and counts as shared.
SHARED = frozenset(("main", "master", "dev", "develop", "trunk", ""))
# The files that mark a folder of `.git/worktrees` as a work tree's: gitrepository-layout(5).
WORKTREE_FILES = ("HEAD", "gitdir", "commondir")


def default_branch(git: Git, *, configured: str, remote: str) -> str:
    """Return the full ref of the default branch, or an empty string if it cannot be determined.

    The setting ``gitmem.defaultBranch`` if set; else the first existing branch of ``origin/HEAD``,
    ``init.defaultBranch``, ``main`` and ``master``: after a forge has renamed its default branch,
    ``origin/HEAD`` names a missing one. For each name, the remote's branch comes before the local one, because it has
    been reviewed.
    """
    return _first_of(git, [configured] if configured else _candidates(git, remote), remote)


def likely_default(git: Git, *, configured: str, remote: str) -> str:
    """Return the default branch as far as it is known without starting a process to read git's configuration."""
    return _first_of(git, [configured] if configured else [_remote_head(git, remote), "main", "master"], remote)


def _first_of(git: Git, names: Iterable[str], remote: str) -> str:
    for name in names:
        for ref in (f"refs/remotes/{remote}/{name}", f"refs/heads/{name}"):
            if name and git.read_ref(ref) is not None:
                return ref
    return ""


def _candidates(git: Git, remote: str) -> Iterator[str]:
    yield _remote_head(git, remote)
    yield git.config_value("init.defaultBranch") if git.may_be_set("defaultbranch") else ""
    yield from ("main", "master")


def _remote_head(git: Git, remote: str) -> str:
    """Return the branch that the remote's HEAD names, without its prefix."""
    prefix = f"refs/remotes/{remote}/"
    content = os.fsdecode(read_file(os.path.join(git.repository.common, f"{prefix}HEAD"))).removeprefix("ref: ").strip()
    return content.removeprefix(prefix) if content.startswith(prefix) else ""


def refuse_unreadable(git: Git) -> None:
    """Refuse a pipe or device among the files of work trees, before git is called to look at all of them.

    Raises:
        NoRepositoryError: There is one.
    """
    folder = os.path.join(git.repository.common, "worktrees")
    refuse_special(
        os.path.join(folder, name, file) for name in list_names(folder) for file in (*WORKTREE_FILES, "locked", "index")
    )


def find_checkout(git: Git, ref: str) -> str:
    """Return the folder of an existing work tree that has a branch checked out, or an empty string."""
    here = git.repository.top
    if here is not None and git.read_head()[0] == ref:
        return here
    if not any(head in (f"ref: {ref}", "ref: refs/heads/.invalid", "") for head in _heads(git)):
        return ""
    refuse_unreadable(git)
    output = os.fsdecode(git.run("for-each-ref", "--format=%(worktreepath)", ref).stdout).removesuffix("\n")
    # A bare repository has a HEAD but no files.
    return output if output and os.path.exists(os.path.join(output, ".git")) else ""


def _heads(git: Git) -> Iterator[str]:
    """Yield the content of each work tree's HEAD, read directly; with reftable it is useless. A pipe has none."""
    common = git.repository.common
    folder = os.path.join(common, "worktrees")
    linked = (os.path.join(folder, name, "HEAD") for name in list_names(folder))
    for head in (os.path.join(common, "HEAD"), *filter(os.path.isfile, linked)):
        yield os.fsdecode(read_file(head)).rstrip("\n")


def is_on_default(git: Git, default: str, *, remote: str, head: tuple[str, str | None] | None = None) -> bool:
    """Return whether HEAD is the default branch, or detached at its tip (as a forge's checkout leaves it).

    Another branch at the same commit does not count, because its next commit will not be on the default branch. Neither
    does a detached commit behind the tip, as in a bisection or a rebase, nor a merge that a forge made to test a pull
    request.

    Args:
        git: The repository; each of its work trees has a HEAD of its own.
        default: The default branch as a full ref, or an empty string.
        remote: The remote that it may belong to; its name may contain slashes.
        head: The branch and the commit of HEAD, if already known.
    """
    branch, commit = head or git.read_head()
    short = default.removeprefix("refs/heads/").removeprefix(f"refs/remotes/{remote}/")
    if branch:
        return bool(default) and branch == f"refs/heads/{short}"
    return bool(default) and commit is not None and commit in map(git.read_ref, (default, f"refs/heads/{short}"))
