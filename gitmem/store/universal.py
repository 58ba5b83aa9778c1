"""The person's own repository, whose memories are read in all projects. It is made at the first write to it."""

from __future__ import annotations

import os

from gitmem.config import data_home, git_environment
from gitmem.errors import GitmemError
from gitmem.git.repository import discover

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.repository import Repository


def place() -> str:
    """Return the folder of the repository, which may not exist yet; empty where none can be determined."""
    base = data_home()
    return base and os.path.join(base, "universal")


def find() -> Repository | None:
    """Return the repository, or None where there is none yet."""
    folder = place()
    # Its own git directory: a repository around the person's home is none of ours.
    return discover(folder) if folder and os.path.isfile(os.path.join(folder, ".git", "HEAD")) else None


def make() -> Repository:
    """Return the repository, made where there is none; one that was made by half is finished.

    Raises:
        GitmemError: There is no room for it, or no right.
    """
    folder = place()
    hint = "set XDG_DATA_HOME to a folder that you can write to"
    if not folder:
        raise GitmemError("cannot locate the universal store: HOME is empty", hint=hint)
    try:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    except OSError as err:
        message = f"cannot create {folder}: {err.strerror}"
        raise GitmemError(message, hint=hint) from err
    if find() is None:
        from gitmem.system import process

        # Without a template: a hook of the person's is for their code.
        argv = ["git", "init", "--quiet", "--initial-branch=main", "--template=", folder]
        process.run(argv, env=git_environment())
    return discover(folder)
