"""The newest commits: what broke a fact is mostly among them, and is found there without running its check."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

from gitmem.frozen import replace
from gitmem.verify.due import digest_by
from gitmem.verify.inputs import CodeTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.git.binary import Git
    from gitmem.model import Check, Verdict

# Commits that are looked at: each is listed whole.
LOOKED_BACK = 8


class NewestCommits:
    """The commit that is judged and its ancestors: a few, as far as each has one parent."""

    def __init__(self, git: Git, tree: Callable[[], CodeTree]) -> None:
        """Prepare to look back from a tree of the code, which is listed when it is needed."""
        self._git = git
        self._tree = tree

    @cached_property
    def trees(self) -> list[CodeTree]:
        """Return the code at each, the newest first."""
        tip = self._tree()
        listed = self._git.run("rev-list", "--parents", f"-{LOOKED_BACK}", tip.commit).stdout.decode("ascii")
        parents = dict(([*line.split(), ""])[:2] for line in listed.splitlines() if line.count(" ") < 2)
        line = [tip.commit]
        while parents.get(line[-1]):
            line.append(parents[line[-1]])
        return [tip, *(CodeTree(self._git, commit) for commit in line[1:])]

    def breaker(self, inputs: Sequence[str], check: Check, held: Verdict, moved: str = "") -> str:
        """Return which commit alone changed the inputs of a fact since it held; empty if none did, or several.

        Args:
            inputs: What the fact declares to read.
            check: Its check.
            held: The verdict by which it held.
            moved: Where what the check names has gone since (``verify.moves``).
        """
        found = self.changes(inputs, check, held, moved)
        return found[0] if found is not None and len(found) == 1 else ""

    def changes(self, inputs: Sequence[str], check: Check, since: Verdict, moved: str = "") -> list[str] | None:
        """Return the commits that changed the inputs of a fact since a verdict; None where that lies too far back.

        A commit that only moves its files changed them where no other commit did.
        """
        followed = self._changes(inputs, check, replace(since, moved=moved)) if moved else []
        return followed if followed != [] else self._changes(inputs, check, since)

    def _changes(self, inputs: Sequence[str], check: Check, since: Verdict) -> list[str] | None:
        found: list[str] = []
        newer = digest_by(self.trees[0], inputs, check, since)
        for tree, parent in pairwise(self.trees):
            if newer == since.inputs:
                return found
            before = digest_by(parent, inputs, check, since)
            if before != newer:
                found.append(tree.commit)
                newer = before
        return found if newer == since.inputs else None

    def was_fixed(self, inputs: Sequence[str], check: Check, failed: Verdict) -> bool:
        """Return whether the inputs of a failure were others since; true where that lies too far back.

        Behind a merge, the failure is what was found on the branch that was merged: false.
        """
        commits = [tree.commit for tree in self.trees]
        if failed.commit not in commits:
            return len(commits) > LOOKED_BACK
        since = self.trees[: commits.index(failed.commit)]
        return any(digest_by(tree, inputs, check, failed) != failed.inputs for tree in since)
