"""Judge touched facts on both commits: by known verdicts first, then by checks that run nothing, then by commands."""

from __future__ import annotations

import json
from math import inf

from gitmem.document.answers import BuiltinAnswer
from gitmem.frozen import frozen, replace
from gitmem.model import BLOCKED, BUILTIN, HOLDS, Check
from gitmem.statuses import age_s
from gitmem.text import display
from gitmem.verify import builtin_answers
from gitmem.verify.claims import LINE_KEPT
from gitmem.verify.due import Due, is_accepted, read_fact, rests_of
from gitmem.verify.moves import Moves, explain_move, find_homes, find_path_move, is_moved, place_check, scope_of
from gitmem.verify.overview.derivation import answer_behind
from gitmem.verify.overview.explain import list_changed_reads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from gitmem.commands.check.change import StoreChange, Trees
    from gitmem.commands.check.facts import TouchedFact
    from gitmem.git.git import TreeChange
    from gitmem.index.catalog import Catalog, fact_state
    from gitmem.model import Verdict
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.run.judge import Result
    from gitmem.verify.session import Session


@frozen
class FactAnswer:
    """The answer of a fact's check on one commit.

    Attributes:
        outcome: ``holds``, ``fails``, ``blocked`` or ``skipped``.
        because: Why it fails, or why the run was inconclusive; one line.
        verdict: The verdict, known or new; None for a built-in check without one.
        seconds: How long it ran now; 0 if the answer was known.
        wrong: A claimed verdict of these inputs that the check contradicts, or None.
        moved: The renamed files that the check was judged on (``verify.moves``).
        is_new: Whether the verdict was made now.
        found: A built-in check's answer now, with the place; None for a known verdict.
    """

    outcome: str
    because: str = ""
    verdict: Verdict | None = None
    seconds: float = 0.0
    is_new: bool = False
    wrong: Verdict | None = None
    moved: str = ""
    found: BuiltinAnswer | None = None


@frozen
class AnswerPair:
    """A touched fact's answers before and after the change.

    Attributes:
        touched: The fact.
        base: The answer before the change; None if the change adds the fact.
        head: The answer after it.
    """

    touched: TouchedFact
    base: FactAnswer | None
    head: FactAnswer

    @property
    def key(self) -> str:
        """Return the fact's key."""
        return self.touched.key


def list_changes(pair: AnswerPair, trees: Trees) -> Sequence[TreeChange]:
    """Return the changed files that a fact reads, by its observed reads if nothing names its inputs."""
    changed = pair.touched.changed
    if json.loads(pair.touched.fact.row.inputs)[0] != "tree":
        return changed
    verdicts = [answer.verdict for answer in (pair.head, pair.base) if answer is not None and answer.verdict]
    paths = [change.path for change in changed]
    read = {path for v in verdicts for path in list_changed_reads(v.reads, trees.base, trees.head, paths)}
    return [change for change in changed if change.path in read] or changed


def _compare(answer: FactAnswer, claimed: Verdict | None) -> FactAnswer:
    """Return a built-in check's answer, with what a claimed verdict of the same inputs adds or gets wrong."""
    if claimed is None or answer.outcome == BLOCKED:
        return answer
    if answer.outcome != claimed.outcome:
        return replace(answer, wrong=claimed)
    # If both agree, the verdict may know more: the commit that broke it.
    return replace(answer, verdict=claimed)


class ChangeJudge:
    """Judge touched facts before and after a change.

    Attributes:
        rung: The sandbox's rung that commands ran on; empty if none ran.
    """

    def __init__(self, change: StoreChange, catalog: Catalog) -> None:
        """Prepare to judge; the catalog has the memories of the code as the change leaves them."""
        self._change, self._trees, self._git = change, change.trees, change.trees.git
        self._catalog = catalog
        self._policy, self._now = change.store.policy(), change.store.now
        self._session: Session | None = None
        self._moves_by_commit: dict[str, Moves] = {}
        self.rung = ""

    def judge(self, touched: Sequence[TouchedFact]) -> list[AnswerPair]:
        """Return each check's answers before and after the change, in the order of the facts.

        The base is judged first. A check that held there and fails on the head is then run again, on both, by the rules
        of ``verify``, before it is reported.
        """
        before = self._answers([(t, t.base) for t in touched if t.base is not None], None)
        behind = self._answers([(t, t.head) for t in touched], before)
        return [AnswerPair(t, before.get(t.key), behind[t.key]) for t in touched]

    def judge_again(self, pairs: Sequence[AnswerPair]) -> dict[str, FactAnswer]:
        """Return the checks' answers on the head by key, given pairs with the answers on the same base."""
        before = {pair.key: pair.base for pair in pairs if pair.base is not None}
        return self._answers([(pair.touched, pair.touched.head) for pair in pairs], before)

    def _answers(
        self, facts: Sequence[tuple[TouchedFact, fact_state.FactState]], before: Mapping[str, FactAnswer] | None
    ) -> dict[str, FactAnswer]:
        """Return the answers on the head by key, given those on the base; without these, the answers on the base."""
        found = {}
        tree = self._trees.base if before is None else self._trees.head
        questions: dict[str, tuple[Check, str]] = {}
        claimed: dict[str, Verdict] = {}
        dues = []
        for t, at in facts:
            row = t.fact.row
            known = self._recent_answer(row, at)
            if known is not None and known.verdict is not None and row.form == BUILTIN and not known.verdict.own:
                claimed[row.key], known = known.verdict, None
            if known is not None:
                found[row.key] = known
            elif row.form == BUILTIN:
                check = Check(BUILTIN, tuple(json.loads(row.words)))
                questions[row.key] = check, self._trusted_moves(tree, check, at.verdict)
            else:
                dues.append(self._due(tree, t, at, (before or {}).get(row.key)))
        if questions:
            answers = self._answer_builtins(tree, questions, before)
            found |= {key: _compare(answer, claimed.get(key)) for key, answer in answers.items()}
        return found | self._run_commands(tree, dues) if dues else found

    def _recent_answer(self, row: fact_state.FactRow, at: fact_state.FactState) -> FactAnswer | None:
        """Return the answer of a verdict on these exact inputs, if it is recent enough."""
        if at.verdict is None or not at.is_fresh:
            return None
        if row.ttl_s is not None and age_s(at.verdict.at, self._now) > row.ttl_s:
            return None
        if at.verdict.outside and age_s(at.verdict.at, self._now) > (self._policy.verify.outside_ttl_s or inf):
            return None
        return FactAnswer(at.verdict.outcome, at.verdict.because, at.verdict, moved=at.verdict.moved)

    def _moves(self, tree: CodeTree) -> Moves:
        if tree.commit not in self._moves_by_commit:
            self._moves_by_commit[tree.commit] = Moves(self._git, tree)
        return self._moves_by_commit[tree.commit]

    def _trusted_moves(self, tree: CodeTree, check: Check, verdict: Verdict | None) -> str:
        """Return the moves that a built-in check is judged with on a tree; claims by others must match git's."""
        if verdict is None or not is_moved(tree, check, verdict.moved):
            return ""
        return self._moves(tree).trusted_moves(verdict, check)

    def _answer_builtins(
        self, tree: CodeTree, asked: Mapping[str, tuple[Check, str]], before: Mapping[str, FactAnswer] | None
    ) -> dict[str, FactAnswer]:
        """Return the answers of built-in checks on a tree by key, following files and names that moved."""
        asked = dict(asked)
        checks = {key: place_check(tree, *question) for key, question in asked.items()}
        answers = {} if before is None else self._derive_answers(asked, checks, before)
        answers |= builtin_answers.answer_all(self._git, tree, {*checks.values()} - answers.keys())
        if before is not None:
            lost = {
                key
                for key, check in checks.items()
                if key in before and before[key].outcome == HOLDS != answers[check].outcome and not scope_of(check)
            }
            if lost:
                self._moves(tree).know(self._trees.base)
            for key in lost:
                check = asked[key][0]
                asked[key] = check, self._moves(tree).find(check, self._trees.before, before[key].moved)
            checks |= {key: place_check(tree, *asked[key]) for key in lost}
            answers |= builtin_answers.answer_all(self._git, tree, {*checks.values()} - answers.keys())
        astray = {key for key, check in checks.items() if scope_of(check) and answers[check].outcome != HOLDS}
        homes, more = find_homes(self._git, tree, [asked[key][0] for key in astray])
        asked |= {key: (asked[key][0], homes[asked[key][0]]) for key in astray}
        checks |= {key: place_check(tree, *asked[key]) for key in astray}
        answers |= more
        answers |= builtin_answers.answer_all(self._git, tree, {*checks.values()} - answers.keys())
        return {
            key: FactAnswer(
                answers[check].outcome,
                display(explain_move(tree, *asked[key], answers[check].because))[:LINE_KEPT],
                moved=asked[key][1] if check is not asked[key][0] or find_path_move(tree, *asked[key]) else "",
                found=answers[check],
            )
            for key, check in checks.items()
        }

    def _derive_answers(
        self, asked: Mapping[str, tuple[Check, str]], checks: Mapping[str, Check], before: Mapping[str, FactAnswer]
    ) -> dict[Check, BuiltinAnswer]:
        """Return the answers on the head that follow from those on the base, of checks whose files did not move."""
        values = {
            check: BuiltinAnswer(before[key].outcome, before[key].because)
            for key, check in checks.items()
            if key in before and check is asked[key][0] and not before[key].moved
        }
        return answer_behind(self._git, self._trees.base, self._trees.head, values) if values else {}

    def _due(self, tree: CodeTree, touched: TouchedFact, at: fact_state.FactState, before: FactAnswer | None) -> Due:
        row, document, spec = read_fact(self._catalog, touched.fact.row, touched.fact.path, self._policy)
        verdict = at.verdict
        if before is not None and before.verdict is not None:
            verdict = before.verdict
            if verdict.outcome == HOLDS:
                # Whoever found it, a failure is compared with the base before it counts, and the base may excuse it.
                moved = self._moves(tree).trusted_moves(verdict, spec.check) if verdict.moved else ""
                verdict = replace(verdict, own=True, held_commit=self._trees.before, held_at=verdict.at, moved=moved)
        # Flapping does not depend on the commit: a flapping check that fails needs more such answers here.
        latest = replace(verdict, flapping=at.flapping) if verdict is not None else None
        moved = verdict.moved if verdict is not None and verdict.own else ""
        rests = rests_of(self._catalog, document.strings("requires"))
        return Due(row, document, spec, at.digest, verdict, "asked", latest=latest, moved=moved, rests=rests)

    def _run_commands(self, tree: CodeTree, dues: Sequence[Due]) -> dict[str, FactAnswer]:
        from gitmem.verify.run.batch import judge_all  # threads and the sandbox: 40 ms, only if a command runs

        store = self._change.store
        if store.git.read_head()[1] is None:
            return {due.row.key: FactAnswer(BLOCKED, "HEAD has no commit yet to run the check on") for due in dues}
        if self._session is None:
            self._session = store.session(self._change.options)
        means = replace(self._session.means_for(dues), is_hurried=self._change.span.is_staged)
        self.rung = self._session.rung
        done = 0

        def report(result: Result) -> None:
            nonlocal done
            done += 1
            self._change.progress(result.due.row.key, done, len(dues))

        cache = self._session.shared()
        results = cache.find(tree, dues) if cache else []
        known = {result.due.row.key for result in results}
        ran = judge_all(tree, [due for due in dues if due.row.key not in known], means, report=report)
        if cache:
            cache.share(tree, ran)
            store.notices.extend(cache.notices)
        results += ran
        return {r.due.row.key: self._answer_of(r) for r in results}

    def _answer_of(self, result: Result) -> FactAnswer:
        verdict = result.verdict
        ran = verdict or (result.unconfirmed and replace(result.unconfirmed, confirmed=True))
        if ran is not None and not is_accepted(ran, self._policy, now=self._now):
            message = f"the policy requires the sandbox {self._policy.verify.min_sandbox}; it ran in {ran.sandbox}"
            return FactAnswer(BLOCKED, message, seconds=result.seconds)
        because = result.because or result.reason
        moved = verdict.moved if verdict is not None else ""
        return FactAnswer(result.outcome, because, verdict, result.seconds, is_new=verdict is not None, moved=moved)
