"""The result of checking a change: findings with places and authors, and the memories that become suspect."""

from __future__ import annotations

from gitmem.commands.check.base_programs import describe_only_new, judge_with_base
from gitmem.commands.check.change import line_now, read_hunks, spots_of
from gitmem.commands.check.document_lines import DocumentLines
from gitmem.commands.check.judge import ChangeJudge, FactAnswer, list_changes
from gitmem.frozen import replace
from gitmem.index.catalog import state
from gitmem.model import FAILS, HOLDS, UNPROVEN
from gitmem.statuses import describe_chain
from gitmem.verify.blame.culprit import with_culprit
from gitmem.verify.claims import findings_of, path_of
from gitmem.verify.due import refresh_states, states_on
from gitmem.verify.options import WrongClaim
from gitmem.verify.overview.finding import (
    BROKEN,
    MENDED,
    OUTDATED,
    OUTSIDE,
    RETIRED,
    STILL,
    SUSPECT,
    UNCHECKED,
    FactFinding,
    Spot,
    fact_spot,
)
from gitmem.verify.overview.finding import HOLDS as HELD
from gitmem.verify.overview.stock import author

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from gitmem.commands.check.base_programs import BaseAnswer, ProgramEdits
    from gitmem.commands.check.change import StoreChange, Trees
    from gitmem.commands.check.facts import TouchedFact
    from gitmem.commands.check.judge import AnswerPair
    from gitmem.document.answers import BuiltinAnswer
    from gitmem.index.catalog import Catalog
    from gitmem.verify.overview.finding import StatedLine

NO_EDITS: ProgramEdits = {}
# The findings shown with place and author: those that need action.
TELLING = (BROKEN, UNCHECKED, STILL, OUTSIDE)


class Outcome:
    """The outcome for one store's facts.

    Attributes:
        rung: The sandbox's rung that commands ran on; empty if none ran.
        base_answers: The checks' answers with the base's version of the files they run, by key.
    """

    def __init__(self, change: StoreChange, catalog: Catalog) -> None:
        """Prepare to judge; the catalog has the memories of the code as the change leaves them."""
        self._change, self._store, self._trees = change, change.store, change.trees
        self._catalog = catalog
        self.rung = ""
        self.base_answers: dict[str, BaseAnswer] = {}
        self._hunks: dict[str, list[tuple[range, range]]] = {}

    def find(
        self,
        touched: Sequence[TouchedFact],
        before: Catalog | None,
        *,
        broken: Collection[str] = (),
        edits: ProgramEdits = NO_EDITS,
    ) -> list[FactFinding]:
        """Return one finding for each touched fact, and for each suspect that depends on one that became false.

        Args:
            touched: The facts.
            before: The catalog with the memories of the code before the change; None if it touches none.
            broken: Facts that are known to become false and already have findings.
            edits: The edited files that their checks run, by key.
        """
        judging = ChangeJudge(self._change, self._catalog)
        pairs = [self._with_culprit(pair) for pair in judging.judge(touched)]
        self.rung = judging.rung
        self._store_verdicts(pairs)
        counted = self._with_base_programs(pairs, edits) if edits else pairs
        findings = self._make_findings(counted)
        findings += self._find_suspects(findings, before, broken)
        return findings + self._find_wrong(pairs)

    def _with_base_programs(self, pairs: Sequence[AnswerPair], edits: ProgramEdits) -> list[AnswerPair]:
        """Return the answers, with facts as false that hold only with the change's version of the files they run."""

        def answers(mixed: Trees, asked: Sequence[AnswerPair]) -> dict[str, FactAnswer]:
            store, rows = self._store, [pair.touched.fact.row for pair in asked]
            states = states_on(store.known_facts(self._catalog), mixed.head, rows)
            pairs = [
                replace(pair, touched=replace(pair.touched, head=at)) for pair, at in zip(asked, states, strict=True)
            ]
            return ChangeJudge(replace(self._change, trees=mixed), self._catalog).judge_again(pairs)

        self.base_answers = judge_with_base(pairs, edits, self._trees, answers)
        return [self._count_base(pair, edits) for pair in pairs]

    def _count_base(self, pair: AnswerPair, edits: ProgramEdits) -> AnswerPair:
        answer = self.base_answers.get(pair.key)
        if answer is None or not answer.only_new:
            return pair
        return replace(pair, head=FactAnswer(FAILS, describe_only_new(answer, edits[pair.key])))

    def _with_culprit(self, pair: AnswerPair) -> AnswerPair:
        """Return a fact that was already false, with the culprit that was found for it."""
        base, head = pair.base, pair.head
        if base is None or base.outcome != FAILS or not head.is_new or head.verdict is None:
            return pair
        verdict = with_culprit(head.verdict, self._trees.git, self._catalog, self._store.local)
        return replace(pair, head=replace(head, verdict=verdict))

    def _make_findings(self, pairs: Sequence[AnswerPair]) -> list[FactFinding]:
        trees, git = self._trees, self._trees.git
        judged = [(pair, *_judgement(pair)) for pair in pairs]
        telling = [pair for pair, kind, _ in judged if kind in TELLING]
        places = spots_of(git, (list_changes(pair, trees) for pair in telling))
        spots = dict(zip((pair.key for pair in telling), places, strict=True))
        looser = self._find_looser([pair for pair, kind, _ in judged if kind == BROKEN and pair.base is not None])
        documents = DocumentLines(self._catalog, self._store.policy(), trees)
        findings = []
        for pair, judgement, reason in judged:
            kind, because = _with_documents(pair, judgement, reason, documents)
            stated: tuple[StatedLine, ...] = ()
            if kind == BROKEN:
                spots[pair.key] = self._with_line(pair, spots[pair.key], documents)
                stated = documents.find(pair, spots[pair.key])
                if offer := looser.get(pair.key):
                    because = f"{because}; {offer}"
            elif kind == HELD and (stated := documents.find_outdated(pair)):
                kind = OUTDATED
            fact, verdict = pair.touched.fact, pair.head.verdict or (pair.base.verdict if pair.base else None)
            culprit = (verdict.culprit, verdict.culprit_after) if verdict is not None and kind == STILL else ("", "")
            findings.append(
                FactFinding(
                    pair.key,
                    fact.title,
                    kind,
                    because,
                    by=author(self._catalog, fact.row.id) if kind in TELLING else "",
                    fact=fact_spot(git, trees.behind, fact.path) if kind in TELLING else None,
                    places=spots.get(pair.key, ()),
                    path=fact.path,
                    is_new=pair.base is None,
                    culprit=culprit[0],
                    culprit_after=culprit[1],
                    seconds=pair.head.seconds,
                    moved=pair.head.moved if pair.base is not None and not pair.base.moved else "",
                    stated=stated,
                )
            )
        return findings

    def _with_line(self, pair: AnswerPair, spots: tuple[Spot, ...], documents: DocumentLines) -> tuple[Spot, ...]:
        """Return the places of a fact that becomes false, first the line on which its check depends.

        That is the line which the check finds now, or the one that held it and is gone.
        """
        changed = {spot.path for spot in spots if spot.line}  # a deleted file has no lines
        spot = _parse_place(documents.answer(pair, self._trees.head))
        if spot is None and pair.base is not None:
            was = _parse_place(documents.answer(pair, self._trees.base))
            if was is not None and was.path in changed:
                if was.path not in self._hunks:
                    self._hunks[was.path] = read_hunks(self._trees, was.path)
                line = line_now(self._hunks[was.path], was.line)
                spot = Spot(was.path, line) if line else None
        if spot is None or spot.path not in changed:
            return spots
        return (spot, *(other for other in spots if other.path != spot.path))

    def _find_looser(self, broken: Sequence[AnswerPair]) -> dict[str, str]:
        """Return looser checks that hold for facts, by key; none when a person waits to commit."""
        if not broken or self._change.span.is_staged:
            return {}
        from gitmem.commands.check.looser_check import find_looser  # patterns, only if a fact becomes false

        return find_looser(broken, self._trees)

    def _find_suspects(
        self, findings: Sequence[FactFinding], before: Catalog | None, broken: Collection[str]
    ) -> list[FactFinding]:
        """Return the dependents of facts that become false, and those that are suspect only by the change's own claims.

        *before* is the catalog before the change, if that touches memories of the code; *broken* are further facts that
        become false.
        """
        store, trees, catalog = self._store, self._trees, self._catalog
        broken = {f.key for f in findings if f.kind == BROKEN}.union(broken)
        behind = state.chains(catalog, broken)
        if not behind and before is None:
            return []
        # Untouched facts have the same status at both ends; the index is not a commit with stored statuses.
        tree = trees.base if self._change.span.is_staged else trees.head
        ground = refresh_states(store.known_facts(catalog), trees.git, tree.commit, tree)
        touched = {f.key for f in findings}
        failing = {key for key in state.list_failed(catalog, ground) if key not in touched}
        failing |= {f.key for f in findings if f.kind in (STILL, OUTSIDE)}
        already = state.chains(before or catalog, failing | {f.key for f in findings if f.kind == MENDED})
        own = state.chains(catalog, failing) if before is not None else {}
        chains = {key: chain for key, chain in own.items() if key not in already} | behind
        places = {f.key: f.places for f in findings}
        rows = catalog.each(
            f"SELECT m.id, m.key, m.title, m.path FROM memory m WHERE {state.LIVE} AND m.key IN ({{}})",
            chains.keys() - failing - broken,
        )
        return [
            FactFinding(
                key,
                title,
                SUSPECT,
                describe_chain(chains[key]),
                author(catalog, number),
                fact_spot(trees.git, trees.behind, path),
                places.get(chains[key][-1], ()),
                path,
                chain=chains[key],
                is_new=key not in already,
            )
            for number, key, title, path in rows
        ]

    def _find_wrong(self, pairs: Iterable[AnswerPair]) -> list[FactFinding]:
        """Return a finding for each fact with a claimed verdict that its check contradicts."""
        wrong_claims = []
        for pair in pairs:
            fact = pair.touched.fact
            for answer in filter(None, (pair.head, pair.base)):
                if answer.wrong is not None:
                    claimed, path = answer.wrong.outcome, path_of(self._catalog, fact.row)
                    wrong_claims.append(
                        WrongClaim(fact.row.key, fact.title, path, claimed, answer.outcome, answer.because)
                    )
                    break
        return findings_of(wrong_claims)

    def _store_verdicts(self, pairs: Iterable[AnswerPair]) -> None:
        """Store verdicts of commands in this clone, as ``verify`` does on a branch, if the commit is checked out."""
        if self._store.git.read_head()[1] == self._change.span.head:
            answers = (answer for pair in pairs for answer in (pair.base, pair.head) if answer is not None)
            verdicts = [a.verdict for a in answers if a.is_new and a.verdict is not None]
            if verdicts:
                self._store.local.add_verdicts(verdicts)


def _parse_place(answer: BuiltinAnswer | None) -> Spot | None:
    """Return the line that an answer names; None if it names none."""
    path, _, line = answer.where.rpartition(":") if answer is not None else ("", "", "")
    return Spot(path, int(line)) if path and line.isdecimal() and int(line) else None


def _with_documents(pair: AnswerPair, kind: str, because: str, documents: DocumentLines) -> tuple[str, str]:
    """Return the outcome for a fact, and the reason, given what documents say at the head."""
    if kind in (BROKEN, STILL) and (withdrawal := documents.find_withdrawal(pair)):
        return RETIRED, withdrawal
    is_right = kind in (BROKEN, STILL) and documents.holds_elsewhere(pair)
    return (HELD, "") if is_right or (kind == BROKEN and documents.is_only_moved(pair)) else (kind, because)


def _judgement(pair: AnswerPair) -> tuple[str, str]:
    """Return the outcome for a fact, and the reason."""
    base, head = pair.base, pair.head
    if head.outcome not in (HOLDS, FAILS):
        return UNCHECKED, head.because
    if head.outcome == HOLDS:
        return (MENDED if base is not None and base.outcome in (FAILS, UNPROVEN) else HELD), ""
    if head.verdict is not None and head.verdict.outside:
        return OUTSIDE, head.because
    if base is None or base.outcome == HOLDS:
        return BROKEN, head.because
    if base.outcome in (FAILS, UNPROVEN):
        return STILL, head.because
    return UNCHECKED, f"it fails ({head.because}), and whether it held before is unknown: {base.because}"
