"""Find the state of the store that belongs to a commit of the code, by ancestry alone.

Every write names the commit of the code that its author worked on. A commit of the store is *of the past* of REV if it
names REV or an ancestor of it, and *later* if it names a descendant. The store as known at REV is its newest commit of
the past without a later one among its ancestors; parallel writes of several clones are united. A commit that names code
on another line of history, or missing code, counts as written just after the default branch's commit at that time; one
that names nothing (a merge by ``sync``, a person's own commit) follows its parents. Dates are not used.
"""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.git import Git
from gitmem.git.ancestry import is_shallow, kin_of
from gitmem.store.trailers import Point, read_points

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.git.ancestry import Kin

PAST = "past"
LATER = "later"
ELSEWHERE = "elsewhere"
SILENT = ""


@frozen
class PastState:
    """The state of the store that belongs to a commit of the code.

    Attributes:
        rev: The requested revision, as typed.
        code: The commit of the code; empty if a commit of the store was given that names no code in this clone.
        states: The commits of the store to unite, the largest first; empty if nothing was known yet.
        is_store: Whether a commit of the store was given.
        aside: The number of commits left out because they name code that is neither before nor after REV.
        first: The first later commit of the store if nothing was known yet; or empty.
        is_shallow: Whether history is missing, because this clone is shallow.
    """

    rev: str
    code: str
    states: tuple[str, ...]
    is_store: bool = False
    aside: int = 0
    first: str = ""
    is_shallow: bool = False


def find_anchor(git: Git, tip: str, rev: str) -> PastState:
    """Return the state of a store that belongs to a typed revision; *tip* is its present commit, or empty.

    Raises:
        NotFoundError: It is not a commit of this repository.
        ProcessError: The history of the store cannot be read.
    """
    commit = git.resolve(rev)
    points = read_points(git, tip) if tip else []
    by_name = {point.commit: point for point in points}
    if commit in by_name:
        code = _code_of(by_name, commit)
        return PastState(rev, code if code and git.has(code, "commit") else "", (commit,), is_store=True)
    named = {name for point in points for name in (point.code, point.default) if name}
    kin = kin_of(git, commit, named)
    return _choose_states(PastState(rev, commit, (), is_shallow=is_shallow(git)), points, kin)


def _code_of(by_name: dict[str, Point], commit: str) -> str:
    """Return the commit of the code that a commit of the store names: its own, or that of its first parents."""
    while commit in by_name:
        point = by_name[commit]
        if point.code or not point.parents:
            return point.code
        commit = point.parents[0]
    return ""


def _choose_states(anchor: PastState, points: Sequence[Point], kin: Kin) -> PastState:
    late: set[str] = set()  # they, or an ancestor of theirs, name later code
    ours: set[str] = set()
    aside: set[str] = set()
    first = ""
    for point in reversed(points):  # parents first
        when = _compare(point, kin, anchor.code)
        if when == LATER or not late.isdisjoint(point.parents):
            late.add(point.commit)
            first = first or point.commit
        elif when == PAST:
            ours.add(point.commit)
        elif when == ELSEWHERE or not aside.isdisjoint(point.parents):
            aside.add(point.commit)
        elif not ours.isdisjoint(point.parents):
            ours.add(point.commit)
    behind: set[str] = set()
    states = []
    for point in points:
        if point.commit in ours and point.commit not in behind:
            states.append(point.commit)
        if point.commit in ours or point.commit in behind:
            behind.update(point.parents)
    return replace(
        anchor,
        states=_largest_first(states, points) if len(states) > 1 else tuple(states),
        first="" if states else first,
        aside=len(aside - behind),
    )


def _largest_first(states: Sequence[str], points: Sequence[Point]) -> tuple[str, ...]:
    """Return commits of the store by the number of their ancestors, then by name: the same in every clone."""
    sizes = {}
    for state in states:
        behind = {state}
        for point in points:
            if point.commit in behind:
                behind.update(point.parents)
        sizes[state] = len(behind)
    return tuple(sorted(states, key=lambda state: (-sizes[state], state)))


def _compare(point: Point, kin: Kin, commit: str) -> str:
    """Return whether a commit of the store is before, after or beside the commit of the code."""
    for name in (point.code, point.default):
        # Work based on the default branch comes after that commit, and its own code may be missing here.
        if name in kin.before and (name != commit or name == point.code):
            return PAST
        if name in kin.after:
            return LATER
    return ELSEWHERE if point.code else SILENT
