"""The commits between two commits, with the digest of a check's inputs at each, for searching the culprit.

The answer of a check depends only on its inputs, so commits with equal digests have the same answer, and only commits
whose digest differs from that of every parent can have changed it. Commits are not read one by one: one process lists
the commits, another what each changed, and the digests are computed from those changes, the oldest first. For each
question only changes to its own files are considered, so hundreds of facts cost little more than one.
"""

from __future__ import annotations

from functools import lru_cache

from gitmem.frozen import frozen
from gitmem.git.history import list_ancestors, list_touched, read_trees
from gitmem.model import BUILTIN
from gitmem.text.globs import is_plain, matcher, normal, unescape
from gitmem.verify.blame.trunk import parents_of, trunk_of
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import TOP, digest_after_moves, globs_after_moves, parse_moves, places_of
from gitmem.verify.trace.reads import folders_above, parse_reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence, Set

    from gitmem.git import Git
    from gitmem.git.history import Ancestor, PathChange
    from gitmem.model import Check
    from gitmem.verify.blame.trunk import Trunk
    from gitmem.verify.code_files import Entry

# The most commits that are read, the newest ones: half a year of the largest projects.
MOST_COMMITS = 50_000

Files = dict[str, "Entry"]


@frozen
class InputQuestion:
    """What the answer of a fact's check depends on, as its digest sees it.

    If inputs are not declared, they are the whole tree. But at a commit where everything that a run read is unchanged,
    the answer is the same as in that run. (At other commits those reads are not conclusive, since the check may read
    other files there.)

    Attributes:
        inputs: The inputs in the form of the catalog.
        check: The check.
        seen: What runs of this clone were seen to read, each with its digest.
        moved: The moves of the files that the check names, from its verdict (``verify.moves``).
    """

    inputs: tuple[str, ...]
    check: Check
    seen: tuple[tuple[str, str], ...] = ()
    moved: str = ""

    def reads_in(self, tree: CodeTree) -> tuple[str, ...]:
        """Return the digests, in one tree, of what each run was seen to read."""
        return tuple(self._digest(tree, reads) for reads, _ in self.seen)

    def digest_by(self, tree: CodeTree, read: Sequence[str]) -> str:
        """Return the digest of the inputs in one tree, given the digests of the reads there (``reads_in``)."""
        same = (known for (_, known), here in zip(self.seen, read, strict=True) if here == known)
        return next(same, "") or self._digest(tree)

    def _digest(self, tree: CodeTree, reads: str = "") -> str:
        return digest_after_moves(tree, self.inputs, self.check, self.moved, reads)

    def concerns(self) -> Callable[[str], bool] | None:
        """Return a test of whether a path can be among the inputs or the reads; None if every path can."""
        if self.inputs[0] == "tree" and not self.seen:
            return None
        tests = [matcher_for(glob) for glob in self.globs()]
        if self.seen:
            tests.append(_around(self.places()))
        return lambda path: any(test(path) for test in tests) or _is_attributes(path)

    def globs(self) -> tuple[str, ...]:
        """Return the globs of the inputs, and those of their new places."""
        if self.check.form == BUILTIN:
            return globs_after_moves(self.check, self.moved)
        return places_of(self.inputs[1:], self.moved)

    def places(self) -> set[str]:
        """Return the files and folders that runs were seen to read, and their new places; empty for the top folder."""
        if not self.seen:
            return set()
        places = {read[1:] for reads, _ in self.seen for read in parse_reads(reads) or ()}
        moves = parse_moves(self.moved)
        return places | {
            "" if place == TOP else place.removesuffix("/") for move in moves for place in (move.old, move.new)
        }


def _is_attributes(path: str) -> bool:
    return path.rpartition("/")[2] == ".gitattributes"


def _around(places: Set[str]) -> Callable[[str], bool]:
    """Return a test of whether a path is at, below or above one of some places; other paths cannot affect them."""
    above = {parent for place in places for parent in folders_above(place)}

    def is_around(path: str) -> bool:
        return "" in places or path in places or path in above or not places.isdisjoint(folders_above(path))

    return is_around


@lru_cache(maxsize=64)
def matcher_for(glob: str) -> Callable[[str], bool]:
    """Return a matcher for a glob that keeps its answers, because the same paths occur at every commit."""
    return lru_cache(maxsize=None)(matcher(glob))


class _LineageTree(CodeTree):
    """The tree of a commit, with matchers that are kept for all commits."""

    def _search(self, glob: str) -> tuple[Entry, ...]:
        matches = matcher_for(glob)
        return tuple(entry for entry in self._entries if matches(entry[2]))


@frozen
class InputLineage:
    """A part of history, with the digest of a check's inputs at each commit of it.

    Attributes:
        bad: The last commit.
        good: The commit before the first one; empty at the beginning of history.
        ancestors: The commits up to *bad* by name, children before parents; *good* is not one of them.
        digests: The digest of the inputs at each commit, at *good*, and at every other parent outside.
        seen: The digests of what runs were seen to read, at each of these commits; may be empty.
        trunks: The cached line through it, shared by all lineages of the same history; empty until it is needed.
    """

    bad: str
    good: str
    ancestors: Mapping[str, Ancestor]
    digests: dict[str, str]
    seen: dict[str, tuple[str, ...]]
    trunks: list[Trunk]

    def parents(self, commit: str) -> tuple[str, ...]:
        """Return the parents of a commit, whose digests are known; empty for a commit outside."""
        return parents_of(self.ancestors, commit)

    def is_candidate(self, commit: str) -> bool:
        """Return whether a commit changed the inputs: their digest differs from that at every parent."""
        digests = self.digests
        return digests[commit] not in map(digests.get, parents_of(self.ancestors, commit))

    def trunk(self) -> Trunk:
        """Return the line from the good commit to the bad one."""
        if not self.trunks:
            self.trunks.append(trunk_of(self.ancestors, self.good, self.bad))
        return self.trunks[0]


@frozen
class _History:
    """The data about a part of history that all questions share.

    Attributes:
        ancestors: See ``InputLineage``.
        touched: What each commit changed; for a parent outside, its difference from the commit where history begins.
        trees: The root tree of each commit.
        paths: The commits that changed each path.
        links: Paths that are links at any of the commits.
        steps: The commits, parents before children, each with its first parent and the parents that no later one has.
        trunks: See ``InputLineage``.
        below: For each path, the changed paths at or below it.
    """

    ancestors: Mapping[str, Ancestor]
    touched: Mapping[str, Sequence[PathChange]]
    trees: Mapping[str, str]
    paths: Mapping[str, Sequence[str]]
    links: frozenset[str]
    steps: Sequence[tuple[str, str, tuple[str, ...]]]
    trunks: list[Trunk]

    below: Mapping[str, Sequence[str]]

    def changes(self, question: InputQuestion) -> Mapping[str, Sequence[PathChange]]:
        """Return what each commit changed of the paths that concern a question, and of links; nothing else."""
        if question.concerns() is None:
            return self.touched
        wanted = self._find_concerned(question) | self.links
        commits = dict.fromkeys(commit for path in wanted for commit in self.paths[path])
        return {commit: [change for change in self.touched[commit] if change.path in wanted] for commit in commits}

    def _find_concerned(self, question: InputQuestion) -> set[str]:
        """Return the paths that concern a question (``InputQuestion.concerns``), without testing each path."""
        concerned = set(filter(_is_attributes, self.paths))
        for glob in map(normal, question.globs()):
            is_path = is_plain(glob) and glob.isascii()
            concerned.update(self.below.get(unescape(glob), ()) if is_path else filter(matcher_for(glob), self.paths))
        for place in question.places():
            concerned.update(self.below.get(place, ()) if place else self.paths)
            concerned.update(above for above in folders_above(place) if above in self.paths)
        return concerned


class LineageReader:
    """Reads lineages of one repository; the history that several facts need is read once."""

    def __init__(self, git: Git, bad: str) -> None:
        self._git = git
        self._bad = bad
        self._known: dict[str, _History] = {}
        self._files: dict[str, list[Entry]] = {}

    def read(self, question: InputQuestion, good: str = "") -> tuple[InputLineage, dict[str, CodeTree]]:
        """Return the history since *good* (an ancestor) or all of it; for a built-in check also a tree of each digest.

        The trees contain only the files that concern the question.

        Raises:
            ProcessError: The history cannot be read: objects are missing, or it is too large.
        """
        history = self._history(good)
        lineage = InputLineage(self._bad, good, history.ancestors, {}, {}, history.trunks)
        if question.concerns() is None:
            lineage.digests.update({commit: f"tree:{tree}" for commit, tree in history.trees.items()})
            return lineage, {}
        shown = _work_out(self._git, lineage, history, question, self._list_files)
        return lineage, shown

    def is_touched(self, question: InputQuestion, commit: str) -> bool:
        """Return whether a commit of the history read so far changed possible inputs of a question."""
        concerns = question.concerns()
        changes = next((known.touched[commit] for known in self._known.values() if commit in known.touched), ())
        return concerns is None or any(concerns(change.path) for change in changes)

    def _history(self, good: str) -> _History:
        if good not in self._known:
            listed = list_ancestors(self._git, self._bad, without=good, at_most=MOST_COMMITS)
            ancestors = {ancestor.commit: ancestor for ancestor in listed}
            outside = {p: "" for ancestor in ancestors.values() for p in ancestor.parents if p not in ancestors}
            base = good or next(iter(outside), "")
            pairs = [
                (ancestor.commit, ancestor.parents[0] if ancestor.parents else "") for ancestor in ancestors.values()
            ]
            pairs += [(commit, base) for commit in outside if commit != base]
            trees = {ancestor.commit: ancestor.tree for ancestor in ancestors.values()}
            trees |= read_trees(self._git, {*outside, base} - {""})
            touched = list_touched(self._git, pairs)
            paths: dict[str, list[str]] = {}
            for commit, changes in touched.items():
                for change in changes:
                    paths.setdefault(change.path, []).append(commit)
            links = frozenset(c.path for changes in touched.values() for c in changes if c.is_link)
            below: dict[str, list[str]] = {}
            for path in paths:
                for place in (path, *folders_above(path)):
                    below.setdefault(place, []).append(path)
            self._known[good] = _History(ancestors, touched, trees, paths, links, _steps(ancestors), [], below)
        return self._known[good]

    def _list_files(self, commit: str) -> list[Entry]:
        if commit not in self._files:
            self._files[commit] = self._git.list_paths(commit)
        return self._files[commit]


def _work_out(
    git: Git,
    lineage: InputLineage,
    history: _History,
    question: InputQuestion,
    list_files: Callable[[str], list[Entry]],
) -> dict[str, CodeTree]:
    """Compute the digests of a lineage from what each commit changed, parents first; return the trees by digest."""
    ancestors, digests, concerns = lineage.ancestors, lineage.digests, question.concerns()
    trees, changes = history.trees, history.changes(question)
    outside = [commit for commit in trees if commit not in ancestors]
    base = lineage.good or next(iter(outside), "")
    files: dict[str, Files] = {}
    shown: dict[str, CodeTree] = {}
    is_builtin = question.check.form == BUILTIN

    def settle(commit: str, before: str, here: Files) -> None:
        files[commit] = here
        known = digests.get(before, "")
        if known and files.get(before) is here:
            # the digest of a whole tree changes with any file
            digests[commit] = f"tree:{trees[commit]}" if known.startswith("tree:") else known
            lineage.seen[commit] = lineage.seen[before]
            return
        tree = _LineageTree.of_entries(git, commit, trees[commit], here.values())
        read = lineage.seen[commit] = question.reads_in(tree)
        digests[commit] = question.digest_by(tree, read)
        if is_builtin:
            shown.setdefault(digests[commit], tree)

    if base:
        settle(base, "", {e[2]: e for e in list_files(base) if concerns is None or concerns(e[2]) or e[0] == "120000"})
    for commit in outside:
        if commit != base:
            settle(commit, base, _apply_changes(files[base], changes.get(commit, ()), concerns))
    for commit, before, last in history.steps:
        if before in files and not changes.get(commit):  # nearly all commits: the same as ``settle`` without changes
            files[commit], known = files[before], digests[before]
            digests[commit] = f"tree:{trees[commit]}" if known.startswith("tree:") else known
            lineage.seen[commit] = lineage.seen[before]
        else:
            settle(commit, before, _apply_changes(files.get(before, {}), changes.get(commit, ()), concerns))
        for parent in last:
            del files[parent]  # all its children have been computed
    return shown


def _apply_changes(before: Files, changes: Sequence[PathChange], concerns: Callable[[str], bool] | None) -> Files:
    """Return files after a change; the same object if none of them is concerned."""
    if not changes:
        return before
    after = dict(before)
    for change in changes:
        if change.mode and (concerns is None or concerns(change.path) or change.mode == "120000"):
            after[change.path] = (change.mode, change.oid, change.path)
        else:
            after.pop(change.path, None)
    return after


def _steps(ancestors: Mapping[str, Ancestor]) -> list[tuple[str, str, tuple[str, ...]]]:
    """Return the commits, parents before children, each with its first parent and the parents that no later one has."""
    steps: list[tuple[str, str, tuple[str, ...]]] = []
    later: set[str] = set()
    for ancestor in ancestors.values():
        last = tuple(
            parent for parent in dict.fromkeys(ancestor.parents) if parent in ancestors and parent not in later
        )
        later.update(last)
        steps.append((ancestor.commit, ancestor.parents[0] if ancestor.parents else "", last))
    return steps[::-1]
