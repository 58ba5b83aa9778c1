"""Judge facts: run what is approved, in parallel, and confirm a new failure before anybody is accused."""

from __future__ import annotations

import time
from concurrent.futures import Future, ThreadPoolExecutor, as_completed

from gitmem import process
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.hygiene import display
from gitmem.model import BUILTIN, ERROR, FAILS, HOLDS, Ran, Spec, Verdict
from gitmem.secrets import safe_output
from gitmem.verify import builtin, sandbox
from gitmem.verify.confirm import FIRM, HURRIED, confirm, steadied
from gitmem.verify.due import RUNGS, Due
from gitmem.verify.ground import Ground, Grounds
from gitmem.verify.groundwork import open_grounds
from gitmem.verify.outcome import LINE_KEPT, OUTPUT_KEPT, argv_of, end_of, outcome_of, shown_setup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitmem.git.binary import Git
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.watch import Limits

SKIPPED = "skipped"
# Why a command was skipped.
NOT_APPROVED = "not approved"
DENIED = "denied here"


@frozen
class Means:
    """How checks are run.

    Attributes:
        rung: The sandbox's rung.
        path: PATH for the checks.
        jobs: How many run at once, >= 1.
        allows: Tells whether a specification (by hash) may run.
        denies: Tells whether somebody denied it here.
        limits: What a check may use; None = what does for any honest build.
        pause_s: Seconds between a new failure and asking again: what makes a check fail at random (load, a port, a
            clock) often lasts a moment.
        is_hurried: Whether somebody waits for the answer: then there is no pause, and fewer runs confirm a failure.
    """

    rung: str
    path: str
    jobs: int
    allows: Callable[[str], bool]
    denies: Callable[[str], bool]
    limits: Limits | None = None
    pause_s: float = 0.0
    is_hurried: bool = False


@frozen
class Result:
    """What came of judging one fact.

    Attributes:
        due: The fact.
        outcome: ``holds``, ``fails``, ``error`` or ``skipped``.
        because: Why it fails, on one line.
        reason: Why it was skipped or nothing was learnt, on one line.
        verdict: The new verdict; None where nothing was learnt.
        output: The end of what the check wrote, cleaned.
        seconds: How long it took.
        is_news: Whether a person hears for the first time of this failure, or of a check that cannot be run.
        is_marked: Whether this run marked the fact as flapping.
    """

    due: Due
    outcome: str
    because: str = ""
    reason: str = ""
    verdict: Verdict | None = None
    output: str = ""
    seconds: float = 0.0
    is_news: bool = False
    is_marked: bool = False


def judge(
    git: Git, tree: CodeTree, dues: Sequence[Due], means: Means, *, now: int, told: Callable[[Result], None]
) -> list[Result]:
    """Judge facts on one tree of the code; *told* is called with each result as it comes.

    Interrupting it ends the checks under way; results that were told stay told.
    """
    results = _judge_builtin(git, tree, [d for d in dues if d.spec.check.form == BUILTIN], now)
    runnable = []
    for due in dues:
        if due.spec.check.form == BUILTIN:
            continue
        refusal = _refusal(due, means)
        if refusal:
            results.append(Result(due, SKIPPED, reason=refusal))
        else:
            runnable.append(due)
    for result in results:
        told(result)
    if runnable:
        results += _run_all(git, tree, runnable, means, now=now, told=told)
    return sorted(results, key=lambda r: r.due.row.key)


def _refusal(due: Due, means: Means) -> str:
    if not means.allows(due.row.spec):
        return DENIED if means.denies(due.row.spec) else NOT_APPROVED
    if means.rung == "":
        return "no sandbox works here"
    return ""


def _judge_builtin(git: Git, tree: CodeTree, dues: list[Due], now: int) -> list[Result]:
    answers = builtin.answer_all(git, tree, (d.spec.check for d in dues)) if dues else {}
    results = []
    for due in dues:
        answer = answers[due.spec.check]
        if answer.outcome == ERROR:
            results.append(Result(due, ERROR, reason=display(answer.because)[:LINE_KEPT]))
            continue
        verdict = _verdict(due, answer.outcome, commit=tree.commit, now=now, rung=RUNGS[-1])
        because = display(answer.because)[:LINE_KEPT]
        results.append(Result(due, answer.outcome, because, verdict=replace(verdict, because=because)))
    return results


def _run_all(
    git: Git, tree: CodeTree, dues: list[Due], means: Means, *, now: int, told: Callable[[Result], None]
) -> list[Result]:
    results = []
    with (
        open_grounds(git, means.rung, means.path) as grounds,
        ThreadPoolExecutor(max_workers=min(means.jobs, len(dues))) as pool,
    ):
        judge_one = Judge(git, grounds, tree.commit, means, now=now)
        waiting: list[Future[Result]] = [pool.submit(judge_one.judge, due) for due in dues]
        doubtful: list[Result] = []
        try:
            for future in as_completed(waiting):
                result = future.result()
                if judge_one.is_doubtful(result):
                    doubtful.append(result)
                    continue
                results.append(result)
                told(result)
            # One pause for all of them, behind everything else: then the load of the others is gone as well.
            if doubtful and not means.is_hurried:
                time.sleep(means.pause_s)
            for future in as_completed([pool.submit(judge_one.confirm, result) for result in doubtful]):
                results.append(future.result())
                told(results[-1])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            judge_one.stop()
            raise
    return results


class Judge:
    """Judges facts one at a time; its workers share the grounds."""

    def __init__(self, git: Git, grounds: Grounds, commit: str, means: Means, *, now: int) -> None:
        self._git = git
        self._grounds = grounds
        self._commit = commit
        self._means = means
        self._now = now
        self._is_stopped = False

    def stop(self) -> None:
        """End the runs under way, and start no more of them."""
        self._is_stopped = True
        process.stop_all()

    def judge(self, due: Due) -> Result:
        """Run one fact's check and return what it showed; a doubtful failure is still to be confirmed."""
        ran, problem = self._at(due.spec, self._commit)
        outcome, why = outcome_of(ran, due.spec, self._means.rung, problem)
        result = Result(
            due,
            outcome,
            output=safe_output(ran.output, OUTPUT_KEPT) if ran else "",
            seconds=ran.seconds if ran else 0.0,
        )
        if outcome == ERROR:
            return replace(result, reason=why)
        verdict = _verdict(due, outcome, commit=self._commit, now=self._now, rung=self._means.rung)
        verdict = replace(verdict, seconds=round(result.seconds, 3), because=why)
        result = replace(result, because=why, verdict=verdict)
        if self.is_doubtful(result):
            return result
        if outcome == HOLDS:
            verdict = replace(verdict, weak=self.is_weak(due))
        elif due.verdict is not None:
            verdict = replace(verdict, confirmed=due.verdict.confirmed)
        return replace(result, verdict=steadied(due.verdict, due.latest, verdict))

    def is_doubtful(self, result: Result) -> bool:
        """Tell whether a result is a failure that nobody knew of and that was not confirmed yet."""
        known = result.due.verdict
        return result.outcome == FAILS and (known is None or known.outcome != FAILS)

    def confirm(self, result: Result) -> Result:
        """Confirm a doubtful failure and return what is left of it."""
        due, verdict = result.due, result.verdict
        assert verdict is not None, "a failure has a verdict"
        found = confirm(
            due.verdict,
            due.latest,
            verdict,
            ask=lambda commit: self.ask(due.spec, commit),
            is_ancestor=self._is_ancestor,
            firm=HURRIED if self._means.is_hurried else FIRM,
        )
        if found.outcome != FAILS:
            result = replace(result, because="")
        verdict = found.verdict
        if verdict is not None and found.outcome == HOLDS:
            verdict = replace(verdict, weak=self.is_weak(due))
        return replace(result, outcome=found.outcome, reason=found.reason, verdict=verdict)

    def ask(self, spec: Spec, commit: str) -> tuple[str, str]:
        """Run a specification on one commit and return what it shows, and why."""
        ran, problem = self._at(spec, commit)
        return outcome_of(ran, spec, self._means.rung, problem)

    def _is_ancestor(self, commit: str) -> bool:
        return self._git.is_ancestor(commit, self._commit)

    def _at(self, spec: Spec, commit: str) -> tuple[Ran | None, str]:
        """Run a specification on a private copy of one commit; the problem says why it could not be run."""
        try:
            with self._grounds.take(commit, spec.folders) as ground:
                return self._check(spec, ground)
        except GitmemError as err:
            return None, err.message

    def _check(self, spec: Spec, ground: Ground) -> tuple[Ran, str]:
        """Run the policy's setup, then the check; the problem says why that could not be run."""
        if spec.setup:
            ran = self._run(("sh", "-c", spec.setup), ground, spec)
            if ran.status != 0:
                return ran, f"the policy's setup ({shown_setup(spec)}) failed: {end_of(ran, spec)}"
        ran = self._run(argv_of(spec), ground, spec)
        if ground.lacking and ran.status != 0:
            return ran, f"{end_of(ran, spec)}; but folders of the policy are not shown to it: {ground.lacking}"
        return ran, ""

    def _run(self, argv: Sequence[str], ground: Path | Ground, spec: Spec) -> Ran:
        if self._is_stopped:
            return Ran(None, False, "", False, 0.0, "interrupted")
        return sandbox.run_check(
            list(argv),
            ground=ground,
            rung=self._means.rung,
            network=spec.network,
            timeout_s=spec.timeout_s,
            path=self._means.path,
            limits=self._means.limits,
        )

    def is_weak(self, due: Due) -> bool:
        """Tell whether a check that holds also holds in an empty folder, and no counterexample refutes it.

        It is asked once a specification: an earlier verdict of the same one has the answer, if it held then.
        """
        if due.verdict is not None and due.verdict.spec == due.row.spec and due.verdict.outcome == HOLDS:
            return due.verdict.weak
        if due.spec.refute:
            return not self.refutes(due.spec)
        with self._grounds.empty() as folder:
            ran = self._run(argv_of(due.spec), folder, due.spec)
        return outcome_of(ran, due.spec, self._means.rung, "")[0] == HOLDS

    def refutes(self, spec: Spec) -> bool:
        """Tell whether the counterexample, which changes a private copy of the code, makes the check fail there."""
        try:
            with self._grounds.take(self._commit, spec.folders) as ground:
                self._run(("sh", "-c", spec.refute), ground, spec)
                ran, problem = self._check(spec, ground)
        except GitmemError:
            return False
        return outcome_of(ran, spec, self._means.rung, problem)[0] == FAILS


def _verdict(due: Due, outcome: str, *, commit: str, now: int, rung: str) -> Verdict:
    old = due.verdict
    held = (commit, now) if outcome == HOLDS else (old.held_commit, old.held_at) if old else ("", 0)
    return Verdict(
        key=due.row.key,
        spec=due.row.spec,
        claim=due.row.claim,
        outcome=outcome,
        commit=commit,
        inputs=due.digest,
        at=now,
        sandbox=rung,
        held_commit=held[0],
        held_at=held[1],
        own=True,
    )
