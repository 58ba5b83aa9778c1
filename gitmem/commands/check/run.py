"""Check a change: find the facts it touches, judge them, and find the memories that become suspect."""

from __future__ import annotations

from functools import cached_property
from types import MappingProxyType

from gitmem.commands.check.branch_memory import (
    conflicts_of,
    find_changed,
    find_settled,
    is_by_branch,
    list_settled,
)
from gitmem.commands.check.change import ChangeSpan, StoreChange, Trees, find_span
from gitmem.commands.check.edits import look_at_edits
from gitmem.commands.check.facts import TreeEffects, find_touched, list_facts
from gitmem.commands.check.staged_files import StagedFiles
from gitmem.errors import ProcessError
from gitmem.frozen import frozen, replace
from gitmem.model import BUILTIN
from gitmem.store.code_folder import is_home
from gitmem.store.scopes import PROJECT
from gitmem.verify.overview.finding import (
    BROKEN,
    NOTHING_TO_REVIEW,
    SILENCED,
    STILL,
    SUSPECT,
    ChangeReview,
    FactFinding,
    in_order,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from gitmem.commands.check.base_programs import BaseAnswer, ProgramEdits
    from gitmem.commands.check.facts import HeadFact, TouchedFact
    from gitmem.commands.check.outcome import Outcome
    from gitmem.index.catalog import Catalog
    from gitmem.repository.branch_memory import BranchMemory, SettledFact
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.options import Options


NONE_ANSWERED: Mapping[str, BaseAnswer] = MappingProxyType({})


@frozen
class CheckResult:
    """The result of checking a change.

    Attributes:
        span: The commits of the change; staged changes have no end commit.
        files: The number of changed files.
        facts: The number of live facts, including those of the base that the change removes from the check.
        findings: One for each touched fact, and for each suspect that depends on one that became false.
        whole: Facts that every change touches, since their inputs are unknown.
        brought: Facts of the code tree that it adds or rewords.
        removed: Facts of the code tree that it removes.
        hidden: Facts of the memory branch that it replaces or supersedes by memories of the code tree.
        untouched: Facts of the base that it hides, removes, supersedes or weakens without touching their inputs, each
            with how it does so.
        rung: The sandbox's rung that commands ran on; empty if none ran.
        review: Further findings for reviewers.
        has_memories: Whether it changes memories of the code tree.
        branch: The memory that comes with the change, or None.
    """

    span: ChangeSpan
    files: int = 0
    facts: int = 0
    findings: tuple[FactFinding, ...] = ()
    whole: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    hidden: tuple[str, ...] = ()
    untouched: tuple[tuple[str, str], ...] = ()
    rung: str = ""
    review: ChangeReview = NOTHING_TO_REVIEW
    has_memories: bool = False
    branch: BranchMemory | None = None

    def of(self, *kinds: str) -> list[FactFinding]:
        """Return the findings of these kinds."""
        return [f for f in self.findings if f.kind in kinds]


def check(
    stores: Sequence[tuple[OpenStore, Options]],
    *,
    base: str,
    head: str,
    default: str,
    branch: BranchMemory | None = None,
    progress: Callable[[str, int, int], None],
) -> CheckResult:
    """Check a change against the facts of these stores; nothing is written to any branch.

    If nothing is committed and nothing else was requested, the uncommitted changes are checked.

    Args:
        stores: The stores whose facts are about the code, the project's first, with the options for each.
        base: The commit to compare with, as typed; empty for the default branch.
        head: The other end, as typed; empty for HEAD.
        default: The default branch, a full ref; or empty.
        branch: The memory that comes with the change, if any.
        progress: Called with each fact as its command has run.

    Raises:
        GitmemError: There is nothing to compare with.
    """
    git = stores[0][0].git
    span = find_span(git, base=base, head=head, default=default)
    if span.base == span.head:
        return (None if base or head else _check_work_tree(stores, span, branch, progress)) or CheckResult(span)
    trees = Trees(git, span.base, lambda: span.head, git.diff_trees(span.base, span.head))
    result = _check_stores(stores, span, trees, branch, progress)
    if stores[0][1].keys:
        return result
    edits = tuple(look_at_edits(trees, stores[0][1].approved))
    return replace(result, review=replace(result.review, edits=edits))


def _check_work_tree(
    stores: Sequence[tuple[OpenStore, Options]],
    span: ChangeSpan,
    branch: BranchMemory | None,
    progress: Callable[[str, int, int], None],
) -> CheckResult | None:
    """Check the work tree against HEAD; None if they are equal, or the work tree cannot be judged."""
    from gitmem.verify.ground.dirty import snapshot  # temporary folders: only if nothing is committed

    git = stores[0][0].git
    if git.repository.top is None or git.read_head()[1] != span.head:
        return None
    try:
        with snapshot(git) as work_tree:
            trees = Trees(
                work_tree.git,
                span.head,
                lambda: work_tree.commit,
                work_tree.git.diff_trees(span.head, work_tree.commit),
            )
            if not trees.changes:
                return None
            note = f"nothing is committed since {span.against}: the uncommitted changes of the work tree were checked"
            dirty = ChangeSpan(span.head, "", "HEAD", "; ".join((note, *work_tree.notices)), is_dirty=True)
            return _check_stores(stores, dirty, trees, branch, progress)
    except ProcessError:
        return None  # git cannot read the index


def check_staged(
    stores: Sequence[tuple[OpenStore, Options]],
    *,
    branch: BranchMemory | None = None,
    progress: Callable[[str, int, int], None],
) -> CheckResult:
    """Check the staged changes, like ``check``; during a merge, only what none of its sides has made false.

    Raises:
        GitmemError: A merge is not finished.
    """
    with StagedFiles(stores[0][0].git) as index:
        span = ChangeSpan(index.trees.before, "", "HEAD")
        result = _check_stores(stores, span, index.trees, branch, progress)
        for trees in index.against_merged() if result.of(BROKEN) else ():
            keys = tuple(f.key for f in result.of(BROKEN))
            narrowed = [(store, replace(options, keys=keys)) for store, options in stores]
            others = _check_stores(narrowed, span, trees, branch, progress)
            result = _drop_old(result, {f.key for f in others.of(BROKEN)}, trees.before)
    return result


def _drop_old(found: CheckResult, ours: Collection[str], other: str) -> CheckResult:
    """Return the findings without those that the merged commit has already."""
    findings = []
    for finding in found.findings:
        root = finding.key if finding.kind in (BROKEN, SILENCED) else finding.chain[-1] if finding.chain else ""
        if finding.kind == BROKEN and root not in ours:
            because = f"{finding.because}; the same is true on {other[:12]}, which is merged"
            findings.append(replace(finding, kind=STILL, because=because))
        elif finding.kind not in (SILENCED, SUSPECT) or root in ours:
            findings.append(finding)
    return replace(found, findings=in_order(findings))


def _check_stores(
    stores: Sequence[tuple[OpenStore, Options]],
    span: ChangeSpan,
    trees: Trees,
    branch: BranchMemory | None,
    progress: Callable[[str, int, int], None],
) -> CheckResult:
    """Check a change against the facts of each store, and combine the results."""
    parts = [_Check(StoreChange(*store, span, trees, progress), branch).run() for store in stores]
    return CheckResult(
        span,
        len(trees.changes),
        sum(p.facts for p in parts),
        in_order([f for p in parts for f in p.findings]),
        whole=tuple(k for p in parts for k in p.whole),
        brought=tuple(k for p in parts for k in p.brought),
        removed=tuple(k for p in parts for k in p.removed),
        hidden=tuple(k for p in parts for k in p.hidden),
        untouched=tuple(pair for p in parts for pair in p.untouched),
        rung=next((p.rung for p in parts if p.rung), ""),
        review=ChangeReview(programs=tuple(program for p in parts for program in p.review.programs)),
        has_memories=any(p.has_memories for p in parts),
        branch=next((p.branch for p in parts if p.branch), None),
    )


@frozen
class _Judged:
    """The outcome for one store's facts.

    Attributes:
        findings: The findings for the facts that the change touches.
        untouched: Further silenced facts.
        gone: The number of facts of the base that the head no longer has.
        rung: The sandbox's rung that commands ran on.
        base_answers: The checks' answers with the base's version of the files they run, by key.
        settled: The facts resolved by the memory that comes with the change.
    """

    findings: Sequence[FactFinding]
    untouched: tuple[tuple[str, str], ...] = ()
    gone: int = 0
    rung: str = ""
    base_answers: Mapping[str, BaseAnswer] = NONE_ANSWERED
    settled: tuple[SettledFact, ...] = ()


class _Check:
    """One store's facts against one change."""

    def __init__(self, change: StoreChange, branch: BranchMemory | None) -> None:
        self._change, self._store, self._span, self._trees = change, change.store, change.span, change.trees
        self._keys = change.options.keys
        is_project = self._store.store.scope == PROJECT
        self._branch = branch if is_project else None
        self._has_files = is_project and any(is_home(change.path) for change in self._trees.changes)
        self._has_own = self._has_files or self._branch is not None

    def run(self) -> CheckResult:
        trees = self._trees
        if not self._has_own and not self._store.has_store():
            return CheckResult(self._span, len(trees.changes))
        catalog = self._catalog_after()
        facts = list_facts(catalog, self._keys)
        brought = self._find_effects(catalog, facts)
        touched = find_touched(facts, self._change, catalog, brought.facts)
        edits = self._find_edits(facts, brought)
        judged = self._judge_touched(catalog, touched, facts, edits) if touched or self._has_own else _Judged([])
        if self._keys:  # these facts were requested by key, so others that become suspect are left out
            brought = replace(brought, removed=(), hidden=())
        return CheckResult(
            self._span,
            len(trees.changes),
            len(facts) + judged.gone,
            in_order(judged.findings),
            whole=tuple(t.key for t in touched if t.is_whole),
            brought=tuple(t.key for t in touched if t.base is None and is_home(t.fact.path)),
            removed=brought.removed,
            hidden=brought.hidden,
            untouched=judged.untouched,
            rung=judged.rung,
            review=self._review_programs(edits, judged),
            has_memories=self._has_files,
            branch=self._with_branch(catalog, judged),
        )

    def _review_programs(self, edits: ProgramEdits, judged: _Judged) -> ChangeReview:
        if not edits:
            return NOTHING_TO_REVIEW
        from gitmem.commands.check.base_programs import list_program_findings

        return ChangeReview(programs=tuple(list_program_findings(edits, judged.base_answers)))

    def _find_edits(self, facts: Sequence[HeadFact], brought: TreeEffects) -> ProgramEdits:
        """Return the edited files that checks run; none for an author who is about to commit."""
        if self._span.is_staged or all(fact.row.form == BUILTIN for fact in facts):
            return {}
        from gitmem.commands.check.base_programs import find_program_edits  # shlex: 3 ms, only for commands

        setup = self._store.policy().verify.setup
        return find_program_edits(facts, self._trees, setup=setup, brought=brought.facts)

    def _with_branch(self, catalog: Catalog, judged: _Judged) -> BranchMemory | None:
        """Return the memory that comes with the change, with what it resolves and its conflicts."""
        if self._branch is None:
            return None
        to_settle = conflicts_of(catalog, self._branch.changed)
        return replace(self._branch, settled=judged.settled, to_settle=to_settle)

    def _judge_touched(
        self, catalog: Catalog, touched: Sequence[TouchedFact], facts: Sequence[HeadFact], edits: ProgramEdits
    ) -> _Judged:
        # The judge takes 15 ms (measured), and most commits touch no fact.
        from gitmem.commands.check.outcome import Outcome

        outcome = Outcome(self._change, catalog)
        findings = outcome.find(touched, self._catalog_before if self._has_own else None, edits=edits)
        judged = _Judged(findings, rung=outcome.rung, base_answers=outcome.base_answers)
        if not self._has_own:
            return judged
        return self._with_silenced(judged, Outcome(self._change, self._catalog_before), catalog, facts)

    def _with_silenced(self, judged: _Judged, base: Outcome, catalog: Catalog, facts: Sequence[HeadFact]) -> _Judged:
        """Return what was judged, with the base's facts that the change's own memories silence."""
        from gitmem.commands.check.change import spots_of
        from gitmem.commands.check.silence import find_silenced, is_revised, live_keys, with_silenced

        before, findings = self._catalog_before, judged.findings
        silenced = find_silenced(before, catalog, facts, self._keys)
        if self._span.is_staged:
            silenced = [silenced_fact for silenced_fact in silenced if not is_revised(silenced_fact, findings)]
        settled = find_settled(silenced, findings) if self._branch is not None else {}
        silenced = [silenced_fact for silenced_fact in silenced if silenced_fact.key not in settled]
        touched = find_touched([silenced.fact for silenced in settled.values()], self._change, before)
        was = list_settled(settled, base.find(touched, None)) if touched else ()
        lost = find_touched([silenced_fact.fact for silenced_fact in silenced], self._change, before)
        again = base.find(lost, None, broken={f.key for f in findings if f.kind == BROKEN})
        spots = spots_of(self._trees.git, (t.changed for t in lost))
        places = dict(zip((t.key for t in lost), spots, strict=True))
        live = {fact.row.key for fact in facts}
        return replace(
            judged,
            findings=with_silenced(findings, again, silenced, places=places, live=live_keys(catalog)),
            untouched=tuple(
                (silenced_fact.key, silenced_fact.how)
                for silenced_fact in silenced
                if silenced_fact.key not in places and not is_by_branch(silenced_fact)
            ),
            gone=sum(silenced_fact.key not in live for silenced_fact in silenced),
            rung=judged.rung or base.rung,
            settled=was,
        )

    def _find_effects(self, catalog: Catalog, facts: Sequence[HeadFact]) -> TreeEffects:
        if not self._has_own:
            return TreeEffects()
        # Parsing takes 10 ms: only if the code has memories.
        from gitmem.commands.check.code_tree_changes import find_brought

        brought = find_brought(self._change, catalog, facts)
        changed = find_changed(self._catalog_before, facts) if self._branch is not None else frozenset()
        return replace(brought, facts=brought.facts | changed)

    @cached_property
    def _catalog_before(self) -> Catalog:
        """Return the catalog of the memory branch with the memories of the code before the change."""
        return self._catalog_at(self._trees.before)

    def _catalog_after(self) -> Catalog:
        """Return the catalog with the memories of the code after the change."""
        if self._span.is_staged and not self._has_own:
            return self._store.catalog()  # they are HEAD's
        return self._catalog_at(self._trees.behind, self._branch.top if self._branch is not None else "")

    def _catalog_at(self, commit: str, memory_commit: str = "") -> Catalog:
        """Return the catalog with the memories of the code at a commit, and the store's at a given state."""
        store, git = self._store, self._trees.git
        have = store.catalog() if store.has_store() else store.catalog_at(None)
        if store.store.scope != PROJECT or (commit == store.git.read_head()[1] and not memory_commit):
            return have
        from gitmem.commands.check.code_tree_changes import home_tree
        from gitmem.index.refresh import beside

        tree = home_tree(git, commit)
        is_same = tree == store.tree() and not memory_commit
        return have if is_same else beside(git, have, memory_commit or store.find_tip() or "", tree)
