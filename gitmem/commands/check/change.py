"""A change: its commits, from the merge base to the head, the code before and after it, and the first changed lines."""

from __future__ import annotations

from functools import cached_property
from heapq import nsmallest

from gitmem.errors import GitmemError, NotFoundError
from gitmem.frozen import frozen
from gitmem.git.ancestry import is_shallow
from gitmem.verify.overview.finding import Spot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.git import Git
    from gitmem.git.git import TreeChange
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.options import Options

FETCH = "fetch it first: git fetch origin '+refs/heads/*:refs/remotes/origin/*'; in CI: fetch-depth: 0"
DEEPEN = (
    "fetch more history: git fetch --deepen=100 (or --unshallow); in CI, check out the full history (fetch-depth: 0)"
)
# The most files named; the diff shows the rest.
FILES_SHOWN = 3
# A larger file is not opened: finding the line would take too long.
FILE_LIMIT = 1024 * 1024
GONE = "D"
FILE_MODES = ("100644", "100755")


@frozen
class ChangeSpan:
    """The commits before and after a change.

    Attributes:
        base: The commit before it; the empty tree if there is none yet.
        head: The commit after it; empty for staged changes, which have no commit yet.
        against: The name of the commit or branch that the head is compared with.
        note: A note on the base, or empty.
        is_dirty: Whether it ends at the work tree, including unstaged changes.
    """

    base: str
    head: str
    against: str
    note: str = ""
    is_dirty: bool = False

    @property
    def is_staged(self) -> bool:
        """Return whether it ends at the index or the work tree."""
        return not self.head


class Trees:
    """The code before and after a change; each is listed on first use.

    Attributes:
        git: The repository, which knows both commits.
        before: The commit before it; or the empty tree.
        changes: The differences, by path.
    """

    def __init__(self, git: Git, before: str, behind: Callable[[], str], changes: Sequence[TreeChange]) -> None:
        """Set both ends; *behind* returns the commit after the change, and is called only if needed."""
        self.git = git
        self.before = before
        self.changes = sorted(changes, key=lambda change: change.path)
        self._behind = behind

    @cached_property
    def base(self) -> CodeTree:
        """Return the code before the change."""
        from gitmem.verify.inputs import CodeTree  # hashlib: 3 to 8 ms, only if a fact may be touched

        return CodeTree(self.git, self.before)

    @cached_property
    def behind(self) -> str:
        """Return the commit after it."""
        return self._behind()

    @cached_property
    def head(self) -> CodeTree:
        """Return the code after it."""
        behind = self.behind  # first: staged changes are in no repository before this
        return self.base.behind(self.git, behind, self.changes)


@frozen
class StoreChange:
    """A change, and a store whose facts are checked against it.

    Attributes:
        store: The store.
        options: The options for it.
        span: The commits of the change.
        trees: The code before and after it.
        progress: Called with each fact as its command has run.
    """

    store: OpenStore
    options: Options
    span: ChangeSpan
    trees: Trees
    progress: Callable[[str, int, int], None]


def find_span(git: Git, *, base: str, head: str, default: str) -> ChangeSpan:
    """Return the commits to compare.

    The base is the merge base: later changes on the other side are not part of this change.

    Args:
        git: The repository.
        base: The commit to compare with, as typed; empty for the default branch.
        head: The other end, as typed; empty for HEAD.
        default: The default branch, a full ref; or empty.

    Raises:
        GitmemError: A commit is missing, or they have no common history in this clone.
    """
    there = _resolve(git, head) if head else git.read_head()[1]
    if there is None:
        raise GitmemError("there is no code to check: HEAD has no commit yet", hint="commit something first")
    if not base and not default:
        raise GitmemError(
            "there is no default branch to compare with", hint="give a commit or branch: gitmem check --base REV"
        )
    against = base or default.removeprefix("refs/heads/").removeprefix("refs/remotes/")
    tip = (_resolve(git, base) if base else git.read_ref(default)) or _resolve(git, default)
    common = git.merge_bases(tip, there)
    if not common:
        return _unrelated(git, tip, there, against, is_asked=bool(base))
    name = head or "HEAD"
    if there in common:
        behind = f"{name} is the same commit as {against}" if tip == there else f"{against} already contains {name}"
        note = f"{behind}; to check its last commit: gitmem check --base {name}~1"
        return ChangeSpan(there, there, against, note)
    if tip in common:
        return ChangeSpan(tip, there, against, "" if base else f"compared with {against}")
    several = f", one of {len(common)} merge bases" if len(common) > 1 else ""
    return ChangeSpan(
        common[0], there, against, f"compared with {common[0][:12]}, where {name} left {against}{several}"
    )


def _resolve(git: Git, rev: str) -> str:
    try:
        return git.resolve(rev)
    except NotFoundError as err:
        hint = FETCH if git.text("remote").strip() else "git log --all --oneline lists the commits"
        raise GitmemError(f"there is no commit {rev} in this clone", hint=hint) from err


def _unrelated(git: Git, tip: str, head: str, against: str, *, is_asked: bool) -> ChangeSpan:
    if is_shallow(git):
        message = f"this shallow clone does not contain the commit where {head[:12]} left {against}"
        raise GitmemError(message, hint=DEEPEN)
    if not is_asked:
        message = f"{head[:12]} and the default branch {against} have no common history"
        raise GitmemError(message, hint="give a commit to compare with: gitmem check --base REV")
    return ChangeSpan(tip, head, against, f"{against} has no history in common: compared with its current files")


def spots_of(git: Git, changed: Iterable[Sequence[TreeChange]]) -> list[tuple[Spot, ...]]:
    """Return the files and their first changed lines for each list of changes; each file is read once."""
    chosen = [nsmallest(FILES_SHOWN, changes, key=lambda c: (c.status == GONE, c.path)) for changes in changed]
    lines = _first_lines(git, {change.path: change for changes in chosen for change in changes}.values())
    return [tuple(Spot(change.path, lines.get(change.path, 0)) for change in changes) for changes in chosen]


def _first_lines(git: Git, changes: Iterable[TreeChange]) -> dict[str, int]:
    both = [c for c in changes if c.mode in FILE_MODES]
    lines = {c.path: 1 for c in both}
    both = [c for c in both if c.old_mode in FILE_MODES]
    oids = dict.fromkeys(oid for c in both for oid in (c.old_oid, c.oid))
    texts = dict(git.read_blobs(oids, limit=FILE_LIMIT))
    for change in both:
        old, new = texts.get(change.old_oid), texts.get(change.oid)
        if old is not None and new is not None:
            lines[change.path] = first_difference(old, new)
    return lines


def read_hunks(trees: Trees, path: str) -> list[tuple[range, range]]:
    """Return the lines of a file that the change replaces, and those it puts in their place, from 1."""
    as_text = ("--no-color", "--no-ext-diff", "--no-textconv", "--text", "--unified=0", "--inter-hunk-context=0")
    argv = ("diff", *as_text, trees.before, trees.behind, "--", f":(literal){path}")
    found = []
    for line in trees.git.run(*argv).stdout.split(b"\n"):
        if line.startswith(b"@@ -"):
            _, was, now, *_ = line.split(b" ")
            sides = (side[1:].partition(b",") for side in (was, now))
            old, new = ((int(first), int(count or 1)) for first, _, count in sides)
            found.append((range(old[0], old[0] + old[1]), range(new[0], new[0] + new[1])))
    return found


def line_now(hunks: Iterable[tuple[range, range]], line: int) -> int:
    """Return the line in whose place a replaced line was; 0 if the change leaves it alone.

    For a line that was only removed, that is the line before it.
    """
    for old, new in hunks:
        if line in old:
            return new[min(line - old.start, len(new) - 1)] if new else max(new.start, 1)
    return 0


def first_difference(old: bytes, new: bytes) -> int:
    """Return the first line of *new*, from 1, that differs from *old*; the last one if only the end is missing."""
    was, now = old.split(b"\n"), new.split(b"\n")
    same = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    last = len(now) - (1 if len(now) > 1 and not now[-1] else 0)
    return min(same + 1, last)
