"""The memories in the code tree: the folder ``.memory/``, as HEAD has it.

Its files exist wherever the code they are about exists, and merge with it. gitmem reads them from the commit and never
commits there. Their paths begin with ``.memory/``, which tells them from memories of the branch.
"""

from __future__ import annotations

import os

from gitmem.errors import ProcessError
from gitmem.git import Git
from gitmem.git.repository import is_oid
from gitmem.system.file_lock import make_folder

FOLDER = ".memory"
PREFIX = f"{FOLDER}/"
# Caches the tree of a work tree's HEAD in its git directory: asking git costs half a bare start.
_NOTE = "gitmem/home"


def is_home(path: str) -> bool:
    """Return whether a memory's path is in the code tree."""
    return path.startswith(PREFIX)


def find_tree(git: Git, code: str) -> str:
    """Return the object name of the tree ``.memory`` in a commit of the code; empty if there is none.

    The result is cached beside the work tree's HEAD: recall asks git once per commit.
    """
    if not code:
        return ""
    note = os.path.join(git.repository.git, _NOTE)
    try:
        with open(note, encoding="utf-8", errors="replace") as file:
            noted = file.read().split(" ")
    except OSError:
        noted = []
    if len(noted) == 2 and noted[0] == code and noted[1].endswith("\n"):
        tree = noted[1].strip()
        if not tree or is_oid(tree):  # a crash of the machine may leave zeros in the file
            return tree
    found = read_tree(git, code)
    if found or os.path.isdir(git.repository.state):
        _write_note(note, f"{code} {found}\n")
    return found


def read_tree(git: Git, code: str) -> str:
    """Return the object name of the tree ``.memory`` in any commit of the code; empty if there is none."""
    try:
        lines = git.run("ls-tree", "-z", "--full-tree", code, FOLDER).stdout.split(b"\0")
    except ProcessError:
        return ""  # a broken or partial clone: reported with the statuses
    head = lines[0].partition(b"\t")[0].decode("ascii").split(" ")
    return head[2] if head[0] == "040000" else ""


def _write_note(note: str, text: str) -> None:
    """Write the cache atomically; on a read-only disk, do nothing."""
    new = f"{note}.{os.getpid()}.new"
    try:
        make_folder(os.path.dirname(note))
        with open(new, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(new, note)
    except OSError:
        return
