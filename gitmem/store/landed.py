"""Whether a branch of the code was merged into the default one: by ancestry, or by what its commits change.

Forges squash and rebase, and delete the branch afterwards. What is asked here needs no forge, only git objects.
"""

from __future__ import annotations

from gitmem.errors import ProcessError
from gitmem.store.companion import HEADS
from gitmem.store.trailers import CODE, DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.git.binary import Git

ANCESTRY, REBASE, SQUASH = "ancestry", "rebase", "squash"
# Where the code's branch stood when its companion was pushed last, for when the branch itself is gone.
PUSHED = "refs/gitmem/branches/"
# Commits of the default branch that a squash is looked for among, and seconds that it may take.
MOST_COMMITS = 2000
SEARCH_S = 30.0


def how_landed(git: Git, code: str, companion: str, *, memory: str, default: str, remotes: Iterable[str]) -> str:
    """Return how a branch of the code came into the default one: ``ancestry``, ``rebase``, ``squash``; or empty.

    Args:
        git: The repository.
        code: The branch, without ``refs/heads/``.
        companion: The commit of its companion, whose trailers say for which code it was written.
        memory: The commit of the memory branch.
        default: The commit of the default branch.
        remotes: The remotes whose branch of this name counts.
    """
    written, known = _written_for(git, companion, memory)
    refs = (*(f"refs/remotes/{remote}/{code}" for remote in remotes), f"{HEADS}{code}", f"{PUSHED}{code}")
    tips = dict.fromkeys(filter(None, (*map(git.read_ref, refs), written)))
    return next((how for tip in tips if (how := _how(git, tip, default, known))), "")


def _written_for(git: Git, companion: str, memory: str) -> tuple[str, str]:
    """Return the commit of the code that a companion was written for, and where the default branch stood then."""
    form = ",".join(f"%(trailers:key={name},valueonly,separator=%x20)" for name in (CODE, DEFAULT))
    lines = git.text(
        "log", "-50", "--no-merges", "--no-show-signature", f"--format={form}", companion, f"^{memory}"
    ).split("\n")
    found = next((line for line in lines if not line.startswith(",") and "," in line), ",")
    commit, _, default = found.partition(",")
    return commit.strip(), default.strip() or commit.strip()


def _how(git: Git, tip: str, main: str, known: str) -> str:
    """Return how a commit came into the default branch since that stood where it is *known* to have stood."""
    if not git.has(tip, "commit"):
        return ""
    if git.is_ancestor(tip, main):
        # A branch that has no commit of its own yet is contained in the default one from the beginning.
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
        return ""  # too much to compare, or objects that are not here


def _is_squashed(git: Git, base: str, tip: str, main: str) -> bool:
    """Return whether one commit of the default branch changes what the whole branch does (git-patch-id(1))."""
    # As plain as git makes them, whatever the configuration says: both sides must be the same.
    plain = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--full-index", "--binary")
    whole = git.run("diff", *plain, base, tip, timeout_s=SEARCH_S).stdout
    wanted = {line.split(b" ")[0] for line in _patch_ids(git, whole)}
    since = ("log", "-p", "--no-merges", f"-{MOST_COMMITS}", "--format=commit %H", *plain, f"{base}..{main}")
    found = {line.split(b" ")[0] for line in _patch_ids(git, git.run(*since, timeout_s=SEARCH_S).stdout)}
    return bool(wanted) and wanted <= found


def _patch_ids(git: Git, patches: bytes) -> list[bytes]:
    return [line for line in git.run("patch-id", "--stable", input=patches).stdout.split(b"\n") if line]
