"""The history of one memory on both sides of a merge: which edits its body was merged from, and what they built on."""

from __future__ import annotations

from functools import cache, partial

from gitmem.frozen import frozen
from gitmem.store.merge.bodies import Leaf, join_bodies

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

# Common ancestors of common ancestors are joined up to this depth.
_BASES_DEEP = 4


@frozen
class Commit:
    """A commit as one memory sees it.

    Attributes:
        parents: Its parents, as far as they belong to the history.
        who: Its author.
        is_edit: Whether it changed the memory, and is not a merge.
    """

    parents: tuple[str, ...]
    who: str = ""
    is_edit: bool = False


class History:
    """The commits since a common ancestor.

    Args:
        commits: The commits by name, parents before children.
        read_body: Returns a memory's body at a commit, empty without one; None if it cannot be read.
    """

    def __init__(self, commits: Mapping[str, Commit], read_body: Callable[[str], str | None]) -> None:
        self._commits = commits
        self._body_at = cache(read_body)
        self._bits = {name: 1 << nth for nth, name in enumerate(commits)}
        self._above: dict[str, int] = {}  # each commit with all of its ancestors
        for name, commit in commits.items():
            above = self._bits[name]
            for parent in commit.parents:
                above |= self._above.get(parent, 0)
            self._above[name] = above
        self._leaves: dict[str, tuple[str, ...]] = {}

    def take_apart(self, one: str, other: str) -> tuple[str, list[Leaf]] | None:
        """Return what the bodies of two commits were merged from: the common ancestor's body and the edits since.

        None if the history does not say.
        """
        if one not in self._commits or other not in self._commits:
            return None
        for name in self._commits:
            self._leaves[name] = self._find_leaves(name)
        leaves = self._newest([*self._leaves[one], *self._leaves[other]])
        base = self._base(leaves, depth=0)
        found = []
        for leaf in leaves:
            body = self._body_at(leaf)
            if body is None:
                return None
            found.append(Leaf(body, partial(self._author, leaf)))
        return None if base is None else (base, found)

    def _find_leaves(self, name: str) -> tuple[str, ...]:
        """Return the edits that a commit's body comes from; the commit itself if it says something else."""
        commit = self._commits[name]
        parents = [parent for parent in commit.parents if parent in self._leaves]
        if commit.is_edit or not parents:
            return (name,)
        if len(parents) == 1:
            return self._leaves[parents[0]]
        leaves = self._newest([leaf for parent in parents for leaf in self._leaves[parent]])
        body = self._body_at(name)
        if len(leaves) == 1:
            joined = self._body_at(leaves[0])
        else:
            bodies = [(leaf, self._body_at(leaf)) for leaf in leaves]
            base = self._base(leaves, depth=0)
            if base is None or any(text is None for _, text in bodies):
                return (name,)
            some = [Leaf(text, partial(self._author, leaf)) for leaf, text in bodies if text is not None]
            joined, _ = join_bodies(base, some)
        return leaves if joined == body else (name,)

    def _newest(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return commits without those that are ancestors of others, in an order that only depends on them."""
        some = set(names)
        older = {name for name in some for above in some if name != above and self._above[above] & self._bits[name]}
        return tuple(sorted(some - older))

    def _base(self, names: Iterable[str], *, depth: int) -> str | None:
        """Return the body that commits have in common: of several common ancestors, their bodies joined."""
        common = -1
        for name in names:
            common &= self._above[name]
        bases = self._newest(name for name, bit in self._bits.items() if common & bit)
        if not bases:
            return None
        bodies = [body for base in bases if (body := self._body_at(base)) is not None]
        if len(bodies) < len(bases):
            return None
        if len(bases) == 1 or depth == _BASES_DEEP:
            return min(bodies)
        below = self._base(bases, depth=depth + 1)
        some = [Leaf(body, partial(self._author, base)) for base, body in zip(bases, bodies, strict=True)]
        return None if below is None else join_bodies(below, some)[0]

    def _author(self, leaf: str, lines: str, instead_of: str) -> str:
        """Return who last brought lines into the body on the way to a commit; for no lines, who removed the others."""

        def has(name: str) -> bool:
            body = self._body_at(name) or ""
            return lines in body if lines.strip() else instead_of not in body

        authors = []
        for name in [name for name, bit in self._bits.items() if self._above[leaf] & bit]:
            commit = self._commits[name]
            if commit.is_edit and has(name) and not any(has(parent) for parent in commit.parents):
                authors.append(commit.who)
        return min(authors, default=self._commits[leaf].who)
