"""Judge one fact by a command: run it, see what it reads, and confirm a new failure before anybody is accused."""

from __future__ import annotations

import json

from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.model import ERROR, FAILS, HOLDS, Ran, Spec, Verdict
from gitmem.system import process
from gitmem.system.process_limits import stop_count
from gitmem.text.secrets import safe_output
from gitmem.verify.confirm import FIRM, HURRIED, confirm, mark_of, steadied
from gitmem.verify.due import Due
from gitmem.verify.evidence import Evidence, attach, gather, with_tools
from gitmem.verify.ground.ground import Ground, Grounds
from gitmem.verify.outcome import NOT_RUN, OUTPUT_KEPT, argv_of, end_of, outcome_of, shown_setup
from gitmem.verify.sandbox import sandbox
from gitmem.verify.trace.reads import UNTRACEABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitmem.git.binary import Git
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.sandbox.limits import Limits

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
        allows: Tells whether a specification may run, by its hash and its line of an approved list.
        denies: Tells whether somebody denied it here.
        limits: What a check may use; None = what does for any honest build.
        strace: Where strace is, if what checks read is looked at; else empty.
        pause_s: Seconds between a new failure and asking again: what makes a check fail at random (load, a port, a
            clock) often lasts a moment.
        is_hurried: Whether somebody waits for the answer: then there is no pause, and fewer runs confirm a failure.
    """

    rung: str
    path: str
    jobs: int
    allows: Callable[[str, str], bool]
    denies: Callable[[str], bool]
    limits: Limits | None = None
    strace: str = ""
    pause_s: float = 0.0
    is_hurried: bool = False


@frozen
class Result:
    """What came of judging one fact.

    Attributes:
        due: The fact.
        outcome: ``holds``, ``fails``, ``error`` or ``skipped``.
        because: Why it fails, on one line.
        reason: Why it was skipped or nothing was learned, on one line.
        verdict: The new verdict; None where nothing was learned.
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


class Judge:
    """Judges facts one at a time; its workers share the grounds."""

    def __init__(self, git: Git, grounds: Grounds, tree: CodeTree, means: Means, *, now: int) -> None:
        self._git = git
        self._grounds = grounds
        self._tree = tree
        self._commit = tree.commit
        self._means = means
        self._now = now
        self._is_stopped = False
        # Before anything runs: a check on its way while all are stopped must notice.
        self._stops = stop_count()

    def stop(self) -> None:
        """End the runs under way, and start no more of them."""
        self._is_stopped = True
        process.stop_all()

    def judge(self, due: Due) -> Result:
        """Run one fact's check and return what it showed; a doubtful failure is still to be confirmed."""
        ran, problem, evidence = self._look(due)
        outcome, why = outcome_of(ran, due.spec, self._means.rung, problem)
        result = Result(
            due,
            outcome,
            output=safe_output(ran.output, OUTPUT_KEPT) if ran else "",
            seconds=ran.seconds if ran else 0.0,
        )
        if outcome == ERROR:
            return replace(result, reason=why)
        verdict = verdict_of(due, outcome, commit=self._commit, now=self._now, rung=self._means.rung)
        verdict = replace(verdict, seconds=round(result.seconds, 3), because=why)
        verdict = attach(verdict, evidence, json.loads(due.row.inputs), due.spec.check, self._tree)
        result = replace(result, because=why, verdict=verdict)
        if self.is_doubtful(result):
            return result
        if outcome == HOLDS:
            verdict = replace(verdict, weak=self.is_weak(due))
        elif due.verdict is not None:
            verdict = replace(verdict, confirmed=due.verdict.confirmed)
        return replace(result, verdict=steadied(due.verdict, due.latest, verdict))

    def _look(self, due: Due) -> tuple[Ran | None, str, Evidence]:
        """Run a check traced, and as it is wherever the answer may come from that: a trace alone accuses nobody.

        What flaps is run as it is: another answer than under the trace would say nothing about tracing.
        """
        is_marked = mark_of(due.latest) > 0
        if not self._means.strace or is_marked or (due.verdict is not None and due.verdict.reads == UNTRACEABLE):
            ran, problem = self._at(due.spec, self._commit)
            return ran, problem, Evidence(UNTRACEABLE if self._means.strace and not is_marked else "")
        traced, problem, evidence = self._traced(due)
        shown = outcome_of(traced, due.spec, self._means.rung, problem)[0]
        failed_before = due.verdict is not None and due.verdict.outcome == FAILS
        is_missing = traced is not None and traced.status in NOT_RUN  # the command: tracing has no part in that
        is_sure = evidence.is_clear and ((shown == FAILS and failed_before) or is_missing)
        if problem or shown == HOLDS or is_sure:
            return traced, problem, evidence
        ran, problem = self._at(due.spec, self._commit)
        untraced = outcome_of(ran, due.spec, self._means.rung, problem)[0]
        if untraced == HOLDS and evidence.is_clear and not self._fails_traced(due):
            return traced, "", evidence  # it flaps, traced or not
        if untraced == shown:
            return ran, problem, evidence
        return ran, problem, Evidence(UNTRACEABLE if untraced == HOLDS else "")

    def _fails_traced(self, due: Due) -> bool:
        ran, problem, _ = self._traced(due)
        return outcome_of(ran, due.spec, self._means.rung, problem)[0] == FAILS

    def _traced(self, due: Due) -> tuple[Ran | None, str, Evidence]:
        try:
            with self._grounds.take(self._commit, due.spec.folders) as ground:
                rans, problem = self._check(due.spec, ground, strace=self._means.strace)
                paths = json.loads(due.row.inputs)[1:]
                return rans[-1], problem, gather(rans, ground, self._tree, self._git, paths)
        except GitmemError as err:
            return None, err.message, Evidence()

    def is_doubtful(self, result: Result) -> bool:
        """Return whether a result is a failure that nobody knew of and that was not confirmed yet."""
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
            # What the run that failed was seen to read is not what the one that holds has read.
            inputs = json.loads(due.row.inputs)
            verdict = attach(replace(verdict, weak=self.is_weak(due)), Evidence(), inputs, due.spec.check, self._tree)
        reason = with_tools(found.reason, due.verdict)
        return replace(result, outcome=found.outcome, reason=reason, verdict=verdict)

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
                rans, problem = self._check(spec, ground)
                return rans[-1], problem
        except GitmemError as err:
            return None, err.message

    def _check(self, spec: Spec, ground: Ground, *, strace: str = "") -> tuple[list[Ran], str]:
        """Run the policy's setup, then the check; the problem says why that could not be run."""
        rans = []
        if spec.setup:
            ran = self._run(("sh", "-c", spec.setup), ground, spec, strace=strace)
            rans.append(ran)
            if ran.status != 0:
                return rans, f"the policy's setup ({shown_setup(spec)}) failed: {end_of(ran, spec)}"
        ran = self._run(argv_of(spec), ground, spec, strace=strace)
        rans.append(ran)
        if ground.lacking and ran.status != 0:
            return rans, f"{end_of(ran, spec)}; but the check could not see folders of the policy: {ground.lacking}"
        return rans, ""

    def _run(self, argv: Sequence[str], ground: Path | Ground, spec: Spec, *, strace: str = "") -> Ran:
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
            strace=strace,
            stops=self._stops,
        )

    def is_weak(self, due: Due) -> bool:
        """Return whether a check that holds also holds in an empty folder, and no counterexample refutes it.

        It runs once for each specification: an earlier verdict of the same one has the answer, if it held then.
        """
        if due.verdict is not None and due.verdict.spec == due.row.spec and due.verdict.outcome == HOLDS:
            return due.verdict.weak
        if due.spec.refute:
            return not self.refutes(due.spec)
        with self._grounds.empty() as folder:
            ran = self._run(argv_of(due.spec), folder, due.spec)
        return outcome_of(ran, due.spec, self._means.rung, "")[0] == HOLDS

    def refutes(self, spec: Spec) -> bool:
        """Return whether the counterexample, which changes a private copy of the code, makes the check fail there."""
        try:
            with self._grounds.take(self._commit, spec.folders) as ground:
                self._run(("sh", "-c", spec.refute), ground, spec)
                rans, problem = self._check(spec, ground)
        except GitmemError:
            return False
        return outcome_of(rans[-1], spec, self._means.rung, problem)[0] == FAILS


def verdict_of(due: Due, outcome: str, *, commit: str, now: int, rung: str) -> Verdict:
    """Return the verdict of a run, as far as the run alone decides it."""
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
