"""Check a change from beginning to end: what it touches, what that shows, and what is suspect because of it."""

from __future__ import annotations

from gitmem.catalog import state
from gitmem.check.judged import Judging, changed_of
from gitmem.check.places import spots_of
from gitmem.check.span import find_span
from gitmem.check.touched import Brought, Trees, find_touched, list_facts
from gitmem.frozen import frozen, replace
from gitmem.model import FAILS, HOLDS
from gitmem.store.home import is_home
from gitmem.store.scope import PROJECT
from gitmem.verify.culprit import with_culprit
from gitmem.verify.due import refresh_states
from gitmem.verify.finding import BROKEN, MENDED, STILL, SUSPECT, UNCHECKED, Finding, fact_spot, in_order
from gitmem.verify.finding import HOLDS as HELD
from gitmem.verify.standing import author

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.catalog.catalog import Catalog
    from gitmem.check.judged import Pair
    from gitmem.check.span import Span
    from gitmem.check.touched import Fact
    from gitmem.git.binary import Change
    from gitmem.opened.proofs import ProvingStore
    from gitmem.verify.session import Options, Session

# What is told with its place and its author: there is something to do about it.
TELLING = (BROKEN, UNCHECKED, STILL)


@frozen
class Checked:
    """What came of checking a change.

    Attributes:
        span: From which commit to which.
        files: How many files it changes.
        facts: How many live facts there are.
        findings: One for each fact that it touches, and for each suspect behind one that became false.
        whole: Facts that every change touches, since nothing is known of what they read.
        brought: Facts of the code tree that it brings, or makes say something else.
        removed: Facts of the code tree that it takes away.
        hidden: Facts of the memory branch that it replaces or supersedes by memories of the code tree.
        rung: The sandbox's rung that commands ran on; empty where none ran.
    """

    span: Span
    files: int = 0
    facts: int = 0
    findings: tuple[Finding, ...] = ()
    whole: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    rung: str = ""

    def of(self, *kinds: str) -> list[Finding]:
        """Return the findings of these kinds."""
        return [f for f in self.findings if f.kind in kinds]


def check(
    stores: Sequence[tuple[ProvingStore, Options]],
    *,
    base: str,
    head: str,
    default: str,
    told: Callable[[str, int, int], None],
) -> Checked:
    """Check a change against the facts of these stores; nothing is written to any branch.

    Args:
        stores: The stores whose facts are about the code, the project's first, and what is asked of each.
        base: What to compare with, as typed; empty for the default branch.
        head: The other end, as typed; empty for HEAD.
        default: The default branch, a full ref; or empty.
        told: Called with each fact as its command has run.

    Raises:
        GitmemError: There is nothing to compare with.
    """
    span = find_span(stores[0][0].git, base=base, head=head, default=default)
    if span.base == span.head:
        return Checked(span)
    parts = [_Check(store, options, span, told).run() for store, options in stores]
    if len(parts) == 1:
        return parts[0]
    return Checked(
        span,
        parts[0].files,
        sum(p.facts for p in parts),
        in_order([f for p in parts for f in p.findings]),
        tuple(k for p in parts for k in p.whole),
        tuple(k for p in parts for k in p.brought),
        tuple(k for p in parts for k in p.removed),
        tuple(k for p in parts for k in p.hidden),
        next((p.rung for p in parts if p.rung), ""),
    )


class _Check:
    """One store's facts against one change."""

    def __init__(
        self, store: ProvingStore, options: Options, span: Span, told: Callable[[str, int, int], None]
    ) -> None:
        self._store = store
        self._options = options
        self._span = span
        self._told = told
        self._is_here = store.git.read_head()[1] == span.head

    def run(self) -> Checked:
        store, span, policy = self._store, self._span, self._store.policy()
        catalog = self._at(span.head)
        trees = Trees(store.git, span.base, span.head)
        changes = store.git.diff_trees(span.base, span.head)
        facts = list_facts(catalog, self._options.keys)
        brought = self._brought(catalog, facts, changes)
        touched = find_touched(
            facts,
            changes,
            trees,
            brought.facts,
            catalog=catalog,
            local=store.local,
            policy=policy,
            now=store.now,
        )
        judging = Judging(store.git, catalog, policy, self._session, span, now=store.now, told=self._told)
        pairs = judging.judge(touched, trees)
        pairs = [self._blamed(catalog, pair) for pair in pairs]
        findings = self._findings(catalog, trees, pairs)
        has_own = any(is_home(change.path) for change in changes)
        findings += self._suspects(catalog, trees, findings, has_own=has_own)
        self._keep(pairs)
        if self._options.keys:  # somebody asks for these facts, and not what becomes of the others
            brought = replace(brought, removed=(), hidden=())
        new = tuple(t.fact.row.key for t in touched if t.base is None)
        whole = tuple(t.fact.row.key for t in touched if t.is_whole)
        return Checked(
            span,
            len(changes),
            len(facts),
            in_order(findings),
            whole,
            new,
            brought.removed,
            brought.hidden,
            judging.rung,
        )

    def _brought(self, catalog: Catalog, facts: Sequence[Fact], changes: Sequence[Change]) -> Brought:
        if self._store.store.scope != PROJECT or not any(is_home(change.path) for change in changes):
            return Brought()
        from gitmem.check.home import find_brought  # parsing: 10 ms, and only where the code has memories

        return find_brought(
            self._store.git, catalog, self._store.policy(), facts, base=self._span.base, changes=changes
        )

    def _session(self) -> Session:
        return self._store.session(self._options)

    def _at(self, commit: str) -> Catalog:
        """Return the catalog with the memories of the code as a commit has them."""
        store, have = self._store, self._store.catalog()
        if store.store.scope != PROJECT or commit == store.git.read_head()[1]:
            return have
        from gitmem.check.home import home_tree
        from gitmem.search.refresh import beside

        tree = home_tree(store.git, commit)
        return have if tree == store.tree() else beside(store.git, have, store.find_tip() or "", tree)

    def _blamed(self, catalog: Catalog, pair: Pair) -> Pair:
        """Return a fact that was false before and still is with the culprit that was found for it."""
        base, head = pair.base, pair.head
        if base is None or base.outcome != FAILS or not head.is_new or head.verdict is None:
            return pair
        verdict = with_culprit(head.verdict, self._store.git, catalog, self._store.local)
        return replace(pair, head=replace(head, verdict=verdict))

    def _findings(self, catalog: Catalog, trees: Trees, pairs: Sequence[Pair]) -> list[Finding]:
        git = self._store.git
        judged = [(pair, *_judgement(pair)) for pair in pairs]
        asked = [pair for pair, kind, _ in judged if kind in TELLING]
        keys = (pair.touched.fact.row.key for pair in asked)
        spots = dict(zip(keys, spots_of(git, (changed_of(pair, trees) for pair in asked)), strict=True))
        found = []
        for pair, kind, because in judged:
            fact, verdict = pair.touched.fact, pair.head.verdict or (pair.base.verdict if pair.base else None)
            found.append(
                Finding(
                    fact.row.key,
                    fact.title,
                    kind,
                    because,
                    author(catalog, fact.row.id) if kind in TELLING else "",
                    fact_spot(git, self._span.head, fact.path) if kind in TELLING else None,
                    spots.get(fact.row.key, ()),
                    fact.path,
                    is_new=pair.base is None,
                    culprit=verdict.culprit if verdict is not None and kind == STILL else "",
                    culprit_after=verdict.culprit_after if verdict is not None and kind == STILL else "",
                    seconds=pair.head.seconds,
                )
            )
        return found

    def _suspects(self, catalog: Catalog, trees: Trees, found: Sequence[Finding], *, has_own: bool) -> list[Finding]:
        """Return what rests on facts that become false, and what is suspect only by what the change says itself.

        Args:
            catalog: The catalog with the memories of the code as the head has them.
            trees: The code of both commits.
            found: What came of the touched facts.
            has_own: Whether the change touches memories of the code, and so what rests on what.
        """
        store, broken = self._store, {f.key for f in found if f.kind == BROKEN}
        behind = state.chains(catalog, broken)
        if not behind and not has_own:
            return []
        ground = refresh_states(
            catalog, store.git, store.local, self._span.head, store.policy(), now=store.now, tree=trees.head
        )
        touched = {f.key for f in found}
        failing = {key for key in state.failed(catalog, ground) if key not in touched}
        failing |= {f.key for f in found if f.kind == STILL}
        graph = self._at(self._span.base) if has_own else catalog
        already = state.chains(graph, failing | {f.key for f in found if f.kind == MENDED})
        own = state.chains(catalog, failing) if has_own else {}
        chains = {key: chain for key, chain in own.items() if key not in already} | behind
        places = {f.key: f.places for f in found}
        rows = catalog.each(
            f"SELECT m.id, m.key, m.title, m.path FROM memory m WHERE {state.LIVE} AND m.key IN ({{}})",
            chains.keys() - failing - broken,
        )
        return [
            Finding(
                key,
                title,
                SUSPECT,
                f"rests on {' → '.join(chains[key])}",
                author(catalog, number),
                fact_spot(store.git, self._span.head, path),
                places.get(chains[key][-1], ()),
                path,
                chain=chains[key],
                is_new=key not in already,
            )
            for number, key, title, path in rows
        ]

    def _keep(self, pairs: Iterable[Pair]) -> None:
        """Keep verdicts of commands in this clone, as ``verify`` does on a branch; none of a commit not checked out."""
        if self._is_here:
            answers = (answer for pair in pairs for answer in (pair.base, pair.head) if answer is not None)
            verdicts = [a.verdict for a in answers if a.is_new and a.verdict is not None]
            if verdicts:
                self._store.local.add_verdicts(verdicts)


def _judgement(pair: Pair) -> tuple[str, str]:
    """Return what came of a fact, and why."""
    base, head = pair.base, pair.head
    if head.outcome not in (HOLDS, FAILS):
        return UNCHECKED, head.because
    if head.outcome == HOLDS:
        return (MENDED if base is not None and base.outcome == FAILS else HELD), ""
    if base is None or base.outcome == HOLDS:
        return BROKEN, head.because
    if base.outcome == FAILS:
        return STILL, head.because
    return UNCHECKED, f"it fails ({head.because}), and it is not known whether it held before: {base.because}"
