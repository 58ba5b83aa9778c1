"""Open the best kind of grounds for checks that works here, determined by running a probe."""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager

from gitmem.verify.ground.ground import SEEN_OBJECTS, Grounds, place_in_check, place_of_clones
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.account import check_user, open_way
from gitmem.verify.sandbox.probe import cached_probe
from gitmem.verify.sandbox.temporary import temporary_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

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

        def probe(name: str, run: Callable[[str, Path, str], bool]) -> bool:
            return bool(cached_probe(name, path, lambda: "works" * run(path, place, rung), now=now, folder=place))

        in_place = rung == sandbox.BUBBLEWRAP
        if rung == sandbox.LANDLOCK and is_writable and place_in_check(git) is not None:
            in_place = probe("place landlock", sandbox.probe_place)
        # A read-only disk, or another user's repository; or one of root's that the checks' user cannot reach. And
        # pytest and others read settings in all folders above: in the repository, these are denied files of the work
        # tree.
        if not is_writable or (rung in sandbox.ladder() and not in_place):
            place = temporary = stack.enter_context(temporary_folder("gitmem-ground-"))
            if user:
                open_way(temporary)
        objects_at = SEEN_OBJECTS
        if in_place and rung == sandbox.LANDLOCK:
            objects = stack.enter_context(temporary_folder("gitmem-objects-"))
            open_way(objects)
            objects_at = f"{objects}/objects"
        overlay = in_place and probe(f"overlay {rung}", sandbox.probe_overlay)
        grounds = Grounds(
            git, overlay=overlay, in_place=in_place, objects_at=objects_at, temporary=temporary, user=user
        )
        yield stack.enter_context(grounds)
