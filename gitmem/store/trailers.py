"""The trailers that name the commit of the code for a commit of a store, and how to read them."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.git import Git
from gitmem.git.repository import is_oid

# The commit of the code that the writer worked on or checked.
CODE = "Code-Commit"
# The default branch's commit as this clone knew it, on other branches. A branch that is squashed or rebased leaves no
# trace in the code; this still says which code existed at the time.
DEFAULT = "Code-Default"
# On verdicts recorded by a forge's job from other machines' result files: how many.
CLAIMED = "Gitmem-Claimed"
# The commit that a commit reverts.
UNDOES = "Gitmem-Undoes"


@frozen
class Point:
    """One commit of a store.

    Attributes:
        commit: The commit.
        parents: Its parents.
        code: The commit of the code that it was written for, or empty.
        default: The default branch's commit at the time, or empty.
    """

    commit: str
    parents: tuple[str, ...]
    code: str
    default: str


def code_trailers(git: Git, default: str) -> tuple[tuple[str, str], ...]:
    """Return the trailers for a new commit; none if HEAD is unborn.

    Args:
        git: The repository.
        default: The default branch as a full ref, or empty.
    """
    branch, commit = git.read_head()
    if commit is None:
        return ()
    is_elsewhere = default and not (branch and default.endswith(branch.removeprefix("refs/heads")))
    known = git.read_ref(default) if is_elsewhere else None
    return ((CODE, commit), *(((DEFAULT, known),) if known and known != commit else ()))


def read_points(git: Git, tip: str, *only: str) -> list[Point]:
    """Return the commits of a store, children before parents; in a shallow clone, those that exist.

    Args:
        git: The repository.
        tip: The last commit.
        only: Options and revisions of git-log(1) that leave commits out.

    Raises:
        ProcessError: An object of its history is missing or broken.
    """
    trailers = "%x00".join(f"%(trailers:key={name},valueonly,separator=%x20)" for name in (CODE, DEFAULT))
    argv = ("log", "-z", "--topo-order", "--no-color", "--no-show-signature", f"--format=%H%x00%P%x00{trailers}")
    words = git.run(*argv, *only, tip, "--").stdout.decode("utf-8", "replace").split("\0")
    return [
        Point(words[at], tuple(words[at + 1].split()), _named(words[at + 2]), _named(words[at + 3]))
        for at in range(0, len(words) - 3, 4)
    ]


def _named(value: str) -> str:
    """Return the commit that a trailer names; the last one of several, which are never written."""
    last = value.rpartition(" ")[2]
    return last if is_oid(last) else ""
