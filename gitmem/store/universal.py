"""The universal store: a repository of the person's own, whose memories are read in all projects.

The first write to it creates it.
"""

from __future__ import annotations

import os

from gitmem.config import data_home, git_environment
from gitmem.errors import GitmemError
from gitmem.git.repository import discover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.repository import Repository


def universal_place() -> str:
    """Return the folder of the repository, which need not exist yet; empty if it cannot be determined."""
    base = data_home()
    return base and os.path.join(base, "universal")


def find_universal() -> Repository | None:
    """Return the repository, or None if it does not exist yet."""
    folder = universal_place()
    # Its own git directory: a repository around the person's home directory does not count.
    return discover(folder) if folder and os.path.isfile(os.path.join(folder, ".git", "HEAD")) else None


def make_universal() -> Repository:
    """Return the repository, created if missing; a half-created one is completed.

    Raises:
        GitmemError: It cannot be created.
    """
    folder = universal_place()
    hint = "set XDG_DATA_HOME to a folder that you can write to"
    if not folder:
        raise GitmemError("cannot locate the universal store: HOME is empty", hint=hint)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as err:
        message = f"cannot create {folder}: {err.strerror}"
        raise GitmemError(message, hint=hint) from err
    if find_universal() is None:
        from gitmem.system import process

        # Without a template: the person's hooks are meant for their code.
        argv = ["git", "init", "--quiet", "--initial-branch=main", "--template=", folder]
        process.run(argv, env=git_environment())
    return discover(folder)
