"""Explain a failure: find the commit that broke a fact by running its check, and record it with the verdict."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cached_property

from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.git.history import read_diff, read_summaries
from gitmem.index.catalog import state
from gitmem.model import BLOCKED, BUILTIN, FAILED, FAILS, HOLDS
from gitmem.repository.holder import holder_of
from gitmem.repository.verification import stores_to_prove
from gitmem.text import display
from gitmem.text.secrets import safe_output
from gitmem.verify import builtin_answers
from gitmem.verify.blame.bisect import FLAPPING, FOUND, RANGE, UNKNOWN, Answers, BisectResult, Search
from gitmem.verify.blame.culprit import as_table as as_commit
from gitmem.verify.blame.culprit import is_behind, phrase
from gitmem.verify.blame.lineage import InputQuestion, LineageReader
from gitmem.verify.blame.rounds import search_together
from gitmem.verify.ground.open import open_grounds
from gitmem.verify.inputs import CodeTree, digest
from gitmem.verify.moves import place_check, scope_of
from gitmem.verify.overview.cause import common_reason
from gitmem.verify.overview.explain import list_changed_reads
from gitmem.verify.overview.stock import take_stock
from gitmem.verify.run.batch import refusal
from gitmem.verify.run.judge import SKIPPED, Judge
from gitmem.verify.run.outcome import UNCLEAR, is_chosen
from gitmem.verify.run.unsteady import rate_at, since, steadiness
from gitmem.verify.trace.outside import describe_outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from gitmem.git.history import CommitSummary
    from gitmem.model import Verdict
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore
    from gitmem.verify.blame.bisect import Runs
    from gitmem.verify.blame.lineage import InputLineage
    from gitmem.verify.due import Due
    from gitmem.verify.options import Options, VerifyRun
    from gitmem.verify.run.judge import Means, Result
    from gitmem.verify.session import Session

# Results of an explanation without a search: there is no failure, or it could not be examined.
HOLDING, NO_CHECK, UNCHECKED = "holds", "no check", "unchecked"
# No commit broke it: something outside the code has changed.
OUTSIDE = "outside"
# The number of runs at a commit after which no other commit is tested for steadiness.
MOST_RUNS = 400
# The most commits of a range that are named; all are counted.
COMMITS_SHOWN = 50
# The number of parallel searches: each holds the digests of all commits.
AT_ONCE = 64


@frozen
class SearchStep:
    """One run of a search: its number, the expected total, the commit, and the result."""

    key: str
    number: int
    about: int
    commit: str
    outcome: str


@frozen
class Why:
    """The explanation of a failing fact.

    Attributes:
        key: The fact.
        outcome: ``found``, ``range``, ``never held``, ``flapping``, ``unknown``; ``holds``, ``no check``, ``outside``,
            ``unchecked`` or ``skipped`` if nothing was searched.
        found: The result of the search; None if there was none.
        runs: The number of runs of the check; built-in checks run nothing.
        reason: A further reason, on one line, cleaned.
        made: The authors of the named commits, by commit.
        diff: The culprit's changes to the inputs, cleaned; empty if not requested.
        is_whole: Whether the diff is complete.
        is_unsteady: Whether the check is not broken, but began to give different answers.
        chain: If it does not fail but is suspect: the memories between it and the cause, that one last.
    """

    key: str
    outcome: str
    found: BisectResult | None = None
    runs: int = 0
    reason: str = ""
    made: Mapping[str, CommitSummary] | None = None
    diff: str = ""
    is_whole: bool = True
    is_unsteady: bool = False
    chain: tuple[str, ...] = ()

    def as_table(self) -> dict[str, Any]:
        """Return the documented JSON."""
        result, summaries = self.found, self.made or {}
        between: dict[str, Any] | None = None
        if result is not None and result.culprit:
            between = {
                "good": {"commit": result.after, "runs": result.asked[1]},
                "bad": {"commit": result.culprit, "runs": result.asked[0]},
                "number": len(result.among),
                "commits": [as_commit(commit, summaries) for commit in result.among[:COMMITS_SHOWN]],
            }
        return {
            "key": self.key,
            "outcome": self.outcome,
            "culprit": as_commit(result.culprit, summaries) if result else None,
            "range": between,
            "candidates": result.candidates if result else 0,
            "runs": self.runs,
            "reason": self.reason,
            "unsteady": self.is_unsteady,
            "chain": list(self.chain),
            "diff": self.diff,
        }


class _Case:
    """A failure and the state of the search for its cause."""

    def __init__(self, due: Due, verdict: Verdict, question: InputQuestion) -> None:
        self.due = due
        self.verdict = verdict
        self.question = question
        self.steps = 0
        self.answers: Answers | None = None
        self.found = BisectResult(UNKNOWN)
        self.earlier = ""
        self.error: GitmemError | None = None

    @property
    def cap(self) -> int:
        """Return the most runs that the search may take, as far as known."""
        return self.answers.cap if self.answers else 0

    def why(self) -> Why:
        """Return the explanation."""
        message = display(self.error.message) if self.error else self.found.reason
        reason = "; ".join(filter(None, (message, self.earlier)))
        runs = self.answers.runs if self.answers else 0
        return Why(self.due.row.key, self.found.outcome, None if self.error else self.found, runs, reason)


class Explainer:
    """Explain failures of one store at HEAD, as a context manager; they share history and grounds.

    The results are recorded at the end, also after an interruption.
    """

    def __init__(self, store: OpenStore, options: Options, report: Callable[[SearchStep], None]) -> None:
        self._store = store
        self._session: Session = store.session(options)
        self._report = report
        self._reader = LineageReader(store.git, self._session.commit)
        self._open = ExitStack()
        self._judge: Judge | None = None
        self._culprits: set[str] = set()
        self._ancestry: dict[tuple[str, str], bool] = {}
        self._verdicts: list[Verdict] = []
        # Why checks did not pass at the commits where they ran, by fact and commit.
        self._reasons: dict[tuple[str, str], str] = {}

    def __enter__(self) -> Explainer:
        """Do nothing: runs start with the first explanation."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Stop the runs in progress, and record the results; report them even if they cannot be recorded."""
        if kind is not None and self._judge is not None:
            self._judge.stop()
        self._open.close()
        if self._verdicts:
            with self._report_unwritten("what broke it"):
                self._session.keep_verdicts(self._verdicts)

    @contextmanager
    def _report_unwritten(self, what: str) -> Iterator[None]:
        try:
            yield
        except GitmemError as err:
            self._store.notices.append(f"{what} is not recorded on the branch: {display(err.message)}")

    def list_failed(self) -> list[Due]:
        """Return the requested facts, by key."""
        return self._session.list_due()

    def explain(self, due: Due, *, with_diff: bool = True) -> Why:
        """Explain one failure; a fact that has no verdict on these exact inputs here is judged first.

        Raises:
            ProcessError: The history cannot be read.
        """
        begun = self._begin(due, with_diff=with_diff)
        if isinstance(begun, Why):
            return begun
        self._search_all([begun])
        if begun.error is not None:
            raise begun.error
        return self._with_authors(begun.why(), begun.question, with_diff=with_diff)

    def explain_all(self, dues: Sequence[Due]) -> list[Why]:
        """Explain many failures, by key and without diffs; a failed search does not stop the others.

        The culprit of one fact is the first commit tried for the others, in parallel.
        """
        explained: list[Why] = []
        cases: list[_Case] = []
        for due in dues:
            try:
                begun = self._begin(due, with_diff=False)
            except GitmemError as err:
                begun = Why(due.row.key, UNKNOWN, reason=display(err.message))
            if isinstance(begun, Why):
                explained.append(begun)
            else:
                cases.append(begun)
        # First the facts that need no run: their culprits may serve for others.
        left = sorted(cases, key=lambda case: case.due.spec.check.form != BUILTIN)
        while left:
            first = left.pop(0)
            self._search_all([first])
            culprit = first.found.culprit
            alike = [case for case in left if self._reader.is_touched(case.question, culprit)] if culprit else []
            for at in range(0, len(alike), AT_ONCE):
                self._search_all(alike[at : at + AT_ONCE])
            left = [case for case in left if case not in alike]
        return sorted(self._with_makers([*explained, *(case.why() for case in cases)]), key=lambda why: why.key)

    def _begin(self, due: Due, *, with_diff: bool) -> Why | _Case:
        """Return the search for a failure, or its explanation if none is needed."""
        key, verdict = due.row.key, due.verdict
        if verdict is not None and verdict.flapping:
            return self._explain_unsteady(due, verdict, with_diff=with_diff)
        if verdict is None or not verdict.own or due.why not in ("asked", "ttl"):
            result = self._session.judge_one(due)
            with self._report_unwritten("that it fails" if result.outcome == FAILS else "its verdict"):
                self._session.keep([result])
            verdict = result.unconfirmed or result.verdict
            if verdict is None or verdict.outcome != FAILS:
                return _unfailing(key, result)
        assert verdict is not None
        if verdict.outcome != FAILS:
            return Why(key, HOLDING, reason="there is no failure to explain at this commit")
        if verdict.outside:
            reason = f"no commit broke it: its check depends on {describe_outside(verdict.outside)}"
            return Why(key, OUTSIDE, reason=reason)
        if due.spec.check.form != BUILTIN and (refused := refusal(due, self._means)):
            return Why(key, SKIPPED, reason=refused)
        return _Case(due, verdict, self._question(due, verdict))

    def _question(self, due: Due, verdict: Verdict) -> InputQuestion:
        return InputQuestion(tuple(json.loads(due.row.inputs)), due.spec.check, self._seen(verdict), verdict.moved)

    def _with_authors(self, why: Why, question: InputQuestion, *, with_diff: bool) -> Why:
        """Return an explanation with the authors of the commits, and the culprit's diff."""
        result = why.found
        assert result is not None
        diff, is_whole = self._diff(question, result) if with_diff and result.culprit else ("", True)
        return replace(self._with_makers([why])[0], diff=diff, is_whole=is_whole)

    def _earlier(self, verdict: Verdict, result: BisectResult) -> str:
        """Return that it was also broken and fixed earlier, if this clone saw that; or an empty string."""
        before = [one for one in self._mine(verdict) if one.outcome == FAILS]
        for one in before[::-1] if result.after else ():
            if one.commit != result.after and self._is_ancestor(one.commit, result.after):
                broken = phrase(one.culprit, one.culprit_after) if one.culprit else ""
                return f"it also failed at {one.commit[:12]}{f' ({broken})' if broken else ''}, and was fixed since"
        return ""

    def _explain_unsteady(self, due: Due, verdict: Verdict, *, with_diff: bool) -> Why:
        """Find the commit since which a check gives different answers on the same code, by several runs each."""
        key = due.row.key
        if verdict.outcome == FAILS or due.spec.check.form == BUILTIN:
            return Why(key, FLAPPING, reason="it recently held and failed on the same code: no commit is to blame")
        if verdict.outside:
            reason = f"it depends on {describe_outside(verdict.outside)}: no commit is to blame"
            return Why(key, FLAPPING, reason=reason)
        if refused := refusal(due, self._means):
            return Why(key, SKIPPED, reason=refused)
        count = [0]

        def runs(commit: str, times: int, end: str) -> list[str]:
            shown: list[str] = []
            while len(shown) < times and (not end or end not in shown):
                outcome = self._ask(due, verdict, commit)
                count[0] += 1
                self._report(SearchStep(key, count[0], count[0] + times - len(shown) - 1, commit, outcome))
                shown.append(outcome)
            return shown

        rate = rate_at(self._session.commit, runs)
        needed = rate.runs_needed()
        if not needed:
            reason = f"{rate} at this commit now: it fails too seldom to find since when"
            return Why(key, FLAPPING, runs=count[0], reason=reason)
        question = self._question(due, verdict)
        result = self._search_unsteady(
            due, verdict, question, lambda commit: steadiness(commit, needed, runs) if count[0] < MOST_RUNS else BLOCKED
        )
        if result.outcome not in (FOUND, RANGE):
            return Why(
                key, FLAPPING, runs=count[0], reason=f"{rate} at this commit; it was not seen to be steady before"
            )
        reason = since(result.culprit, rate, result.after, needed)
        after = result.after if result.outcome == RANGE else ""
        self._verdicts.append(replace(verdict, culprit=result.culprit, culprit_after=after, attempt=reason))
        return self._with_authors(
            Why(key, result.outcome, result, count[0], reason, is_unsteady=True), question, with_diff=with_diff
        )

    def _search_unsteady(
        self, due: Due, verdict: Verdict, question: InputQuestion, judge: Callable[[str], str]
    ) -> BisectResult:
        good = verdict.culprit_after if self._is_behind(verdict.culprit_after) else ""
        lineage, _ = self._reader.read(question, good)
        known = {lineage.digests[lineage.bad]: FAILS} | ({lineage.digests[good]: HOLDS} if good else {})
        if known[lineage.digests[lineage.bad]] == HOLDS:
            return BisectResult(FLAPPING)

        answers = Answers(known, known)
        ended: list[BisectResult | GitmemError] = []

        def ask(commit: str, _: Sequence[str]) -> list[str]:
            outcome = judge(commit)
            answers.learn(lineage.digests[commit], outcome)  # so many runs need no confirmation
            return [outcome]

        search = Search(lineage, answers, created=due.written_at).run()
        search_together({due.row.key: search}, ask, lambda _, found: ended.append(found))
        if isinstance(ended[0], GitmemError):
            raise ended[0]
        return ended[0]

    def _search_all(self, cases: Sequence[_Case]) -> None:
        """Search for the culprits of several facts in parallel, and record the results."""

        def ask(commit: str, asking: Sequence[_Case]) -> list[str]:
            if len(asking) == 1 or all(case.due.spec.check.form == BUILTIN for case in asking):
                outcomes = [self._ask(case.due, case.verdict, commit) for case in asking]
            else:
                self._asker()
                with ThreadPoolExecutor(min(self._means.jobs, len(asking))) as pool:
                    outcomes = list(pool.map(lambda case: self._ask(case.due, case.verdict, commit), asking))
            for case, outcome in zip(asking, outcomes, strict=True):
                case.steps += 1
                about = max(case.cap, case.steps)
                self._report(SearchStep(case.due.row.key, case.steps, about, commit, outcome))
            return outcomes

        def note(case: _Case, found: BisectResult | GitmemError) -> None:
            if isinstance(found, GitmemError):
                case.error = found
                return
            case.found = self._with_other_reason(case, found)
            case.earlier = self._earlier(case.verdict, found)
            if found.outcome == FOUND:
                self._culprits.add(found.culprit)
            if found.outcome in (FOUND, RANGE):
                after = found.after if found.outcome == RANGE else ""
                held = {} if case.verdict.held_commit else {"held_commit": found.after, "held_at": 0}
                new = replace(case.verdict, culprit=found.culprit, culprit_after=after, confirmed=True, **held)
                self._verdicts.append(new)

        search_together({case: self._search(case) for case in cases}, ask, note)

    def _with_other_reason(self, case: _Case, result: BisectResult) -> BisectResult:
        """Return a result that says so if the check fails at the culprit for another reason than at HEAD.

        Where commits in between cannot be built, the search finds the one that broke the build.
        """
        here, there = case.verdict.because, self._reasons.get((case.due.row.key, result.culprit), "")
        is_same = there in here or here in there or common_reason([there]) == common_reason([here])
        if result.outcome != FOUND or is_same:
            return result
        span = f"{result.after[:12]}..{self._session.commit[:12]}"
        note = (
            f"the check fails there for another reason ({there}) than at HEAD ({here}); if that did not break the fact,"
            f" a commit of {span} did: let the check exit 125 where it cannot say"
        )
        return replace(result, reason="; ".join(filter(None, (result.reason, note))))

    def _search(self, case: _Case) -> Runs:
        due, verdict, question = case.due, case.verdict, case.question
        good = self._good(verdict)
        lineage, trees = self._reader.read(question, good)
        known, sure = self._known(verdict, lineage)
        answers = case.answers = Answers(known, sure)
        if good and (yield from answers.answer(good, lineage.digests[good])) != HOLDS:
            if lineage.digests[good] == lineage.digests[lineage.bad]:
                reason = f"it held at {good[:12]} with the same inputs: it depends on something else"
                return BisectResult(FLAPPING, reason=reason)
            lineage, trees = self._reader.read(question)
        if trees:
            checks = [(place_check(tree, due.spec.check, verdict.moved), tree) for tree in trees.values()]
            answered = builtin_answers.answer_each(self._store.git, checks)
            for digest, answer in zip(trees, answered or (), strict=False):
                answers.learn(digest, answer.outcome)
        search = Search(lineage, answers, created=due.written_at, named=verdict.culprit, culprits=self._culprits)
        return (yield from search.run())

    def _with_makers(self, answers: Sequence[Why]) -> list[Why]:
        """Return explanations with the authors of the commits that they name."""
        named = [result for answer in answers if (result := answer.found) is not None]
        commits = {c for result in named for c in (result.culprit, result.after, *result.among[:COMMITS_SHOWN]) if c}
        summaries = read_summaries(self._store.git, commits)
        return [replace(answer, made=summaries) for answer in answers]

    @cached_property
    def _means(self) -> Means:
        """How checks run; probed once."""
        return self._session.means()

    def _mine(self, verdict: Verdict) -> list[Verdict]:
        """Return this clone's verdicts on the same claim by the same check, oldest first."""
        mine = self._store.local.verdicts([verdict.key]).get(verdict.key, [])
        same = [one for one in mine if (one.spec, one.claim) == (verdict.spec, verdict.claim)]
        return sorted(same, key=lambda verdict: verdict.at)

    def _seen(self, verdict: Verdict) -> tuple[tuple[str, str], ...]:
        """Return what the failing run and the last passing one read, if that was observed."""
        held = [one for one in self._mine(verdict) if one.outcome == HOLDS][-1:]
        return tuple((one.reads, one.inputs) for one in (verdict, *held) if one.reads)

    def _good(self, verdict: Verdict) -> str:
        """Return the commit where a fact last held, if it is in this history."""
        return verdict.held_commit if self._is_behind(verdict.held_commit) else ""

    def _is_behind(self, commit: str) -> bool:
        """Return whether a commit is a proper ancestor of the judged one."""
        here = self._session.commit
        return bool(commit) and commit != here and self._is_ancestor(commit, here)

    def _is_ancestor(self, commit: str, descendant: str) -> bool:
        """Return whether a commit is an ancestor of another; cached, since many facts need the same answer."""
        pair = (commit, descendant)
        if pair not in self._ancestry:
            self._ancestry[pair] = self._store.git.is_ancestor(*pair)
        return self._ancestry[pair]

    def _known(self, verdict: Verdict, lineage: InputLineage) -> tuple[dict[str, str], list[str]]:
        """Return this clone's verdicts on these commits, by digest, and which of them were confirmed.

        Claims by others are never trusted: the check is run.
        """
        # By commit, or by inputs if the commit was rewritten since.
        known = {lineage.digests.get(one.commit, one.inputs): one.outcome for one in self._mine(verdict)}
        bad = lineage.digests[lineage.bad]
        sure = [bad] if verdict.confirmed else []
        if verdict.confirmed and known.get(lineage.digests.get(verdict.held_commit, "")) == HOLDS:
            sure.append(lineage.digests[verdict.held_commit])
        return known | {bad: FAILS}, sure

    def _ask(self, due: Due, verdict: Verdict, commit: str) -> str:
        if due.spec.check.form == BUILTIN:
            tree = CodeTree(self._store.git, commit)
            check = place_check(tree, due.spec.check, verdict.moved)
            return builtin_answers.answer_all(self._store.git, tree, [check])[check].outcome
        outcome, self._reasons[due.row.key, commit] = self._asker().ask(due.spec, commit, verdict.moved)
        # If it crashes today, a crash is what is searched for; otherwise a crash says nothing about the fact.
        crash = BLOCKED if is_chosen(verdict.because) else FAILS
        return crash if outcome == UNCLEAR else outcome

    def _asker(self) -> Judge:
        """Return the runner of checks, on grounds shared by all searches."""
        if self._judge is None:
            git, means = self._store.git, self._means
            grounds = self._open.enter_context(open_grounds(git, means.rung, means.path, now=self._store.now))
            self._judge = Judge(grounds, self._session.tree(), means)
        return self._judge

    def _diff(self, question: InputQuestion, result: BisectResult) -> tuple[str, bool]:
        """Return the culprit's changes to the inputs, cleaned; empty if they cannot be read."""
        git = self._store.git
        concerns = question.concerns()
        try:
            changes = git.diff_trees(result.after, result.culprit)
        except GitmemError:
            return "", False
        paths = [change.path for change in changes if concerns is None or concerns(change.path)]
        if scope_of(question.check):  # it reads all of the code; the change is where it was before
            old = [(c.old_mode, c.old_oid, c.path) for c in changes if c.old_mode in builtin_answers.FILE_MODES]
            found_in = builtin_answers.look_into(git, {question.check: old})[question.check]
            paths = [path for (_, _, path), having in found_in.items() if having] or paths
        if question.seen and paths:
            paths = _seen_of(question, CodeTree(git, result.after), CodeTree(git, result.culprit), paths)
        raw, is_whole = read_diff(git, result.after, result.culprit, paths) if paths else (b"", True)
        return safe_output(raw, len(raw)), is_whole


def _seen_of(question: InputQuestion, before: CodeTree, after: CodeTree, paths: list[str]) -> list[str]:
    """Return which of the culprit's paths were read by a run with the inputs of either side; otherwise all."""
    seen = {
        path
        for reads, known in question.seen
        if known in (digest(tree, question.inputs, question.check, reads) for tree in (before, after))
        for path in list_changed_reads(reads, before, after, paths)
    }
    return [path for path in paths if path in seen] or paths


def _unfailing(key: str, result: Result) -> Why:
    if result.outcome == HOLDS:
        return Why(key, HOLDING, reason="there is no failure to explain at this commit")
    return Why(key, SKIPPED if result.outcome == SKIPPED else UNCHECKED, reason=result.reason)


def explain_all(store: OpenStore, options: Options, report: Callable[[SearchStep], None]) -> list[Why]:
    """Explain every fact that fails at HEAD without a known culprit, by key; each search fails alone."""
    catalog = store.catalog()
    lines = take_stock(catalog, store.ground(catalog), store.local, now=store.now).lines
    head = store.git.read_head()[1] or ""
    culprits = {line.culprit for line in lines if line.status == FAILED and line.culprit}
    known = {culprit for culprit in culprits if is_behind(store.git, culprit, head)}
    failing = [line.key for line in lines if line.status == FAILED and line.culprit not in known]
    keys = tuple(key for key in failing if not options.keys or key in options.keys)
    if not keys:
        return []
    with Explainer(store, replace(options, keys=keys, everything=False), report) as explainer:
        return explainer.explain_all(explainer.list_failed())


def culprit_fields(explained: Sequence[Why]) -> dict[str, dict[str, str]]:
    """Return the fields ``culprit`` and ``culprit_after`` of a verdict, by key, if a culprit was found."""
    return {
        why.key: {"culprit": why.found.culprit, "culprit_after": why.found.after if why.outcome == RANGE else ""}
        for why in explained
        if why.found is not None and why.found.culprit
    }


def why(
    repository: OpenRepository,
    key: str,
    options: Options,
    *,
    scope: str,
    with_diff: bool,
    report: Callable[[SearchStep], None],
) -> Why:
    """Find the commit that broke a fact of the project or a private one, and record it with the fact's verdict."""
    store, full_key = holder_of(repository, key, scope)
    query = replace(options, keys=(full_key,), everything=False)
    answer = Why(full_key, NO_CHECK, reason="it is not about any code in particular, so no check of it runs")
    for proving, own in stores_to_prove(repository, query):
        if own.keys == (full_key,) and proving.store.scope == store.store.scope:
            answer = explain(proving, own, report, with_diff=with_diff)
            break
    if answer.outcome not in (HOLDING, NO_CHECK):
        return answer
    catalog = store.catalog()
    return replace(answer, chain=state.suspects(catalog, store.ground(catalog)).get(full_key, ()))


def with_culprits(run: VerifyRun, explained: Sequence[Why]) -> VerifyRun:
    """Return the result of a verify run with the culprits that were found after it."""
    named = culprit_fields(explained)
    results = tuple(
        replace(result, verdict=replace(result.verdict, **named[result.due.row.key]))
        if result.due.row.key in named and result.verdict is not None
        else result
        for result in run.results
    )
    lines = tuple(replace(line, **named.get(line.key, {})) for line in run.standing.lines)
    return replace(run, results=results, standing=replace(run.standing, lines=lines))


def explain(store: OpenStore, options: Options, report: Callable[[SearchStep], None], *, with_diff: bool) -> Why:
    """Explain the one fact that the options name.

    Raises:
        ProcessError: The history cannot be read.
    """
    (key,) = options.keys
    with Explainer(store, options, report) as explainer:
        for due in explainer.list_failed():
            return explainer.explain(due, with_diff=with_diff)
    catalog = store.catalog()
    if state.is_withdrawn(catalog, store.ground(catalog), key):
        return Why(key, NO_CHECK, reason=f"it does not count: {state.NOT_STATED}")
    return Why(key, NO_CHECK, reason="it has no check, or is retired: there is nothing to explain")
