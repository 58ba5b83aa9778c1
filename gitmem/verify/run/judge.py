"""Judge one fact by a command: run it, see what it reads, and confirm a new failure before anybody is accused."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from gitmem.config import home, variables
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.git.ancestry import is_shallow
from gitmem.model import BLOCKED, FAILS, HOLDS, INTERRUPTED, Ran, Spec, Verdict
from gitmem.system import process
from gitmem.system.process_limits import stop_count
from gitmem.text.secrets import safe_output
from gitmem.verify.due import Due
from gitmem.verify.ground.ground import Ground, Grounds
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import Moves, held_at, is_moved, moved_tree, restoring
from gitmem.verify.run.confirm import STEADY, blame_outside, confirm, mark_of, runs_needed, steadied, trial_runs, tried
from gitmem.verify.run.evidence import Evidence, attach, gather, with_tools
from gitmem.verify.run.outcome import OUTPUT_KEPT, UNCLEAR, argv_of, end_of, explain_change, list_scripts, outcome_of
from gitmem.verify.run.reason import without_places
from gitmem.verify.run.unsteady import QUICK_S, Rate, rate_at, since, steadiness
from gitmem.verify.sandbox import sandbox
from gitmem.verify.trace.outside import DECLARED
from gitmem.verify.trace.reads import UNTRACEABLE
from gitmem.verify.variables import without_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitmem.git.binary import Git
    from gitmem.verify.sandbox.limits import Limits

SKIPPED = "skipped"
# Seconds from which on a check is long: somebody notices how often it runs one behind the other.
LONG_S = 1.0
# Seconds that the trial of a quick check may take where somebody waits for the answer.
HURRIED_TRIAL_S = 1.0
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
        fetch: Brings a commit that is missing here from the remote, and returns whether it is here now.
        trial_s: Seconds of running that may be spent on whether quick checks that hold always answer alike.
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
    fetch: Callable[[str], bool] = lambda _: False
    trial_s: float = 0.0


@frozen
class Result:
    """What came of judging one fact.

    Attributes:
        due: The fact.
        outcome: ``holds``, ``fails``, ``blocked`` or ``skipped``.
        because: Why it fails, on one line.
        reason: Why it is blocked or was skipped, on one line.
        verdict: The new verdict; None where nothing was learned.
        output: The end of what the check wrote, cleaned.
        seconds: How long it took.
        hidden: Which folders it looked for that it was not shown, and how it will be, on one line; or empty.
        absent: The folder of dependencies that it looked for and that this work tree does not have; or empty.
        is_news: Whether a person hears for the first time of this failure, or of a check that cannot be run.
        is_marked: Whether this run marked the fact as flapping.
        is_unclear: Whether the failure may be the environment's: it could not be run, was killed or ran too long.
        is_moved: Whether a person hears for the first time that its files moved.
        is_determined: Whether its answer follows from the files that it read.
    """

    due: Due
    outcome: str
    because: str = ""
    reason: str = ""
    verdict: Verdict | None = None
    output: str = ""
    seconds: float = 0.0
    hidden: str = ""
    absent: str = ""
    is_news: bool = False
    is_marked: bool = False
    is_unclear: bool = False
    is_moved: bool = False
    is_determined: bool = False


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
        self._moving = Lock()
        self._moves: Moves | None = None
        self._trying = Lock()
        self._trial_s = min(means.trial_s, HURRIED_TRIAL_S) if means.is_hurried else means.trial_s
        # Before anything runs: a check on its way while all are stopped must notice.
        self._stops = stop_count()

    def stop(self) -> None:
        """End the runs under way, and start no more of them."""
        self._is_stopped = True
        process.stop_all()

    def judge(self, due: Due) -> Result:
        """Run one fact's check and return what it showed; a doubtful failure is still to be confirmed."""
        ran, problem, evidence = self._look(due)
        outcome, why = self._shown(ran, due.spec, problem)
        if outcome in (FAILS, UNCLEAR) and (moved := self._moved(due)) != due.moved:
            due = replace(due, moved=moved)
            if is_moved(self._tree, due.spec.check, moved):
                return self.judge(due)
        result = Result(
            due,
            FAILS if outcome == UNCLEAR else outcome,
            output=safe_output(ran.output, OUTPUT_KEPT) if ran else "",
            seconds=ran.seconds if ran else 0.0,
            is_unclear=outcome == UNCLEAR,
            hidden=evidence.hidden,
            absent=evidence.absent,
            is_determined=evidence.is_determined,
        )
        if outcome == BLOCKED:
            return replace(result, reason=why)
        verdict = verdict_of(due, result.outcome, commit=self._commit, now=self._now, rung=self._means.rung)
        outside = DECLARED if due.spec.outside else evidence.outside
        verdict = replace(verdict, seconds=round(result.seconds, 3), because=why, outside=outside, alike=due.steadiness)
        verdict = attach(verdict, evidence, json.loads(due.row.inputs), due.spec, self._tree_of(due))
        result = replace(result, because=why, verdict=verdict)
        if self.is_doubtful(result):
            return result
        if outcome == HOLDS:
            verdict = replace(verdict, weak=self.is_weak(due))
        elif due.verdict is not None:  # it failed before: the cause is what it was found to be then
            verdict = replace(verdict, confirmed=due.verdict.confirmed)
            verdict = blame_outside(verdict) if due.verdict.outside else replace(verdict, outside="")
        verdict = steadied(due.verdict, due.latest, verdict)
        if outcome == HOLDS:
            verdict = self._tried(due, verdict, is_determined=result.is_determined)
        return replace(result, because=verdict.because, verdict=verdict)

    def _tried(self, due: Due, verdict: Verdict, *, is_determined: bool) -> Verdict:
        """Return the verdict of a check that holds with the equal answers that are known; a quick one runs for them.

        What they find out need not be asked when it fails, and whoever has just written a check that flaps hears it.
        """
        if verdict.flapping:
            return verdict
        is_sure = is_determined or verdict.outside or due.spec.network
        times = 0 if is_sure else trial_runs(verdict.seconds, due.steadiness)
        shown: list[str] = []
        while len(shown) < times and FAILS not in shown and self._trial_s > 0:
            began = time.monotonic()
            shown.append(self.ask(due.spec, self._commit, due.moved)[0])
            with self._trying:
                self._trial_s -= time.monotonic() - began
        return tried(verdict, due.latest, shown, due.steadiness)

    def _look(self, due: Due) -> tuple[Ran | None, str, Evidence]:
        """Run a check traced, and as it is where the trace may be the reason that it does not pass.

        A failure that is to be confirmed runs as it is then. What flaps is never traced: another answer than under the
        trace would say nothing about tracing.
        """
        is_marked = mark_of(due.latest) > 0
        if not self._means.strace or is_marked or (due.verdict is not None and due.verdict.reads == UNTRACEABLE):
            ran, problem = self._at(due.spec, self._commit, due.moved)
            return ran, problem, Evidence(UNTRACEABLE if self._means.strace and not is_marked else "")
        traced, problem, evidence = self._traced(due)
        shown, _ = self._shown(traced, due.spec, problem)
        is_known = shown == FAILS and due.verdict is not None and due.verdict.outcome == FAILS
        if problem or evidence.is_clear or not is_known:
            return traced, problem, evidence
        ran, problem = self._at(due.spec, self._commit, due.moved)
        return ran, problem, Evidence(UNTRACEABLE if self._shown(ran, due.spec, problem)[0] == HOLDS else "")

    def _shown(self, ran: Ran | None, spec: Spec, problem: str) -> tuple[str, str]:
        return outcome_of(ran, spec, self._means.rung, problem)

    def _traced(self, due: Due) -> tuple[Ran | None, str, Evidence]:
        try:
            with self._grounds.take(self._commit, due.spec.folders) as ground:
                rans, problem = self._check(due.spec, ground, due.moved, strace=self._means.strace)
                seen = gather(
                    *(rans, ground, self._tree_of(due), self._git),
                    paths=json.loads(due.row.inputs)[1:],
                    ignored=self._grounds.ignored(),
                    variables=due.spec.variables,
                    words=due.spec.check.words,
                )
                return rans[-1], problem, seen
        except GitmemError as err:
            return None, err.message, Evidence()

    def is_doubtful(self, result: Result) -> bool:
        """Return whether a failure is to be confirmed: it is new, or may be the environment's.

        One that was known is compared again where its inputs or its reason are others: it may have been fixed
        meanwhile, and the environment may be gone.
        """
        due = result.due
        known = due.verdict
        if result.outcome != FAILS or result.is_unclear or known is None or known.outcome != FAILS:
            return result.outcome == FAILS
        is_other = due.why in ("inputs", "blocked") or result.because not in known.because
        return bool(known.held_commit) and is_other

    def confirm(self, result: Result, *, width: int = 1) -> Result:
        """Judge a doubtful failure by contrast and return what is left of it; *width* runs go on at the same time."""
        due, verdict = result.due, result.verdict
        assert verdict is not None, "a failure has a verdict"

        was = due.verdict.outside if due.verdict is not None else ""
        if not verdict.outside and was != DECLARED:  # what it used when it held counts; what is declared, its fact says
            verdict = replace(verdict, outside=was)
        is_known = due.verdict is not None and due.verdict.outcome == FAILS
        steadiness = STEADY if result.is_determined else due.steadiness
        firm = 1 if is_known else runs_needed(result.seconds, steadiness, is_hurried=self._means.is_hurried)
        held = self._held(due)
        # Of a long check, the runs here go on beside the one where it held: a break takes twice its time.
        is_long = result.seconds >= LONG_S and width > 1 and not mark_of(due.latest)
        with ThreadPoolExecutor(1) as pool:
            here = pool.submit(self._ask_often, due, self._commit, firm - 1, width) if is_long and held else None

            def ask(commit: str, times: int) -> list[tuple[str, str]]:
                if here is not None and commit == self._commit:
                    return here.result()
                return self._ask_often(due, commit, times, width if commit == self._commit else 1)

            found = confirm(due.latest, verdict, ask=ask, held=held, is_unclear=result.is_unclear, firm=firm)
        verdict = found.verdict
        if verdict is not None and found.outcome == FAILS and is_known and due.verdict is not None:
            verdict = replace(verdict, confirmed=verdict.confirmed or due.verdict.confirmed)
        if verdict is not None and found.outcome == HOLDS:
            # What the run that failed was seen to read is not what the one that holds has read.
            evidence = Evidence()
            if mark_of(due.latest) == 0:
                verdict, is_trace = self._measured(due, verdict, held, is_quick=result.seconds <= QUICK_S, width=width)
                evidence = Evidence(UNTRACEABLE) if is_trace else evidence
            inputs = json.loads(due.row.inputs)
            verdict = replace(verdict, weak=self.is_weak(due))
            verdict = attach(verdict, evidence, inputs, due.spec, self._tree_of(due))
        if verdict is not None and found.outcome == FAILS and verdict.confirmed and not verdict.outside:
            verdict = replace(verdict, because=explain_change(verdict.because, self._gone(due, held)))
        because = verdict.because if verdict is not None else ""
        reason = with_tools(found.reason, due.verdict)
        if found.outcome == BLOCKED and result.absent:
            reason += f"; it looked for {result.absent}, which is not in this work tree: install the dependencies"
        return replace(result, outcome=found.outcome, because=because, reason=reason, verdict=verdict)

    def _gone(self, due: Due, held: str) -> str:
        """Return the script of a check that the code has no more and had where it held; or an empty string."""
        missing = [path for path in list_scripts(due.spec.check) if not self._tree.places.find(path)]
        places = CodeTree(self._git, held).places if missing and held else None
        return next((path for path in missing if places and places.find(path)), "")

    def _measured(self, due: Due, verdict: Verdict, held: str, *, is_quick: bool, width: int) -> tuple[Verdict, bool]:
        """Return the verdict of a fact that flapped for the first time, with how often it fails and since when.

        Also returns whether it only fails when it is traced: then it does not flap.
        """

        def runs(commit: str, times: int, end: str) -> list[str]:
            return [outcome for outcome, _ in self._ask_often(due, commit, times, width, end=end)]

        counts = is_quick and not self._means.is_hurried
        rate = rate_at(self._commit, runs) if counts else Rate(0, 0)
        if self._means.strace and not rate.failures and self._fails_traced(due):
            return replace(verdict, flapping=0, attempt="", attempt_at=0, alike=min(rate.runs + 1, STEADY)), True
        if not rate.failures:
            return verdict, False
        is_of_code = held and held != self._commit and not verdict.outside
        needed = rate.needed() if is_of_code else 0
        if needed and steadiness(held, needed, runs) == HOLDS:
            said = since(self._commit, rate, held, needed)
            return replace(verdict, attempt=said, culprit=self._commit, culprit_after=held), False
        return replace(verdict, attempt=f"{rate} on the same code"), False

    def _fails_traced(self, due: Due) -> bool:
        ran, problem, _ = self._traced(due)
        return self._shown(ran, due.spec, problem)[0] in (FAILS, UNCLEAR)

    def _held(self, due: Due) -> str:
        """Return the commit where a fact held last, if it can be run here; else an empty string.

        Of what somebody else says, only an ancestor of the code that is judged is run: whoever pushes to the memory
        branch writes that name. A shallow clone has no ancestors, and runs what the remote has.
        """
        held = due.verdict.held_commit if due.verdict is not None else ""
        if due.verdict is None or not held or not (self._git.has(held, "commit") or self._means.fetch(held)):
            return ""
        is_known = due.verdict.own or held == self._commit or self._git.is_ancestor(held, self._commit)
        return held if is_known or is_shallow(self._git) else ""

    def _moved(self, due: Due) -> str:
        """Return the moves of what a command names; also those that lead nowhere any more: where it held, they do."""
        with self._moving:
            if self._moves is None:
                self._moves = Moves(self._git, self._tree)
            return self._moves.find(due.spec.check, held_at(due), self._moves.known(due.verdict))

    def _tree_of(self, due: Due) -> CodeTree:
        """Return the code as a fact's check sees it: with what moved in its old places as well."""
        return moved_tree(self._tree, due.moved)

    def ask(self, spec: Spec, commit: str, moved: str = "") -> tuple[str, str]:
        """Run a specification on one commit and return what it shows, and why; *moved* is put back in its places."""
        ran, problem = self._at(spec, commit, moved)
        return self._shown(ran, spec, problem)

    def _ask_often(self, due: Due, commit: str, times: int, width: int, *, end: str = HOLDS) -> list[tuple[str, str]]:
        """Run a fact's check on one commit so many times, or until it shows *end*; return what each shows, and why."""
        found: list[tuple[str, str]] = []
        with ThreadPoolExecutor(width) as pool:
            while len(found) < times and end not in [outcome for outcome, _ in found]:
                found += pool.map(
                    lambda _: self.ask(due.spec, commit, due.moved), range(min(width, times - len(found)))
                )
        return found

    def _at(self, spec: Spec, commit: str, moved: str = "") -> tuple[Ran | None, str]:
        """Run a specification on a private copy of one commit; the problem says why it could not be run."""
        try:
            with self._grounds.take(commit, spec.folders) as ground:
                rans, problem = self._check(spec, ground, moved)
                return rans[-1], problem
        except GitmemError as err:
            return None, err.message

    def _check(self, spec: Spec, ground: Ground, moved: str = "", *, strace: str = "") -> tuple[list[Ran], str]:
        """Run the policy's setup, then the check; the problem says why that could not be run.

        What moved is put back in its old places first: this starts nothing but `mkdir`, `cp` and `git add`.
        """
        rans: list[Ran] = []
        if moved:
            self._run(("sh", "-c", restoring(moved)), ground, spec)
        if spec.setup:
            ran = self._run(("sh", "-c", spec.setup), ground, spec, strace=strace)
            if ran.status != 0:
                return [*rans, replace(ran, is_setup=True)], ""
            rans.append(ran)
        ran = self._run(argv_of(spec), ground, spec, strace=strace)
        rans.append(ran)
        if ground.lacking and ran.status != 0:
            return rans, f"{end_of(ran, spec)}; but the check could not see folders of the policy: {ground.lacking}"
        return rans, ""

    def _run(self, argv: Sequence[str], ground: Path | Ground, spec: Spec, *, strace: str = "") -> Ran:
        if self._is_stopped:
            return Ran(None, False, "", False, 0.0, INTERRUPTED)
        values = variables(spec.variables)
        ran = sandbox.run_check(
            list(argv),
            ground=ground,
            rung=self._means.rung,
            network=spec.network,
            timeout_s=spec.timeout_s,
            path=ground.search_path(self._means.path) if isinstance(ground, Ground) else self._means.path,
            limits=self._means.limits,
            strace=strace,
            stops=self._stops,
            variables=values,
        )
        # Before places are: a value may name one.
        output = without_values(ran.output, values, is_cut=ran.cut)
        places = (ground.seen, ground.path) if isinstance(ground, Ground) else (ground,)
        return replace(ran, output=without_places(output, map(str, places), home()))

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
        return self._shown(ran, due.spec, "")[0] == HOLDS

    def refutes(self, spec: Spec) -> bool:
        """Return whether the counterexample, which changes a private copy of the code, makes the check fail there."""
        try:
            with self._grounds.take(self._commit, spec.folders) as ground:
                self._run(("sh", "-c", spec.refute), ground, spec)
                rans, problem = self._check(spec, ground)
        except GitmemError:
            return False
        return self._shown(rans[-1], spec, problem)[0] == FAILS


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
        moved=due.moved,
        rests=due.rests if outcome == HOLDS else old.rests if old else "",
        held_commit=held[0],
        held_at=held[1],
        own=True,
    )
