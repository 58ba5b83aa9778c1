"""The index that a commit is made from: its differences from a commit, and merges in progress. Read-only.

git says where it is: `git commit FILE` and `git commit -a` make an index of their own and name it to their hooks
(``GIT_INDEX_FILE``, git(1); seen with git 2.39: ``next-index-*.lock``, ``index.lock``).
"""

from __future__ import annotations

import os

from gitmem.config import merged_heads, variable
from gitmem.git.binary import Git, parse_changes
from gitmem.git.repository import is_oid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.binary import TreeChange

UNMERGED = "U"


def index_file(git: Git) -> str:
    """Return the index that is looked at, as an absolute path; it may not exist."""
    named = variable("GIT_INDEX_FILE")
    # A relative one is taken from the top of the work tree, wherever somebody is in it (measured with git 2.39).
    return os.path.join(git.repository.top or "", named) if named else os.path.join(git.repository.git, "index")


def diff_index(git: Git, old: str, index: str) -> list[TreeChange]:
    """Return what an index has otherwise than a tree-ish; what is only meant to be added (``git add -N``) is not there.

    Raises:
        ProcessError: The index is damaged, or there is no such tree.
    """
    raw = ("diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-ext-diff", "--ita-invisible-in-index", old)
    return parse_changes(git.run(*raw, "--", more={"GIT_INDEX_FILE": index}).stdout.split(b"\0"))


def empty_tree(git: Git) -> str:
    """Return the name of the tree without files, which every git knows."""
    return git.run("hash-object", "-t", "tree", "--stdin", input=b"").stdout.decode("ascii").strip()


def list_merged(git: Git) -> tuple[str, ...]:
    """Return the commits that are being merged into HEAD.

    A merge without conflicts has no MERGE_HEAD while ``pre-merge-commit`` runs: there, git names them in the
    environment (``GITHEAD_*``, git's builtin/merge.c).
    """
    try:
        with open(os.path.join(git.repository.git, "MERGE_HEAD"), encoding="utf-8", errors="replace") as file:
            named = file.read().split()
    except OSError:
        named = list(merged_heads())
    return tuple(name for name in named if is_oid(name))
