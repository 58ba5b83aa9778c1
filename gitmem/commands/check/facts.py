"""The facts that a change touches: those whose inputs differ between the commits, and those that it adds."""

from __future__ import annotations

from gitmem.document.builtin_checks import globs_of
from gitmem.frozen import frozen
from gitmem.index.catalog import fact_state, state
from gitmem.model import BUILTIN
from gitmem.text import parse_json
from gitmem.verify.code_files import CodeFiles

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from gitmem.commands.check.change import StoreChange
    from gitmem.git.git import TreeChange
    from gitmem.index.catalog import Catalog

# The prefix of the digest of a whole tree (``verify.inputs.digest``).
WHOLE = "tree:"


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
    def key(self) -> str:
        """Return the fact's key."""
        return self.fact.row.key

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


def list_facts(catalog: Catalog, keys: Collection[str]) -> list[HeadFact]:
    """Return the live facts that claim something about the code, sorted by key; all, or those with these keys."""
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s, m.path, m.title FROM fact f"
        f" JOIN memory m ON m.id = f.id WHERE {state.LIVE} AND {state.CLAIM} ORDER BY m.key"
    )
    wanted = [row for row in rows if row[1] in keys] if keys else rows
    return [HeadFact(fact_state.FactRow(*row[:8]), row[8], row[9]) for row in wanted]


def find_touched(
    facts: Sequence[HeadFact], change: StoreChange, catalog: Catalog, brought: Collection[int] = ()
) -> list[TouchedFact]:
    """Return the facts of a catalog that a change touches, by key; *brought* are the numbers of those that it adds.

    The names of the changed files exclude most built-in checks before any tree is listed, unless their own files were
    moved; the rest is decided by the digests of their inputs, like freshness.
    """
    store, trees = change.store, change.trees
    every = tuple(trees.changes)
    by_path = {change.path: change for change in every}
    files = CodeFiles((change.mode, change.oid, change.path) for change in every)
    moved = fact_state.moved_keys(catalog) | store.local.moved_keys()
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
    known = store.known_facts(catalog)
    before, behind = (states_on(known, tree, rows) for tree in sides)
    touched = []
    for fact, base, head in zip(maybe, before, behind, strict=True):
        if fact.row.id in brought or base.digest != head.digest:
            paths = _list_changed_paths(fact.row, base, head, files)
            if base.digest.startswith(SEEN) and base.verdict is not None:
                seen = list_changed_reads(base.verdict.reads, trees.base, trees.head, list(by_path))
                paths = [path for path in seen if path in by_path] or None
            changed = every if paths is None else tuple(by_path[path] for path in paths)
            touched.append(TouchedFact(fact, None if fact.row.id in brought else base, head, changed))
    return touched


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
