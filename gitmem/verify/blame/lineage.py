"""The commits between two, with the digest of a check's inputs at each: what a search for the culprit walks on.

What a check answers depends on its inputs alone, so commits with equal digests share an answer, and only those whose
digest differs from that of every parent can have changed it. No commit is looked at on its own: one process lists the
commits, one what each changed, and digests are worked out from those changes, the oldest first.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.document.builtin_checks import globs_of
from gitmem.frozen import frozen
from gitmem.git.history import list_ancestors, list_touched, read_trees
from gitmem.model import BUILTIN
from gitmem.text.globs import matcher
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import moved_digest, moved_glob, parse_moves

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from gitmem.git.binary import Git
    from gitmem.git.history import Ancestor, PathChange
    from gitmem.model import Check
    from gitmem.verify.files import Entry

# Commits that are looked at, the newest: half a year of the largest projects.
MOST_COMMITS = 50_000

Files = dict[str, "Entry"]


@frozen
class InputQuestion:
    """What a fact asks of the code, as its digest sees it.

    Where inputs are not declared, they are the whole tree; but a commit where all that a run read is as it was for that
    run answers as it did. (Of any other commit those reads say nothing: the check may go another way there.)

    Attributes:
        inputs: As the catalog keeps them.
        check: The check.
        seen: What runs of this clone were seen to read, each with its digest.
        moved: Where what the check names went, by its verdict (``verify.moves``).
    """

    inputs: tuple[str, ...]
    check: Check
    seen: tuple[tuple[str, str], ...] = ()
    moved: str = ""

    def digest(self, tree: CodeTree) -> str:
        """Return the digest of the inputs in one tree."""
        same = (known for reads, known in self.seen if self._digest(tree, reads) == known)
        return next(same, "") or self._digest(tree)

    def _digest(self, tree: CodeTree, reads: str = "") -> str:
        return moved_digest(tree, self.inputs, self.check, self.moved, reads)

    def concerns(self) -> Callable[[str], bool] | None:
        """Return what tells whether a path can be among the inputs; None where all of them are."""
        if self.inputs[0] == "tree":
            return None
        globs = self.inputs[1:]
        if self.check.form == BUILTIN:
            globs = globs_of(self.check.words)
        globs += tuple(filter(None, (moved_glob(glob, move) for glob in globs for move in parse_moves(self.moved))))
        tests = [remembered(glob) for glob in globs]
        return lambda path: any(test(path) for test in tests) or path.rpartition("/")[2] == ".gitattributes"


@lru_cache(maxsize=64)
def remembered(glob: str) -> Callable[[str], bool]:
    """Return a glob's matcher that asks it once for each path: the same paths come up at every commit."""
    return lru_cache(maxsize=None)(matcher(glob))


class _Shown(CodeTree):
    """The tree of a commit whose files are known, made without asking git."""

    def __init__(self, commit: str, tree: str, entries: Iterable[Entry]) -> None:
        self.commit = commit
        self.tree = tree
        self._entries = sorted(entries, key=lambda e: e[2])
        self._paths = [path for _, _, path in self._entries]
        self._matched = {}

    def _match(self, glob: str) -> tuple[Entry, ...]:
        matches = remembered(glob)
        return tuple(entry for entry in self._entries if matches(entry[2]))


@frozen
class Lineage:
    """Some history, and the digest of a check's inputs at each commit of it.

    Attributes:
        bad: The commit that it leads up to.
        good: Where it begins; empty where that is the beginning of history.
        ancestors: The commits between them by name, children before parents; *good* is not one of them.
        digests: The digest of the inputs at each commit, at *good*, and at every other parent of one of them.
    """

    bad: str
    good: str
    ancestors: Mapping[str, Ancestor]
    digests: dict[str, str]

    def parents(self, commit: str) -> tuple[str, ...]:
        """Return the parents of a commit whose digests are known."""
        found = self.ancestors.get(commit)
        return tuple(p for p in found.parents if p in self.digests) if found else ()

    def is_candidate(self, commit: str) -> bool:
        """Return whether a commit changed the inputs: none of its parents has the same."""
        own = self.digests[commit]
        return all(self.digests[parent] != own for parent in self.parents(commit))


class Reader:
    """Reads lineages of one repository; what several facts need of its history is read once."""

    def __init__(self, git: Git, bad: str) -> None:
        self._git = git
        self._bad = bad
        self._known: dict[str, tuple[Mapping[str, Ancestor], dict[str, list[PathChange]], dict[str, str]]] = {}
        self._files: dict[str, list[Entry]] = {}

    def read(self, question: InputQuestion, good: str = "") -> tuple[Lineage, dict[str, CodeTree]]:
        """Return the history since *good* (an ancestor) or all of it; for a built-in check also a tree of each digest.

        The trees have the files that the question concerns, and no others.

        Raises:
            ProcessError: The history cannot be read: objects are missing, or it is larger than anybody's.
        """
        ancestors, touched, trees = self._history(good)
        lineage = Lineage(self._bad, good, ancestors, {})
        if question.concerns() is None and not question.seen:
            lineage.digests.update({commit: f"tree:{tree}" for commit, tree in trees.items()})
            return lineage, {}
        shown = _work_out(lineage, touched, trees, question, self._listed)
        return lineage, shown

    def _history(self, good: str) -> tuple[Mapping[str, Ancestor], dict[str, list[PathChange]], dict[str, str]]:
        if good not in self._known:
            listed = list_ancestors(self._git, self._bad, without=good, at_most=MOST_COMMITS)
            ancestors = {one.commit: one for one in listed}
            outside = {p: "" for one in ancestors.values() for p in one.parents if p not in ancestors}
            base = good or next(iter(outside), "")
            pairs = [(one.commit, one.parents[0] if one.parents else "") for one in ancestors.values()]
            pairs += [(commit, base) for commit in outside if commit != base]
            trees = {one.commit: one.tree for one in ancestors.values()}
            trees |= read_trees(self._git, {*outside, base} - {""})
            self._known[good] = (ancestors, list_touched(self._git, pairs), trees)
        return self._known[good]

    def _listed(self, commit: str) -> list[Entry]:
        if commit not in self._files:
            self._files[commit] = self._git.list_paths(commit)
        return self._files[commit]


def _work_out(
    lineage: Lineage,
    touched: Mapping[str, Sequence[PathChange]],
    trees: Mapping[str, str],
    question: InputQuestion,
    listed: Callable[[str], list[Entry]],
) -> dict[str, CodeTree]:
    """Work out the digests of a lineage, which has none yet, from what each commit changed, parents first."""
    ancestors, digests, concerns = lineage.ancestors, lineage.digests, question.concerns()
    outside = [commit for commit in trees if commit not in ancestors]
    base = lineage.good or next(iter(outside), "")
    files: dict[str, Files] = {}
    shown: dict[str, CodeTree] = {}
    is_builtin = question.check.form == BUILTIN

    def settle(commit: str, before: str, here: Files) -> None:
        files[commit] = here
        known = digests.get(before, "")
        # One that is for a whole tree differs with anything that changes there.
        if known and files.get(before) is here and not known.startswith("tree:"):
            digests[commit] = known
            return
        tree = _Shown(commit, trees[commit], here.values())
        digests[commit] = question.digest(tree)
        if is_builtin:
            shown.setdefault(digests[commit], tree)

    if base:
        settle(base, "", {e[2]: e for e in listed(base) if concerns is None or concerns(e[2]) or e[0] == "120000"})
    for commit in outside:
        if commit != base:
            settle(commit, base, _changed(files[base], touched.get(commit, ()), concerns))
    left = _children(ancestors)
    for one in reversed(list(ancestors.values())):
        before = one.parents[0] if one.parents else ""
        settle(one.commit, before, _changed(files.get(before, {}), touched.get(one.commit, ()), concerns))
        for parent in one.parents:
            left[parent] -= 1
            if not left[parent] and parent in ancestors:
                del files[parent]  # what every child was worked out from
    return shown


def _changed(before: Files, touched: Iterable[PathChange], concerns: Callable[[str], bool] | None) -> Files:
    """Return files as they are after a change; the very same where it concerns none of them."""
    wanted = [t for t in touched if concerns is None or concerns(t.path) or t.is_link]
    if not wanted:
        return before
    after = dict(before)
    for one in wanted:
        if one.mode and (concerns is None or concerns(one.path) or one.mode == "120000"):
            after[one.path] = (one.mode, one.oid, one.path)
        else:
            after.pop(one.path, None)
    return after


def _children(ancestors: Mapping[str, Ancestor]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in ancestors.values():
        for parent in one.parents:
            found[parent] = found.get(parent, 0) + 1
    return found
