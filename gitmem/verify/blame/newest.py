"""Find culprits among the newest commits, where most of them are, without running a check."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

from gitmem.frozen import replace
from gitmem.git.history import list_touched
from gitmem.verify.due import digest_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.git import Git
    from gitmem.model import Check, Verdict
    from gitmem.verify.inputs import CodeTree

# How many commits are considered; the files of each are listed in full.
LOOKED_BACK = 8


class NewestCommits:
    """The judged commit and a few of its ancestors, as long as each has only one parent."""

    def __init__(self, git: Git, tree: Callable[[], CodeTree]) -> None:
        """Look back from a tree of the code, which is listed when it is needed."""
        self._git = git
        self._tree = tree

    @cached_property
    def trees(self) -> list[CodeTree]:
        """Return the code at each commit, the newest first."""
        tip = self._tree()
        listed = self._git.run("rev-list", "--parents", f"-{LOOKED_BACK}", tip.commit).stdout.decode("ascii")
        parents = dict(([*line.split(), ""])[:2] for line in listed.splitlines() if line.count(" ") < 2)
        line = [tip.commit]
        while parents.get(line[-1]):
            line.append(parents[line[-1]])
        changes = list_touched(self._git, ((parent, commit) for commit, parent in pairwise(line)))
        trees = [tip]
        for commit in line[1:]:
            trees.append(trees[-1].behind(self._git, commit, changes[commit]))
        return trees

    def breaker(self, inputs: Sequence[str], check: Check, held: Verdict, moved: str = "") -> str:
        """Return the only commit that changed the inputs of a fact since it held; empty if there is none or several.

        Args:
            inputs: The declared inputs of the fact.
            check: Its check.
            held: The verdict that it held.
            moved: The moves since then of the files that the check names (``verify.moves``).
        """
        changes = self.changes(inputs, check, held, moved)
        return changes[0] if changes is not None and len(changes) == 1 else ""

    def changes(self, inputs: Sequence[str], check: Check, since: Verdict, moved: str = "") -> list[str] | None:
        """Return the commits that changed the inputs of a fact since a verdict; None if the verdict is too old.

        A commit that only moves the files is returned only if no other commit changed them.
        """
        followed = self._changes(inputs, check, replace(since, moved=moved)) if moved else []
        return followed if followed != [] else self._changes(inputs, check, since)

    def _changes(self, inputs: Sequence[str], check: Check, since: Verdict) -> list[str] | None:
        changes: list[str] = []
        newer = digest_by(self.trees[0], inputs, check, since)
        for tree, parent in pairwise(self.trees):
            if newer == since.inputs:
                return changes
            before = digest_by(parent, inputs, check, since)
            if before != newer:
                changes.append(tree.commit)
                newer = before
        return changes if newer == since.inputs else None

    def was_fixed(self, inputs: Sequence[str], check: Check, failed: Verdict) -> bool:
        """Return whether the inputs of a failure were different at a later commit; true if the failure is too old.

        Behind a merge, where the failure was found on the merged branch, the result is false.
        """
        commits = [tree.commit for tree in self.trees]
        if failed.commit not in commits:
            return len(commits) > LOOKED_BACK
        since = self.trees[: commits.index(failed.commit)]
        return any(digest_by(tree, inputs, check, failed) != failed.inputs for tree in since)

    def held_since(self, inputs: Sequence[str], check: Check, held: Verdict, failed: Verdict) -> bool:
        """Return whether a commit between a failure and the tip had the inputs with which a fact held."""
        commits = [tree.commit for tree in self.trees]
        between = self.trees[1 : commits.index(failed.commit)] if failed.commit in commits else ()
        return any(digest_by(tree, inputs, check, held) == held.inputs for tree in between)
