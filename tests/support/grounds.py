"""Grounds of checks for tests: where tests run as root, an ordinary user owns them and must be able to come to them."""

from __future__ import annotations

from pathlib import Path

from gitmem.git import Git
from gitmem.verify.ground.ground import Grounds
from gitmem.verify.sandbox import sandbox
from gitmem.verify.sandbox.account import check_user, give, open_way


def user_of(rung: str) -> int:
    """Return who owns the ground of a check on a rung; 0 for us."""
    return check_user() if rung in sandbox.ladder() else 0


def open_ways(folder: Path) -> None:
    """Let the user of checks through a folder of a test and those above it."""
    if check_user():
        for place in (folder, *folder.parents):
            if not place.stat().st_mode & 0o001:
                open_way(place)


def ground_in(folder: Path, rung: str) -> Path:
    """Return a new ground for a check on a rung."""
    ground = folder.resolve() / "ground"
    ground.mkdir()
    open_ways(folder)
    give(ground, user_of(rung))
    return ground


def grounds_on(git: Git, rung: str, top: Path, *, overlay: bool = False, in_place: bool = False) -> Grounds:
    """Return the grounds of a repository for checks on a rung, in a folder of a test where they must be reached."""
    user, temporary = user_of(rung), None
    if user and rung == sandbox.LANDLOCK:
        temporary = top / "grounds"
        temporary.mkdir(exist_ok=True)
        open_ways(temporary)
    return Grounds(git, overlay=overlay, in_place=in_place, temporary=temporary, user=user)


def can_come_to(place: Path) -> bool:
    """Return whether the user of checks can come to a place outside of a mount namespace."""
    return not check_user() or all(folder.stat().st_mode & 0o001 for folder in place.resolve().parents)
