"""Open the grounds of checks, of the best kind that works here, found by running it."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from gitmem.verify import sandbox
from gitmem.verify.ground import Grounds, place_of_clones

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.git.binary import Git


def open_grounds(git: Git, rung: str, path: str) -> Grounds:
    """Return the grounds of checks, to be used as a context manager.

    Args:
        git: The repository that the code is in.
        rung: The sandbox's rung that the checks run on.
        path: Their PATH.
    """
    place, temporary = place_of_clones(git), None
    try:
        place.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(place, os.W_OK | os.X_OK)
    except OSError:
        is_writable = False
    if not is_writable:  # a read-only disk, or somebody else's repository
        place = temporary = Path(tempfile.mkdtemp(prefix="gitmem-ground-")).resolve()
    in_place = rung == sandbox.BUBBLEWRAP
    overlay = in_place and sandbox.probe_overlay(path, place)
    return Grounds(git, overlay=overlay, in_place=in_place, temporary=temporary)
