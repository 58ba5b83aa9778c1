"""Read the index from which a commit is made: its differences from a commit, and merges in progress.

git names the index: `git commit FILE` and `git commit -a` create a temporary one and pass its path to their hooks
(``GIT_INDEX_FILE``, git(1); seen with git 2.39: ``next-index-*.lock``, ``index.lock``).
"""

from __future__ import annotations

import os

from gitmem.config import variable
from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.git import parse_changes
from gitmem.git.repository import is_oid
from gitmem.system import read_file
from gitmem.system.environment import merged_heads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.git import TreeChange

UNMERGED = "U"


def index_file(git: Git) -> str:
    """Return the path of the index in use, absolute; it may not exist."""
    named = variable("GIT_INDEX_FILE")
    # A relative path starts at the top of the work tree, whatever the current folder is (measured with git 2.39).
    return os.path.join(git.repository.top or "", named) if named else os.path.join(git.repository.git, "index")


def diff_index(git: Git, old: str, index: str) -> list[TreeChange]:
    """Return how an index differs from a tree-ish; files added with ``git add -N`` are left out.

    Raises:
        ProcessError: The index is damaged, or there is no such tree.
    """
    raw = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--ita-invisible-in-index", old)
    return parse_changes(git.run(*raw, "--", more={"GIT_INDEX_FILE": index}).stdout.split(b"\0"))


def list_merged(git: Git) -> tuple[str, ...]:
    """Return the commits that are being merged into HEAD.

    During ``pre-merge-commit`` a merge without conflicts has no MERGE_HEAD; then git names them in the environment
    (``GITHEAD_*``, git's builtin/merge.c).
    """
    named = read_file(os.path.join(git.repository.git, "MERGE_HEAD")).decode("utf-8", "replace").split()
    return tuple(filter(is_oid, named or merged_heads()))


def has_changes(git: Git) -> bool:
    """Return whether tracked files of the work tree differ from HEAD; no where git cannot tell within a second."""
    top = git.repository.top
    if not top:
        return False
    argv = ("diff", "--quiet", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", "HEAD")
    # git looks into the work tree relative to where it runs.
    where = (*git.without_filters(), f"--work-tree={top}", "-C", top)
    try:
        return git.run(*where, *argv, check=False, timeout_s=1).status == 1
    except GitmemError:
        return False
