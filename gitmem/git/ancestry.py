"""Ancestry of the code's commits, asked of git in bulk. No clock has a say in it: anybody may write any date.

What git walks is bounded by the commits asked about: those behind their common ancestor are never listed.
"""

from __future__ import annotations

import os

from gitmem.frozen import frozen
from gitmem.git.binary import Git

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence


@frozen
class Kin:
    """How commits stand to one commit.

    Attributes:
        before: Itself, and those that are its ancestors.
        after: Those that it is an ancestor of.
        missing: Those that are not here: rewritten, never fetched, or behind the end of a shallow clone.
    """

    before: frozenset[str]
    after: frozenset[str]
    missing: frozenset[str]


def kin_of(git: Git, commit: str, others: Collection[str]) -> Kin:
    """Return how *others* stand to a commit; those on a line of their own are in none of the sets."""
    here = _present(git, others)
    # Listed is what the commit does not have: nothing, where all others are its ancestors.
    ahead = set(_listed(git, ("rev-list",), here, [f"^{commit}"])) if here else set()
    beyond = [one for one in here if one in ahead]
    after = set(_listed(git, ("rev-list", "--ancestry-path"), beyond, [f"^{commit}"])) if beyond else set()
    return Kin(
        frozenset(one for one in here if one not in ahead),
        frozenset(one for one in beyond if one in after),
        frozenset(others) - frozenset(here),
    )


def in_order(git: Git, commits: Iterable[str]) -> tuple[list[str], dict[str, frozenset[str]]]:
    """Return those of some commits that are here, ancestors first; and which of them each one descends from."""
    here = _present(git, commits)
    if not here:
        return [], {}
    wanted = {commit: 1 << nth for nth, commit in enumerate(here)}
    # The parents of the best common ancestor, and all behind them, say nothing about these.
    base = git.run("merge-base", "--octopus", *here, check=False).stdout.decode("ascii").strip()
    known: dict[str, int] = {}
    order = []
    rows = _listed(git, ("rev-list", "--topo-order", "--reverse", "--parents"), here, [f"^{base}^@"] if base else [])
    for row in rows:
        commit, *parents = row.split(" ")
        known[commit] = wanted.get(commit, 0)
        for parent in parents:
            known[commit] |= known.get(parent, 0)
        if commit in wanted:
            order.append(commit)
    behind = {
        commit: frozenset(one for one in here if one != commit and known[commit] & wanted[one]) for commit in order
    }
    return order, behind


def _present(git: Git, commits: Iterable[str]) -> list[str]:
    """Return which of some full names are commits that are here, sorted."""
    names = sorted(set(commits))
    if not names:
        return []
    asked = "".join(f"{name}\n" for name in names).encode()
    lines = git.run("cat-file", "--batch-check=%(objectname) %(objecttype)", input=asked).stdout.decode("ascii")
    return [line.split(" ")[0] for line in lines.split("\n") if line.endswith(" commit")]


def _listed(git: Git, argv: Sequence[str], starts: Iterable[str], ends: Iterable[str]) -> list[str]:
    """Return what ``rev-list`` lists, a line each: from some commits, up to what the *ends* leave out."""
    asked = "".join(f"{one}\n" for one in (*starts, *ends))
    return os.fsdecode(git.run(*argv, "--stdin", input=asked.encode()).stdout).split("\n")[:-1]


def is_shallow(git: Git) -> bool:
    """Tell whether history ends somewhere because more of it was never fetched (git-clone(1), ``--depth``)."""
    return (git.repository.common_dir / "shallow").is_file()
