"""Which clones somebody has accepted: only there do hooks of a person's own settings show what memories say.

Recorded outside the repository, by the clone's id, as approvals are: what comes with a repository, or with a copy of
one, accepts nothing. Whoever starts the memory of a clone, joins it by ``gitmem init``, installs an agent's hooks in it
or approves a command in it has accepted it.
"""

from __future__ import annotations

import os
import stat

from gitmem.config import state_home
from gitmem.locks import CLOSE_ON_EXEC, NO_FOLLOW
from gitmem.store.local import clone_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FOLDER = "accepted"


def accept(state: str) -> None:
    """Accept a clone.

    Args:
        state: The state folder of its repository.

    Raises:
        OSError: It cannot be recorded.
    """
    path = _path(state)
    if path is None:
        raise OSError(f"{state}: this clone has no id")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.close(os.open(path, os.O_WRONLY | os.O_CREAT | CLOSE_ON_EXEC | NO_FOLLOW, 0o600))


def is_accepted(state: str) -> bool:
    """Tell whether a clone was accepted; a record that others could have made is none."""
    try:
        path = _path(state)
        return path is not None and _is_ours(path.parent, stat.S_ISDIR) and _is_ours(path, stat.S_ISREG)
    except OSError:
        return False


def _path(state: str) -> Path | None:
    """Return where the acceptance of a clone is recorded; None where its id is none of gitmem's."""
    clone = clone_id(state)
    is_plain = clone.isascii() and clone.replace("-", "").isalnum()
    return state_home() / FOLDER / clone if is_plain else None


def _is_ours(path: Path, is_kind: Callable[[int], bool]) -> bool:
    found = path.lstat()
    # Where a system has no such owners and modes (Windows), nothing can be said of them.
    is_owned = not hasattr(os, "geteuid") or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)
    return is_owned and is_kind(found.st_mode)
