"""Detect whether a branch of the code was merged into the default one: by ancestry, or by its changes.

Forges squash and rebase, and delete the branch afterwards. The detection needs no forge, only git objects.
"""

from __future__ import annotations

from gitmem.errors import ProcessError
from gitmem.store.proposal import HEADS
from gitmem.store.trailers import read_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git import Git

ANCESTRY, REBASE, SQUASH = "ancestry", "rebase", "squash"
# The commit of the code's branch when its companion was last pushed, for when the branch itself is gone.
PUSHED = "refs/gitmem/branches/"
# The most commits of the default branch searched for a squash, and the time limit in seconds.
MOST_COMMITS = 2000
SEARCH_S = 30.0


def how_landed(git: Git, code: str, companion: str, *, memory_commit: str, default: str, remotes: Iterable[str]) -> str:
    """Return how a branch of the code was merged into the default one: ``ancestry``, ``rebase``, ``squash``; or empty.

    Args:
        git: The repository.
        code: The branch, without ``refs/heads/``.
        companion: The commit of its companion, whose trailers name the commit of the code.
        memory_commit: The commit of the memory branch.
        default: The commit of the default branch.
        remotes: The remotes whose branch of this name counts.
    """
    written, known = _written_for(git, companion, memory_commit)
    refs = (*(f"refs/remotes/{remote}/{code}" for remote in remotes), f"{HEADS}{code}", f"{PUSHED}{code}")
    tips = dict.fromkeys(filter(None, (*map(git.read_ref, refs), written)))
    return next((how for tip in tips if (how := _how(git, tip, default, known))), "")


def _written_for(git: Git, companion: str, memory_commit: str) -> tuple[str, str]:
    """Return the code commit that a companion was written for, and the default branch's commit at that time."""
    points = read_points(git, companion, "-50", "--no-merges", f"^{memory_commit}")
    found = next((point for point in points if point.code), None)
    return (found.code, found.default or found.code) if found is not None else ("", "")


def _how(git: Git, tip: str, main: str, known: str) -> str:
    """Return how a commit was merged into the default branch after that branch was at *known*."""
    if not git.has(tip, "commit"):
        return ""
    if git.is_ancestor(tip, main):
        # A new branch without commits of its own is contained in the default one from the beginning.
        is_new = bool(known) and git.has(known, "commit") and git.is_ancestor(tip, known)
        return "" if is_new else ANCESTRY
    bases = git.merge_bases(tip, main)
    if not bases or bases[0] == main:
        return ""
    try:
        marks = [line[:1] for line in git.text("cherry", main, tip).split("\n") if line]
        if marks and set(marks) == {"-"}:
            return REBASE
        return SQUASH if _is_squashed(git, bases[0], tip, main) else ""
    except ProcessError:
        return ""  # too much to compare, or objects are missing


def _is_squashed(git: Git, base: str, tip: str, main: str) -> bool:
    """Return whether one commit of the default branch makes the same change as the whole branch (git-patch-id(1))."""
    # Plain output, whatever the configuration: both sides must be equal.
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index", "--binary")
    whole = git.run("diff", *plain, base, tip, timeout_s=SEARCH_S).stdout
    wanted = {line.split(b" ")[0] for line in _patch_ids(git, whole)}
    since = ("log", "-p", "--no-merges", f"-{MOST_COMMITS}", "--format=commit %H", *plain, f"{base}..{main}")
    patch_ids = {line.split(b" ")[0] for line in _patch_ids(git, git.run(*since, timeout_s=SEARCH_S).stdout)}
    return bool(wanted) and wanted <= patch_ids


def _patch_ids(git: Git, patches: bytes) -> list[bytes]:
    return [line for line in git.run("patch-id", "--stable", input=patches).stdout.split(b"\n") if line]
