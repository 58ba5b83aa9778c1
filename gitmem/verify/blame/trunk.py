"""The line of commits that leads to the bad one, and what its merges brought in; the same for every fact. Pure."""

from __future__ import annotations

from itertools import pairwise

from gitmem.frozen import frozen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Mapping, Sequence

    from gitmem.git.history import Ancestor


@frozen
class Trunk:
    """A line of commits, each one a parent of the next.

    Attributes:
        commits: The commits, the oldest first; empty if the good one is not an ancestor of the bad one.
        brought: For each of them, the commits that it merged, or none.
    """

    commits: Sequence[str]
    brought: Mapping[str, set[str]]


def trunk_of(ancestors: Mapping[str, Ancestor], good: str, bad: str) -> Trunk:
    """Return the line from the good commit, or the beginning, to the bad one, along first parents where possible.

    Args:
        ancestors: The history, children before parents; *good* is not one of them.
        good: The commit where the line begins; empty for the beginning of history.
        bad: The commit where the line ends.
    """
    leads = {good}
    for commit in reversed(list(ancestors) if good else []):
        if not leads.isdisjoint(ancestors[commit].parents):
            leads.add(commit)
    if good and bad not in leads:
        return Trunk((), {})
    line = [bad]
    while line[-1] != good and (parents := parents_of(ancestors, line[-1])):
        line.append(next(p for p in parents if not good or p in leads))
    return line_of(ancestors, line[::-1], ancestors)


def line_of(ancestors: Mapping[str, Ancestor], commits: Sequence[str], within: Iterable[str]) -> Trunk:
    """Return the line of these commits; each merge brings in the commits that no earlier one on the line reaches.

    Args:
        ancestors: The history.
        commits: The commits, the oldest first.
        within: The commits that its merges may have brought in.
    """
    free = set(within) - set(commits)
    brought: dict[str, set[str]] = {commits[0]: set()}
    for previous, commit in pairwise(commits):
        brought[commit] = take(ancestors, [p for p in parents_of(ancestors, commit) if p != previous], free)
    return Trunk(commits, brought)


def parents_of(ancestors: Mapping[str, Ancestor], commit: str) -> tuple[str, ...]:
    """Return the parents of a commit; empty if the commit is not part of the history."""
    ancestor = ancestors.get(commit)
    return ancestor.parents if ancestor else ()


def take(ancestors: Mapping[str, Ancestor], roots: Sequence[str], free: set[str]) -> set[str]:
    """Remove commits and their ancestors from *free*, and return the removed ones."""
    commits = set()
    left = list(roots)
    while left:
        commit = left.pop()
        if commit in free:
            free.discard(commit)
            commits.add(commit)
            left += parents_of(ancestors, commit)
    return commits


def first_parents(ancestors: Mapping[str, Ancestor], tip: str, within: Container[str]) -> list[str]:
    """Return a commit and its first parents, the newest first, up to and including the first one outside *within*."""
    found = [tip]
    while found[-1] in within and (parents := parents_of(ancestors, found[-1])):
        found.append(parents[0])
    return found
