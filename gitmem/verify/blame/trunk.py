"""The line of commits that leads to the bad one, and what its merges brought in. Pure, and the same for every fact."""

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
        commits: The commits, the oldest first; empty where the good one is not an ancestor of the bad one.
        brought: For each of them, the commits that it brought in as a merge, or none.
    """

    commits: Sequence[str]
    brought: Mapping[str, set[str]]


def trunk_of(ancestors: Mapping[str, Ancestor], good: str, bad: str) -> Trunk:
    """Return the line that leads from the good commit, or the beginning, to the bad one: first parents where it can be.

    Args:
        ancestors: The history, children before parents; *good* is not one of them.
        good: Where it begins; empty where that is the beginning of history.
        bad: Where it ends.
    """
    leads = {good}
    for commit in reversed(list(ancestors) if good else []):
        if not leads.isdisjoint(ancestors[commit].parents):
            leads.add(commit)
    if good and bad not in leads:
        return Trunk((), {})
    found = [bad]
    while found[-1] != good and (parents := parents_of(ancestors, found[-1])):
        found.append(next(p for p in parents if not good or p in leads))
    return line_of(ancestors, found[::-1], ancestors)


def line_of(ancestors: Mapping[str, Ancestor], commits: Sequence[str], within: Iterable[str]) -> Trunk:
    """Return a line of these commits, whose merges brought in what they are the first to lead to.

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
    """Return the parents of a commit; none of one that is not part of the history."""
    found = ancestors.get(commit)
    return found.parents if found else ()


def take(ancestors: Mapping[str, Ancestor], roots: Sequence[str], free: set[str]) -> set[str]:
    """Take commits and what they descend from out of those that are still free, and return them."""
    taken = set()
    left = list(roots)
    while left:
        commit = left.pop()
        if commit in free:
            free.discard(commit)
            taken.add(commit)
            left += parents_of(ancestors, commit)
    return taken


def first_parents(ancestors: Mapping[str, Ancestor], tip: str, within: Container[str]) -> list[str]:
    """Return a commit and its first parents, the newest first, up to the first one that is outside."""
    found = [tip]
    while found[-1] in within and (parents := parents_of(ancestors, found[-1])):
        found.append(parents[0])
    return found
