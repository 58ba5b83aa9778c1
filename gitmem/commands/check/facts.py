"""The facts that a change touches: those whose inputs differ between the commits, and those that it adds."""

from __future__ import annotations

from functools import cached_property
from heapq import nsmallest

from gitmem.document.builtin_checks import globs_of
from gitmem.frozen import frozen
from gitmem.index.catalog import fact_state, state
from gitmem.model import BUILTIN
from gitmem.text import parse_json
from gitmem.verify.files import CodeFiles
from gitmem.verify.overview.finding import Spot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Sequence

    from gitmem.git import Git, TreeChange
    from gitmem.index.catalog import Catalog
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.inputs import CodeTree

# The prefix of the digest of a whole tree (``verify.inputs.digest``).
WHOLE = "tree:"
# The most files named; the diff shows the rest.
NAMED = 3
# A larger file is not opened: finding the line would take too long.
FILE_LIMIT = 1024 * 1024
GONE = "D"
FILE_MODES = ("100644", "100755")


@frozen
class HeadFact:
    """A live fact on the head.

    Attributes:
        row: Its row.
        path: Its path.
        title: Its title.
    """

    row: fact_state.FactRow
    path: str
    title: str


@frozen
class TouchedFact:
    """A fact that the change touches.

    Attributes:
        fact: The fact.
        base: Its state on the base; None if the change adds it.
        head: Its state on the head.
        changed: The changed files that it reads.
    """

    fact: HeadFact
    base: fact_state.FactState | None
    head: fact_state.FactState
    changed: tuple[TreeChange, ...]

    @property
    def is_whole(self) -> bool:
        """Return whether every change touches it, since its inputs are unknown."""
        return all(at.digest.startswith(WHOLE) for at in (self.base, self.head) if at is not None)


@frozen
class TreeEffects:
    """A change's effects on the memories of the code tree.

    Attributes:
        facts: Numbers of the facts that it adds or rewords, which have no base.
        removed: Facts of the code tree that it removes.
        hidden: Facts of the memory branch that it replaces or supersedes.
    """

    facts: frozenset[int] = frozenset()
    removed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()


class Trees:
    """The code before and after a change; each is listed on first use.

    Attributes:
        git: The repository, which knows both commits.
        before: The commit before it; or the empty tree.
        changes: The differences, by path.
    """

    def __init__(self, git: Git, before: str, behind: Callable[[], str], changes: Sequence[TreeChange]) -> None:
        """Set both ends.

        Args:
            git: The repository.
            before: The commit before the change.
            behind: Returns the commit after it; called only if needed.
            changes: The differences.
        """
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


def list_facts(catalog: Catalog, keys: Collection[str]) -> list[HeadFact]:
    """Return the live facts that claim something about the code, sorted by key; all, or those with these keys."""
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s, m.path, m.title FROM fact f"
        f" JOIN memory m ON m.id = f.id WHERE {state.LIVE} AND {state.CLAIM} ORDER BY m.key"
    )
    wanted = [row for row in rows if row[1] in keys] if keys else rows
    return [HeadFact(fact_state.FactRow(*row[:8]), row[8], row[9]) for row in wanted]


def find_touched(
    facts: Sequence[HeadFact], trees: Trees, brought: Collection[int], *, catalog: Catalog, store: OpenStore
) -> list[TouchedFact]:
    """Return the facts that a change touches, by key.

    The names of the changed files exclude most built-in checks before any tree is listed, unless their own files were
    moved; the rest is decided by the digests of their inputs, like freshness.

    Args:
        facts: The facts.
        trees: The change.
        brought: Numbers of the facts that it adds.
        catalog: The catalog with the memories of the code as the change leaves them.
        store: The store, for its policy and the verdicts of this clone.
    """
    every = tuple(trees.changes)
    by_path = {change.path: change for change in every}
    files = CodeFiles((change.mode, change.oid, change.path) for change in every)
    moved = fact_state.moved_keys(catalog) | store.local.moved()
    maybe = [
        fact
        for fact in facts
        if fact.row.id in brought
        or fact.row.form != BUILTIN
        or fact.row.key in moved
        or files.match_any(globs_of(parse_json(fact.row.words)))
    ]
    if not maybe:
        return []
    from gitmem.verify.due import states_on  # as above
    from gitmem.verify.inputs import SEEN
    from gitmem.verify.overview.explain import list_changed_reads

    rows = [f.row for f in maybe]
    sides = (trees.base, trees.head)
    before, behind = (states_on(tree, catalog, store.local, rows, store.policy(), now=store.now) for tree in sides)
    found = []
    for fact, base, head in zip(maybe, before, behind, strict=True):
        if fact.row.id in brought or base.digest != head.digest:
            paths = _list_changed_paths(fact.row, base, head, files)
            if base.digest.startswith(SEEN) and base.verdict is not None:
                seen = list_changed_reads(base.verdict.reads, trees.base, trees.head, list(by_path))
                paths = [path for path in seen if path in by_path] or None
            changed = every if paths is None else tuple(by_path[path] for path in paths)
            found.append(TouchedFact(fact, None if fact.row.id in brought else base, head, changed))
    return found


def _list_changed_paths(
    row: fact_state.FactRow, base: fact_state.FactState, head: fact_state.FactState, files: CodeFiles
) -> list[str] | None:
    """Return the changed files that a fact names, where they are now, by path; None if it names none."""
    if row.form == BUILTIN:
        globs = globs_of(parse_json(row.words))
        if base.verdict is not None and base.verdict.moved:
            from gitmem.verify.moves import places_of  # as above

            globs = places_of(globs, base.verdict.moved)
        return [path for _, _, path in files.match_any(globs)]
    named: list[str] = parse_json(row.inputs)[1:]
    if not named or head.digest.startswith(WHOLE):
        return None
    entries = {entry for glob in named for entry in files.match(glob)} | set(files.attributes)
    return sorted(path for _, _, path in entries)


def spots_of(git: Git, changed: Iterable[Sequence[TreeChange]]) -> list[tuple[Spot, ...]]:
    """Return the files and their first changed lines for each list of changes; each file is read once."""
    chosen = [nsmallest(NAMED, changes, key=lambda c: (c.status == GONE, c.path)) for changes in changed]
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


def first_difference(old: bytes, new: bytes) -> int:
    """Return the first line of *new*, from 1, that differs from *old*; the last one if only the end is missing."""
    was, now = old.split(b"\n"), new.split(b"\n")
    same = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    last = len(now) - (1 if len(now) > 1 and not now[-1] else 0)
    return min(same + 1, last)
