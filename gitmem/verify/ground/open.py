"""Open the best kind of grounds for checks that works here, determined by running a probe."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager

from gitmem.verify.ground.ground import Grounds, place_of_clones
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.account import check_user, open_way
from gitmem.verify.sandbox.probe import cached_probe
from gitmem.verify.sandbox.temporary import temporary_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from gitmem.git import Git


@contextmanager
def open_grounds(git: Git, rung: str, path: str, *, now: int) -> Iterator[Grounds]:
    """Provide the grounds of checks.

    Args:
        git: The repository that the code is in.
        rung: The rung of the sandbox for the checks.
        path: The PATH of the checks.
        now: Epoch seconds.
    """
    place, temporary = place_of_clones(git), None
    try:
        place.mkdir(parents=True, exist_ok=True)
        is_writable = os.access(place, os.W_OK | os.X_OK)
    except OSError:
        is_writable = False
    user = check_user() if rung in sandbox.ladder() else 0
    with ExitStack() as stack:
        # A read-only disk, or another user's repository; or one of root's that the checks' user cannot reach.
        if not is_writable or (user and rung == sandbox.LANDLOCK):
            place = temporary = stack.enter_context(temporary_folder("gitmem-ground-"))
            if user:
                open_way(temporary)
        in_place = rung == sandbox.BUBBLEWRAP
        overlay = in_place and bool(
            cached_probe("overlay", path, lambda: "works" * sandbox.probe_overlay(path, place), now=now, folder=place)
        )
        yield stack.enter_context(Grounds(git, overlay=overlay, in_place=in_place, temporary=temporary, user=user))
