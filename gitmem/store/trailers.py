"""The trailers that say for which code a commit of a store was written, and how they are read back."""

from __future__ import annotations

from gitmem.frozen import frozen
from gitmem.git.binary import Git
from gitmem.git.repository import is_oid

# The commit of the code that the writer had before them, or judged.
CODE = "Code-Commit"
# Where the default branch stood as this clone knew it; written on other branches than that. One that is squashed or
# rebased leaves no trace in the code: this still says which code there was when it was written.
DEFAULT = "Code-Default"
# On verdicts that other machines' result files claimed, as a forge's job records them: how many.
CLAIMED = "Gitmem-Claimed"
# The commit that a commit takes back.
UNDOES = "Gitmem-Undoes"


@frozen
class Point:
    """One commit of a store.

    Attributes:
        commit: The commit.
        parents: Its parents.
        code: The commit of the code that it was written for, or empty.
        default: Where the default branch stood then, or empty.
    """

    commit: str
    parents: tuple[str, ...]
    code: str
    default: str


def code_trailers(git: Git, default: str) -> tuple[tuple[str, str], ...]:
    """Return the trailers of a commit that is written now; none where HEAD is unborn.

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


def read_points(git: Git, tip: str) -> list[Point]:
    """Return all commits of a store, children before their parents; as far as they are here, in a shallow clone.

    Raises:
        ProcessError: An object of its history is missing or broken.
    """
    trailers = "%x00".join(f"%(trailers:key={name},valueonly,separator=%x20)" for name in (CODE, DEFAULT))
    argv = ("log", "-z", "--topo-order", "--no-color", "--no-show-signature", f"--format=%H%x00%P%x00{trailers}")
    words = git.run(*argv, tip, "--").stdout.decode("utf-8", "replace").split("\0")
    return [
        Point(words[at], tuple(words[at + 1].split()), _named(words[at + 2]), _named(words[at + 3]))
        for at in range(0, len(words) - 3, 4)
    ]


def _named(value: str) -> str:
    """Return the commit that a trailer names; of several, which nobody writes, the last one."""
    last = value.rpartition(" ")[2]
    return last if is_oid(last) else ""
