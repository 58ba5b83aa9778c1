"""The folder ``.memory/`` of the code's tree, as HEAD has it: where it is, and which memories are there.

Its files exist wherever the code they are about exists, and merge with it. gitmem reads them from the commit
(``code_tree``) and never commits there. Their paths begin with ``.memory/``, which tells them from memories of the
branch.
"""

from __future__ import annotations

import os

from gitmem.errors import ProcessError, suppress
from gitmem.git.repository import Unsure, is_oid
from gitmem.system import read_file, write_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git import Git

CODE_FOLDER = ".memory"


CODE_PREFIX = f"{CODE_FOLDER}/"


# Caches the tree of a work tree's HEAD in its git directory: asking git costs half a bare start.
_TREE_CACHE = "gitmem/home"


def is_home(path: str) -> bool:
    """Return whether a memory's path is in the code tree."""
    return path.startswith(CODE_PREFIX)


def find_tree(git: Git, code: str, *, note: str = "") -> str:
    """Return the object name of the tree ``.memory`` in a commit of the code; empty if there is none.

    The result is cached in the file *note*, by default beside the work tree's HEAD: recall asks git once per commit.
    """
    if not code:
        return ""
    is_apart = bool(note)
    note = note or os.path.join(git.repository.git, _TREE_CACHE)
    known, _, rest = read_file(note).decode("utf-8", "replace").partition(" ")
    tree, newline, _ = rest.partition("\n")
    # A crash of the machine may leave zeros in the file, or a part of it.
    if known == code and newline and (not tree or is_oid(tree)):
        return tree
    found = read_tree(git, code)
    if is_apart or found or os.path.isdir(git.repository.state):
        with suppress(OSError):  # a read-only disk
            write_text(note, f"{code} {found}\n")
    return found


def read_tree(git: Git, code: str) -> str:
    """Return the object name of the tree ``.memory`` in any commit of the code; empty if there is none."""
    with suppress(Unsure):
        entry = git.loose.find(code, CODE_FOLDER)
        return entry[1] if entry and entry[0] == "040000" else ""
    try:
        lines = git.run("ls-tree", "-z", "--full-tree", code, CODE_FOLDER).stdout.split(b"\0")
    except ProcessError:
        return ""  # a broken or partial clone: reported with the statuses
    head = lines[0].partition(b"\t")[0].decode("ascii").split(" ")
    return head[2] if head[0] == "040000" else ""
