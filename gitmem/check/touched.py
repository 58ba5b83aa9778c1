"""Which facts a change touches: those whose inputs differ between the two commits, and those that it brings itself."""

from __future__ import annotations

import json

from gitmem.catalog import state
from gitmem.document.parse import parse
from gitmem.document.spec import claim_hash, spec_hash, spec_of
from gitmem.errors import FormatError
from gitmem.frozen import frozen
from gitmem.model import BUILTIN
from gitmem.store import homeread, read
from gitmem.store.home import FOLDER, is_home
from gitmem.verify.due import states_on
from gitmem.verify.inputs import CodeTree, Files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from gitmem.catalog.catalog import Catalog
    from gitmem.git.binary import Change, Git
    from gitmem.policy import Policy
    from gitmem.store.local import LocalState

# What the digest of a whole tree begins with (``verify.inputs.digest``).
WHOLE = "tree:"


@frozen
class Fact:
    """A live fact as it stands on the head.

    Attributes:
        row: Its row.
        path: Where it lies.
        title: Its title.
    """

    row: state.FactRow
    path: str
    title: str


@frozen
class Touched:
    """A fact that the change touches.

    Attributes:
        fact: The fact.
        base: Its state on the base; None where the change itself brings it.
        head: Its state on the head.
        changed: The changed files that it reads.
    """

    fact: Fact
    base: state.State | None
    head: state.State
    changed: tuple[Change, ...]

    @property
    def is_whole(self) -> bool:
        """Tell whether every change touches it, since nothing is known of what it reads."""
        return self.head.digest.startswith(WHOLE)


@frozen
class Home:
    """The memories of the code tree on the base, to be compared with those on the head.

    Attributes:
        claims: Specification and claim of each fact by key.
        is_same: Whether the head has the very same memories.
    """

    claims: Mapping[str, tuple[str, str]]
    is_same: bool = False

    def has(self, row: state.FactRow) -> bool:
        """Tell whether the base has this very fact."""
        return self.is_same or self.claims.get(row.key) == (row.spec, row.claim)


class Trees:
    """The code of both commits; each is listed when it is first asked for."""

    def __init__(self, git: Git, base: str, head: str) -> None:
        self._git = git
        self._commits = (base, head)
        self._found: dict[int, CodeTree] = {}

    def _tree(self, which: int) -> CodeTree:
        if which not in self._found:
            self._found[which] = CodeTree(self._git, self._commits[which])
        return self._found[which]

    @property
    def base(self) -> CodeTree:
        """Return the code before the change."""
        return self._tree(0)

    @property
    def head(self) -> CodeTree:
        """Return the code behind it."""
        return self._tree(1)


def list_facts(catalog: Catalog, keys: Collection[str]) -> list[Fact]:
    """Return the live facts that claim something about the code, by key: of these keys, or all."""
    rows = catalog.rows(
        "SELECT f.id, m.key, f.spec, f.claim, f.form, f.words, f.inputs, f.ttl_s, m.path, m.title FROM fact f"
        f" JOIN memory m ON m.id = f.id WHERE {state.LIVE} AND {state.CLAIM} ORDER BY m.key"
    )
    wanted = [row for row in rows if row[1] in keys] if keys else rows
    return [Fact(state.FactRow(*row[:8]), row[8], row[9]) for row in wanted]


def find_touched(
    facts: Sequence[Fact],
    changes: Sequence[Change],
    trees: Trees,
    home: Home,
    *,
    catalog: Catalog,
    local: LocalState,
    policy: Policy,
    now: int,
) -> list[Touched]:
    """Return the facts that the change touches, by key.

    The names of the changed files leave out most built-in checks before any tree is listed; what is left is decided
    by the digests of its inputs, as freshness is everywhere.
    """
    by_path = {change.path: change for change in changes}
    files = Files((change.mode, change.oid, change.path) for change in changes)
    brought = {f.row.id for f in facts if is_home(f.path) and not home.has(f.row)}
    maybe = [f for f in facts if f.row.id in brought or f.row.form != BUILTIN or files.matched(_glob(f.row))]
    if not maybe:
        return []
    rows = [f.row for f in maybe]
    before = states_on(trees.base, catalog, local, rows, policy, now=now)
    behind = states_on(trees.head, catalog, local, rows, policy, now=now)
    found = []
    for fact, base, head in zip(maybe, before, behind, strict=True):
        if fact.row.id in brought or base.digest != head.digest:
            paths = sorted(by_path) if head.digest.startswith(WHOLE) else _changed_paths(fact.row, files)
            changed = tuple(by_path[path] for path in paths)
            found.append(Touched(fact, None if fact.row.id in brought else base, head, changed))
    return found


def _glob(row: state.FactRow) -> str:
    """Return what a built-in check reads."""
    words: list[str] = json.loads(row.words)
    return words[1] if words[0] in ("exists", "absent") else words[2]


def _changed_paths(row: state.FactRow, files: Files) -> list[str]:
    """Return the changed files that a fact reads, by path."""
    if row.form == BUILTIN:
        return [path for _, _, path in files.matched(_glob(row))]
    globs: list[str] = json.loads(row.inputs)[1:]
    entries = {entry for glob in globs for entry in files.matched(glob)} | set(files.attributes)
    return sorted(path for _, _, path in entries)


def read_home(git: Git, policy: Policy, base: str, head: str) -> Home:
    """Return the facts of the code tree on the base; where the head has the very same tree, none of them matters."""
    tree = home_tree(git, base)
    if not tree or tree == home_tree(git, head):
        return Home({}, is_same=True) if tree else Home({})
    claims = {}
    for stored, content in read.read_files(git, homeread.scan_all(git, tree).files):
        if not isinstance(content, bytes) or stored.place.archived:
            continue
        try:
            document = parse(content, path=stored.path)
        except FormatError:
            continue
        spec = spec_of(document, setup=policy.verify.setup, default_timeout_s=policy.verify.timeout_s)
        if spec is not None:
            claims[stored.place.key] = (spec_hash(spec), claim_hash(document))
    return Home(claims)


def list_hidden(catalog: Catalog, home: Home, changes: Iterable[Change]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the facts of the code tree that the change takes away, and those of the memory branch that it hides.

    Nobody judges what is not there: a change that removes, replaces or supersedes a fact must not do so unseen.
    """
    live = dict(catalog.rows(f"SELECT m.key, m.path FROM memory m WHERE {state.LIVE}"))
    ours = {change.path for change in changes if is_home(change.path)}
    if not ours:
        return (), ()
    shadowed = catalog.rows(
        "SELECT m.key, m.path FROM fact f JOIN memory m ON m.id = f.id WHERE m.shadowed = 1 AND m.archived = 0"
    )
    superseded = catalog.rows(
        "SELECT m.key, s.path FROM link l JOIN memory s ON s.id = l.source JOIN memory m ON m.key = l.target"
        " JOIN fact f ON f.id = m.id WHERE l.relation = 'supersedes' AND m.superseded = 1 AND m.archived = 0"
        " AND m.shadowed = 0"
    )
    hidden = {key for key, path in shadowed if not is_home(path) and live.get(key) in ours}
    hidden |= {key for key, path in superseded if path in ours and key not in home.claims}
    return tuple(sorted(key for key in home.claims if key not in live)), tuple(sorted(hidden))


def home_tree(git: Git, commit: str) -> str:
    """Return the tree ``.memory`` of a commit of the code; empty where there is none."""
    listed = git.run("ls-tree", "-z", "--full-tree", commit, FOLDER).stdout.split(b"\0")[0]
    mode, _, rest = listed.partition(b"\t")[0].decode("ascii").partition(" ")
    return rest.rpartition(" ")[2] if mode == "040000" else ""
