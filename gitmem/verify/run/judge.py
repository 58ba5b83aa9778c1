"""Judge one fact by a command: run it, record what it reads, and confirm a new failure before blaming a commit."""

from __future__ import annotations

import shlex
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from gitmem.config import home, variables
from gitmem.errors import GitmemError
from gitmem.frozen import frozen, replace
from gitmem.git.ancestry import is_shallow
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, INTERRUPTED, NOT_HERE, SHELL, UNPROVEN, Ran, Spec, Verdict
from gitmem.system import process
from gitmem.system.process_limits import stop_count
from gitmem.text.secrets import safe_output
from gitmem.verify.due import Due
from gitmem.verify.ground.folders import ENVIRONMENTS
from gitmem.verify.ground.ground import Ground, Grounds
from gitmem.verify.inputs import CodeTree
from gitmem.verify.moves import Moves, is_moved, restore_command, tree_with_moves
from gitmem.verify.run.called_scripts import list_texts
from gitmem.verify.run.confirm import (
    STEADY,
    Confirmation,
    blame_outside,
    confirm,
    count_tries,
    mark_of,
    runs_needed,
    trial_runs,
    unconfirmed,
    update_mark,
)
from gitmem.verify.run.evidence import Evidence, attach, gather, with_folders, with_tools
from gitmem.verify.run.missing import describe_unset, find_missing
from gitmem.verify.run.outcome import (
    OUTPUT_KEPT,
    UNCLEAR,
    argv_of,
    describe_vain,
    end_of,
    explain_change,
    find_absent,
    find_crash,
    outcome_of,
    show_errors,
)
from gitmem.verify.run.reason import without_places
from gitmem.verify.run.services import find_unserved
from gitmem.verify.run.shell_words import list_scripts
from gitmem.verify.run.stand_ins import find_crashed, find_needed
from gitmem.verify.run.unsteady import QUICK_S, Rate, rate_at, since, steadiness
from gitmem.verify.sandbox import sandbox
from gitmem.verify.trace.outside import DECLARED
from gitmem.verify.trace.reads import UNTRACEABLE
from gitmem.verify.trivial import needs_code, why_trivial
from gitmem.verify.variables import without_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from gitmem.verify.approvals.clone import Trust
    from gitmem.verify.sandbox.limits import Limits

SKIPPED = "skipped"
# The longest script that is read for the programs that it runs.
SCRIPT_BYTES = 64 * 1024
# Seconds from which on a check is slow enough for a user to notice consecutive runs.
LONG_S = 1.0
# Seconds that trial runs of quick checks may take while a user is waiting.
HURRIED_TRIAL_S = 1.0
# Why a command was skipped.
NOT_APPROVED = "not approved"
DENIED = "denied here"


@frozen
class Means:
    """How checks are run.

    Attributes:
        trust: Tells which commands may run.
        now: Epoch seconds.
        rung: The rung of the sandbox; empty if no command can run.
        path: PATH for the checks.
        jobs: How many run at once, >= 1.
        limits: What a check may use; None for the defaults.
        strace: The path of strace if checks are traced; else empty.
        pause_s: Seconds between a new failure and the next run, since the cause of a random failure (load, a port, a
            clock) often lasts only a moment.
        is_hurried: Whether a user is waiting: then there is no pause, and fewer runs confirm a failure.
        fetch: Fetches a missing commit from the remote, and returns whether it is here now.
        trial_s: Seconds that trial runs of quick checks that hold may take in all.
    """

    trust: Trust
    now: int
    rung: str = ""
    path: str = ""
    jobs: int = 1
    limits: Limits | None = None
    strace: str = ""
    pause_s: float = 0.0
    is_hurried: bool = False
    fetch: Callable[[str], bool] = lambda _: False
    trial_s: float = 0.0


@frozen
class Result:
    """The result of judging one fact.

    Attributes:
        due: The fact.
        outcome: ``holds``, ``fails``, ``blocked``, ``skipped``, or ``unproven``: it does not pass here, and nothing
            shows that the code is the cause.
        because: Why it fails, on one line.
        reason: Why it is blocked or unproven, or was skipped, on one line.
        verdict: The new verdict; None if nothing was learned.
        unconfirmed: The failure of an unproven fact, from which a search for its cause can start; else None.
        output: The end of the check's output, cleaned.
        seconds: How long it took.
        hidden: Hidden folders that it looked for, and how to show them, on one line; or empty.
        missing: What it looked for and did not find here, or was denied, on one line; includes hidden folders.
        is_news: Whether this failure, or this check that cannot be run, has not been reported before.
        is_marked: Whether this run marked the fact as flapping.
        is_unclear: Whether the environment may be the cause: it could not be run, was killed or ran too long.
        is_moved: Whether the move of its files has not been reported before.
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
    missing: str = ""
    unconfirmed: Verdict | None = None
    is_news: bool = False
    is_marked: bool = False
    is_unclear: bool = False
    is_moved: bool = False
    is_determined: bool = False

    @property
    def failure(self) -> str:
        """Return why the check does not pass, whether the code is known to be the cause or not."""
        return self.because or self.reason.removeprefix(f"{NOT_HERE}: ")


class Judge:
    """Judges facts one at a time; its threads share the grounds."""

    def __init__(self, grounds: Grounds, tree: CodeTree, means: Means, moves: Moves | None = None) -> None:
        """Set what is judged, and how; *moves* are those of the tree, if some are known."""
        self._git = tree.git
        self._grounds = grounds
        self._tree = tree
        self._commit = tree.commit
        self._means = means
        self._is_stopped = False
        self._moving = Lock()
        self._moves = moves or Moves(tree.git, tree)
        self._trying = Lock()
        self._trial_s = min(means.trial_s, HURRIED_TRIAL_S) if means.is_hurried else means.trial_s
        # Read before anything runs, so that a check that is about to start notices when all are stopped.
        self._stops = stop_count()
        # What checks that hold need and did not find, by check and commit (``_find_vain``).
        self._vain: dict[tuple[Spec, str, str], str] = {}

    def stop(self) -> None:
        """Kill the running checks, and start no more."""
        self._is_stopped = True
        process.stop_all()

    def judge(self, due: Due) -> Result:
        """Run one fact's check and return the result; a doubtful failure must still be confirmed."""
        ran, problem, evidence = self._look(due)
        outcome, why = self._outcome_of(ran, due.spec, problem)
        if outcome == HOLDS and (lacking := self._find_vain(due.spec, ran, self._commit, due.moved)):
            outcome, why = BLOCKED, describe_vain(lacking)
        if outcome in (FAILS, UNCLEAR) and (moved := self._find_moves(due)) != due.moved:
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
            missing=self._find_missing(due, ran, evidence) if outcome in (FAILS, UNCLEAR) else "",
            is_determined=evidence.is_determined,
        )
        if outcome == BLOCKED:
            return replace(result, reason=why)
        verdict = verdict_of(due, result.outcome, commit=self._commit, now=self._means.now, rung=self._means.rung)
        if outcome != HOLDS:
            evidence = with_folders(evidence, due, self._git, self._grounds.list_ignored())
        outside = DECLARED if due.spec.outside else evidence.outside
        verdict = replace(verdict, seconds=round(result.seconds, 3), because=why, outside=outside, alike=due.steadiness)
        verdict = attach(verdict, evidence, due, self._tree_of(due))
        result = replace(result, because=why, verdict=verdict)
        if self.is_doubtful(result):
            return result
        if outcome == HOLDS:
            verdict = replace(verdict, weak=self.is_weak(due))
        elif due.verdict is not None:  # it failed before: keep the cause found then
            verdict = replace(verdict, confirmed=due.verdict.confirmed)
            verdict = blame_outside(verdict) if due.verdict.outside else replace(verdict, outside="")
        verdict = update_mark(due.verdict, due.latest, verdict)
        if outcome == HOLDS:
            verdict = self._count_tries(due, verdict, is_determined=result.is_determined)
        return replace(result, because=verdict.because, verdict=verdict)

    def _count_tries(self, due: Due, verdict: Verdict, *, is_determined: bool) -> Verdict:
        """Return the verdict of a check that holds with its number of equal answers; a quick check runs again for them.

        These runs are then not needed when it fails, and an author learns at once that a new check is flapping.
        """
        if verdict.flapping:
            return verdict
        is_sure = is_determined or verdict.outside or due.spec.network
        times = 0 if is_sure else trial_runs(verdict.seconds, due.steadiness)
        answers: list[str] = []
        while len(answers) < times and FAILS not in answers and self._trial_s > 0:
            began = time.monotonic()
            answers.append(self.ask(due.spec, self._commit, due.moved)[0])
            with self._trying:
                self._trial_s -= time.monotonic() - began
        return count_tries(verdict, due.latest, answers, due.steadiness)

    def _look(self, due: Due) -> tuple[Ran | None, str, Evidence]:
        """Run a check under a trace, and again without it if the trace may be the reason that it does not pass.

        A failure that will be confirmed runs without a trace then. A flapping check is never traced: a different answer
        under a trace would not show that tracing is the reason.
        """
        is_marked = mark_of(due.latest) > 0
        if not self._means.strace or is_marked or (due.verdict is not None and due.verdict.reads == UNTRACEABLE):
            ran, problem = self._run_at(due.spec, self._commit, due.moved)
            return ran, problem, Evidence(UNTRACEABLE if self._means.strace and not is_marked else "")
        traced, problem, evidence = self._run_traced(due)
        outcome, _ = self._outcome_of(traced, due.spec, problem)
        is_known = outcome == FAILS and due.verdict is not None and due.verdict.outcome == FAILS
        if problem or evidence.is_clear or not is_known:
            return traced, problem, evidence
        ran, problem = self._run_at(due.spec, self._commit, due.moved)
        return ran, problem, Evidence(UNTRACEABLE if self._outcome_of(ran, due.spec, problem)[0] == HOLDS else "")

    def _outcome_of(self, ran: Ran | None, spec: Spec, problem: str) -> tuple[str, str]:
        return outcome_of(ran, spec, self._means.rung, problem)

    def _find_vain(self, spec: Spec, ran: Ran | None, commit: str, moved: str) -> str:
        """Return what a check that holds did not find and needs, or what made a program of it crash; or empty.

        It is determined once for each commit.
        """
        if ran is None or spec.check.form == BUILTIN:
            return ""
        key = spec, commit, moved
        if key not in self._vain:
            texts = self._list_texts(spec, commit)

            def run(other: Spec) -> Ran | None:
                began = time.monotonic()
                again = self._run_at(other, commit, moved)[0]  # the setup runs too
                return replace(again, seconds=time.monotonic() - began) if again is not None else None

            is_safe = self._means.rung != sandbox.NONE and not spec.network
            absent = find_needed(spec, texts, ran.output, self._path(), run, is_safe=is_safe)
            crash = "" if absent else self._find_crash(spec, run)
            if not absent and not crash and is_safe:
                crash = find_crashed(spec, texts, self._path(), run)
                client = "" if crash else find_unserved(spec, texts, self._path(), run)
                crash = f"the service that {client} connects to" if client else crash
            self._vain[key] = f"the program {absent}" if absent else crash
        return self._vain[key]

    def _find_crash(self, spec: Spec, run: Callable[[Spec], Ran | None]) -> str:
        """Return what a crashed program of a check that holds lacks, if the check hides its messages.

        The check runs once more, with its messages.
        """
        shown = show_errors(spec) if self._means.rung != sandbox.NONE else None
        ran = run(shown) if shown is not None else None
        return find_crash(spec, ran.output) if ran is not None else ""

    def _list_texts(self, spec: Spec, commit: str) -> dict[str, str]:
        """Return the texts of a check and of what it runs, each with the folders that have further programs for it."""
        command = spec.check.words[0] if spec.check.form == SHELL else shlex.join(spec.check.words)
        top, read = self._git.repository.work_tree, self._reader_at(commit)
        texts = {command: ""} | list_texts(command, read)
        for text, folder in texts.items():
            bins = [f"{top}/{name}/node_modules/.bin" for name in dict.fromkeys((folder, ".")) if folder and top]
            texts[text] = ":".join(bins)
        return texts

    def _reader_at(self, commit: str) -> Callable[[str], str]:
        """Return a function that reads the text of a file of the code at a commit; empty if there is none."""
        with self._moving:
            tree = self._tree if commit == self._commit else self._moves.tree_at(commit)

        def read(path: str) -> str:
            entry = tree.places.find(path) if tree is not None else None
            content = next(self._git.read_blobs([entry[1]], limit=SCRIPT_BYTES))[1] if entry is not None else None
            return (content or b"").decode("utf-8", "replace")

        return read

    def _path(self) -> str:
        """Return where programs of checks may be: their PATH, with the Python environments of the work tree."""
        top = self._git.repository.work_tree
        return ":".join([*(f"{top}/{name}/bin" for name in ENVIRONMENTS if top), self._means.path])

    def _find_missing(self, due: Due, ran: Ran | None, evidence: Evidence) -> str:
        """Return what a check looked for and did not find, or was denied, besides the code; or empty."""
        seen = next(filter(None, (evidence.hidden, describe_unset(due.spec), evidence.missing)), "")
        if not seen and (absent := find_absent(due.spec, self._path())):
            seen = f"it needs the program {absent}, which is not on the PATH of checks"
        text = due.spec.check.words[0] if due.spec.check.form == SHELL else ""
        return seen or find_missing(ran.output if ran else "", text) or evidence.denied

    def _run_traced(self, due: Due) -> tuple[Ran | None, str, Evidence]:
        try:
            with self._grounds.take(self._commit, due.spec.folders) as ground:
                rans, problem = self._check(due.spec, ground, due.moved, strace=self._means.strace)
                shown = rans, ground, self._tree_of(due)
                ignored = self._grounds.list_ignored()
                return rans[-1], problem, gather(*shown, due=due, ignored=ignored, rung=self._means.rung)
        except GitmemError as err:
            return None, err.message, Evidence()

    def is_doubtful(self, result: Result) -> bool:
        """Return whether a failure must be confirmed: it is new, or the environment may be the cause.

        A known failure is compared again if its inputs or its reason changed: the fact may have been fixed in the
        meantime, or the environment may have changed.
        """
        due = result.due
        known = due.verdict
        if result.outcome != FAILS or result.is_unclear or known is None or known.outcome != FAILS:
            return result.outcome == FAILS
        is_other = due.why in ("inputs", "blocked") or result.because not in known.because
        return bool(known.held_commit) and is_other

    def confirm(self, result: Result, *, width: int = 1) -> Result:
        """Judge a doubtful failure by contrast and return the final result; *width* runs execute at the same time."""
        due, verdict = result.due, result.verdict
        assert verdict is not None, "a failure has a verdict"

        if due.attempt and due.verdict is None and not mark_of(due.latest):
            same = unconfirmed(verdict, is_unclear=result.is_unclear)
            again = self._unconfirmed(result, same)
            if again.reason == due.attempt:
                return again  # it was compared then
        was = due.verdict.outside if due.verdict is not None else ""
        if not verdict.outside and was != DECLARED:  # what it used when it held counts too
            verdict = replace(verdict, outside=was)
        is_known = due.verdict is not None and due.verdict.outcome == FAILS
        steadiness = STEADY if result.is_determined else due.steadiness
        firm = 1 if is_known else runs_needed(result.seconds, steadiness, is_hurried=self._means.is_hurried)
        held = self._last_held_commit(due)
        written = "" if held or is_known else self._find_written_commit(due)
        # For a slow check, the runs here and at the earlier commit are parallel: a break takes the time of two runs.
        is_long = result.seconds >= LONG_S and width > 1 and not mark_of(due.latest)
        with ThreadPoolExecutor(1) as pool:
            here = pool.submit(self._ask_often, due, self._commit, firm - 1, width) if is_long and held else None

            def ask(commit: str, times: int) -> list[tuple[str, str]]:
                if here is not None and commit == self._commit:
                    return here.result()
                return self._ask_often(due, commit, times, width if commit == self._commit else 1)

            where = {"held": held, "written": written}
            confirmation = confirm(due.latest, verdict, ask=ask, is_unclear=result.is_unclear, firm=firm, **where)
        if confirmation.outcome == UNPROVEN and is_known and due.verdict is not None:
            confirmation = Confirmation(FAILS, verdict=confirmation.verdict)  # confirmed when the failure was new
        if confirmation.verdict is None or confirmation.outcome == UNPROVEN:
            return self._unconfirmed(result, confirmation)
        verdict = confirmation.verdict
        if written and confirmation.outcome == FAILS and not verdict.outside:
            verdict = replace(verdict, held_commit=written, held_at=due.written_at)
        if confirmation.outcome == HOLDS:
            verdict = self._measure_flap(due, verdict, held, is_quick=result.seconds <= QUICK_S, width=width)
        elif is_known and due.verdict is not None:
            verdict = replace(verdict, confirmed=verdict.confirmed or due.verdict.confirmed)
        if confirmation.outcome == FAILS and verdict.confirmed and not verdict.outside:
            verdict = replace(verdict, because=explain_change(verdict.because, self._find_lost_script(due, held)))
        return replace(result, outcome=confirmation.outcome, because=verdict.because, reason="", verdict=verdict)

    def _unconfirmed(self, result: Result, confirmation: Confirmation) -> Result:
        """Return the result of a failure of which the code is not known to be the cause.

        A check that missed something that is not part of the code, or was denied it, is blocked.
        """
        reason = with_tools(confirmation.reason, result.due.verdict)
        outcome, unconfirmed = confirmation.outcome, confirmation.verdict
        if result.missing and outcome == UNPROVEN:
            outcome, unconfirmed, reason = BLOCKED, None, result.because
        if result.missing and result.missing not in reason:
            reason = f"{reason}; {result.missing}" if reason else result.missing
        return replace(result, outcome=outcome, because="", reason=reason, verdict=None, unconfirmed=unconfirmed)

    def _find_written_commit(self, due: Due) -> str:
        """Return the commit where a fact was written that was never seen to hold, if it is an earlier one."""
        with self._moving:
            commit = self._moves.find_written_commit(due.written_at)
        return commit if commit != self._commit else ""

    def _measure_flap(self, due: Due, verdict: Verdict, held: str, *, is_quick: bool, width: int) -> Verdict:
        """Return the verdict of a check that failed, then held; the failing run may have read other files."""
        evidence = Evidence()
        if mark_of(due.latest) == 0:
            verdict, is_trace = self._measure(due, verdict, held, is_quick=is_quick, width=width)
            evidence = Evidence(UNTRACEABLE) if is_trace else evidence
        verdict = replace(verdict, weak=self.is_weak(due))
        return attach(verdict, evidence, due, self._tree_of(due))

    def _find_lost_script(self, due: Due, held: str) -> str:
        """Return the script of a check if the code lost it after the fact held; or an empty string."""
        check = due.spec.check
        command = check.words[0] if check.form == SHELL else shlex.join(check.words)
        missing = [path for path in list_scripts(command) if not self._tree.places.find(path)]
        with self._moving:
            before = self._moves.tree_at(held) if missing else None
        return next((path for path in missing if before and before.places.find(path)), "")

    def _measure(self, due: Due, verdict: Verdict, held: str, *, is_quick: bool, width: int) -> tuple[Verdict, bool]:
        """Return the verdict of a fact that flapped for the first time, with how often it fails and since when.

        Also return whether it fails only when it is traced; then it is not flapping.
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
        needed = rate.runs_needed() if is_of_code else 0
        if needed and steadiness(held, needed, runs) == HOLDS:
            attempt = since(self._commit, rate, held, needed)
            return replace(verdict, attempt=attempt, culprit=self._commit, culprit_after=held), False
        return replace(verdict, attempt=f"{rate} on the same code"), False

    def _fails_traced(self, due: Due) -> bool:
        ran, problem, _ = self._run_traced(due)
        return self._outcome_of(ran, due.spec, problem)[0] in (FAILS, UNCLEAR)

    def _last_held_commit(self, due: Due) -> str:
        """Return the commit where a fact last held, if it can be run here; else an empty string.

        If the commit is a claim, it must be an ancestor of the judged code, since anyone who can push to the memory
        branch can write any name. A shallow clone cannot check this, and accepts any commit that the remote has.
        """
        held = due.verdict.held_commit if due.verdict is not None else ""
        if due.verdict is None or not held or not (self._git.has(held, "commit") or self._means.fetch(held)):
            return ""
        is_known = due.verdict.own or held == self._commit or self._git.is_ancestor(held, self._commit)
        return held if is_known or is_shallow(self._git) else ""

    def _find_moves(self, due: Due) -> str:
        """Return the moves of what a command names, including outdated ones, which are valid where the fact held."""
        with self._moving:
            held = self._moves.find_holding_commit(due.spec.check, due.verdict, due.written_at)
            return self._moves.find(due.spec.check, held, self._moves.trusted_moves(due.verdict))

    def _tree_of(self, due: Due) -> CodeTree:
        """Return the code as a fact's check sees it: with moved files also at their old paths."""
        return tree_with_moves(self._tree, due.moved)

    def ask(self, spec: Spec, commit: str, moved: str = "") -> tuple[str, str]:
        """Run a specification at one commit and return the outcome and the reason; *moved* files are also restored."""
        ran, problem = self._run_at(spec, commit, moved)
        outcome, why = self._outcome_of(ran, spec, problem)
        if outcome == HOLDS and (lacking := self._find_vain(spec, ran, commit, moved)):
            return BLOCKED, describe_vain(lacking)
        return outcome, why

    def _ask_often(self, due: Due, commit: str, times: int, width: int, *, end: str = HOLDS) -> list[tuple[str, str]]:
        """Run a fact's check at one commit up to *times* times, or until it shows *end*; return the results."""
        outcomes: list[tuple[str, str]] = []
        with ThreadPoolExecutor(width) as pool:
            while len(outcomes) < times and end not in [outcome for outcome, _ in outcomes]:
                outcomes += pool.map(
                    lambda _: self.ask(due.spec, commit, due.moved), range(min(width, times - len(outcomes)))
                )
        return outcomes

    def _run_at(self, spec: Spec, commit: str, moved: str = "") -> tuple[Ran | None, str]:
        """Run a specification on a private copy of one commit; the problem says why it could not be run."""
        try:
            with self._grounds.take(commit, spec.folders) as ground:
                rans, problem = self._check(spec, ground, moved)
                return rans[-1], problem
        except GitmemError as err:
            return None, err.message

    def _check(self, spec: Spec, ground: Ground, moved: str = "", *, strace: str = "") -> tuple[list[Ran], str]:
        """Run the policy's setup, then the check; the problem says why that could not be run.

        Moved files are restored at their old paths first; this only runs `mkdir`, `cp` and `git add`.
        """
        rans: list[Ran] = []
        if moved:
            self._run(("sh", "-c", restore_command(moved)), ground, spec)
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
        # Before paths are replaced: a value may contain one.
        output = without_values(ran.output, values, is_cut=ran.cut)
        places = (ground.path_in_check, ground.path) if isinstance(ground, Ground) else (ground,)
        return replace(ran, output=without_places(output, map(str, places), home()))

    def is_weak(self, due: Due) -> bool:
        """Return whether a check that holds proves little, and no counterexample refutes it.

        Such a check cannot fail, or also holds in an empty folder. This is determined once for each specification: an
        earlier verdict that it holds has the answer.
        """
        if due.verdict is not None and due.verdict.spec == due.row.spec and due.verdict.outcome == HOLDS:
            return due.verdict.weak
        if due.spec.refute:
            return not self.refutes(due.spec)
        if why_trivial(due.spec.check):
            return True
        if needs_code(due.spec.check) and not due.spec.setup:
            return False
        with self._grounds.empty() as folder:
            ran = self._run(argv_of(due.spec), folder, due.spec)
        return self._outcome_of(ran, due.spec, "")[0] == HOLDS

    def refutes(self, spec: Spec) -> bool:
        """Return whether the check fails after the counterexample changed a private copy of the code."""
        try:
            with self._grounds.take(self._commit, spec.folders) as ground:
                self._run(("sh", "-c", spec.refute), ground, spec)
                rans, problem = self._check(spec, ground)
        except GitmemError:
            return False
        return self._outcome_of(rans[-1], spec, problem)[0] == FAILS


def verdict_of(due: Due, outcome: str, *, commit: str, now: int, rung: str) -> Verdict:
    """Return the verdict of a run, as far as it follows from the run alone."""
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
