"""The memories of the code tree before and after a change: those it adds, removes and hides."""

from __future__ import annotations

from gitmem.commands.check.facts import TreeEffects
from gitmem.document.parse import parse
from gitmem.document.spec import claim_hash, spec_hash, spec_of
from gitmem.errors import FormatError
from gitmem.index.catalog import state
from gitmem.store import code_tree, read
from gitmem.store.code_folder import CODE_FOLDER, is_home

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from gitmem.commands.check.change import StoreChange
    from gitmem.commands.check.facts import HeadFact
    from gitmem.git import Git
    from gitmem.index.catalog import Catalog
    from gitmem.policy import Policy


def find_brought(change: StoreChange, catalog: Catalog, facts: Iterable[HeadFact]) -> TreeEffects:
    """Return a change's effects on the memories of the code tree.

    A deleted fact is not judged, so a change that removes, replaces or supersedes one must be shown.
    """
    claims = _claims(change.store.git, change.store.policy(), change.trees.before)
    live = dict(catalog.rows(f"SELECT m.key, m.path FROM memory m WHERE {state.LIVE}"))
    ours = {tree_change.path for tree_change in change.trees.changes}
    shadowed = catalog.rows(
        "SELECT m.key, m.path, f.spec, f.claim FROM fact f JOIN memory m ON m.id = f.id WHERE m.shadowed = 1"
        " AND m.archived = 0"
    )
    # A memory that the change moves here unchanged from the memory branch has a base and hides nothing.
    branch = {key: (spec, claim) for key, path, spec, claim in shadowed if not is_home(path)}
    known = branch | claims
    own = {f.row.key: (f.row.spec, f.row.claim) for f in facts if is_home(f.path)}
    new = frozenset(f.row.id for f in facts if f.row.key in own and known.get(f.row.key) != own[f.row.key])
    superseded = catalog.rows(
        "SELECT m.key, s.path FROM link l JOIN memory s ON s.id = l.source JOIN memory m ON m.key = l.target"
        " JOIN fact f ON f.id = m.id WHERE l.relation = 'supersedes' AND m.superseded = 1 AND m.archived = 0"
        " AND m.shadowed = 0"
    )
    hidden = {key for key, said in branch.items() if live.get(key) in ours and own.get(key) != said}
    hidden |= {key for key, path in superseded if is_home(path) and path in ours and key not in claims}
    return TreeEffects(new, tuple(sorted(key for key in claims if key not in live)), tuple(sorted(hidden)))


def _claims(git: Git, policy: Policy, commit: str) -> dict[str, tuple[str, str]]:
    """Return specification and claim of each fact of the code tree by key."""
    tree = home_tree(git, commit)
    files = code_tree.scan_all(git, tree).files if tree else ()
    claims, how = {}, policy.verify
    for stored, content in read.read_files(git, files):
        if not isinstance(content, bytes) or stored.place.archived:
            continue
        try:
            document = parse(content, path=stored.path)
        except FormatError:
            continue
        spec = spec_of(document, setup=how.setup, default_timeout_s=how.timeout_s, folders=how.folders)
        if spec is not None:
            claims[stored.place.key] = (spec_hash(spec), claim_hash(document))
    return claims


def home_tree(git: Git, commit: str) -> str:
    """Return the tree ``.memory`` of a commit of the code; empty if there is none."""
    listed = git.run("ls-tree", "-z", "--full-tree", commit, CODE_FOLDER).stdout.split(b"\0")[0]
    mode, _, rest = listed.partition(b"\t")[0].decode("ascii").partition(" ")
    return rest.rpartition(" ")[2] if mode == "040000" else ""
