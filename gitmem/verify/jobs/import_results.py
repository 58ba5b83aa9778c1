"""Import result files from other machines into the store, in one commit.

Nothing is run, and everything that can be computed here is computed instead of trusted: which facts exist, their
specifications and claims, the digests of their inputs, the answers of built-in checks, and where a failed fact last
held. The rest is a claim, as in any file that someone pushed.
"""

from __future__ import annotations

from collections import Counter

from gitmem.errors import GitmemError, RefusedError
from gitmem.frozen import frozen, replace
from gitmem.model import BLOCKED, BUILTIN, HOLDS, RUNGS, UNPROVEN
from gitmem.statuses import SKEW_S
from gitmem.store.layout import VERDICT_LIMIT
from gitmem.store.verdicts import format_verdict
from gitmem.store.verdicts.environment import clean_environment
from gitmem.text import display
from gitmem.verify.builtin_answers import answer_all
from gitmem.verify.due import digester, is_accepted
from gitmem.verify.jobs import result_file
from gitmem.verify.overview.stock import describe_statuses
from gitmem.verify.run.judge import SKIPPED
from gitmem.verify.run.reason import reason_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.git import Git
    from gitmem.model import Verdict
    from gitmem.policy import Policy
    from gitmem.verify.due import Due
    from gitmem.verify.inputs import CodeTree
    from gitmem.verify.jobs.result_file import Results
    from gitmem.verify.overview.stock import Stock
    from gitmem.verify.record import RecordResult
    from gitmem.verify.session import Session

TWICE = "it is judged more than once"
WRONG = "the check gives a different answer here"


@frozen
class RecordingResult:
    """The result of importing result files.

    Attributes:
        commit: The code commit here.
        recorded: The commit and what it changed.
        taken: Keys of the facts whose verdicts were accepted.
        unlearnt: Facts that the other machines could not check, or skipped, with their outcome.
        skipped: Facts whose result was not accepted, with the reason.
        refused: Refused files with the reason, one line each.
        missing: Shards without a file.
        standing: The state of the store afterwards.
    """

    commit: str
    recorded: RecordResult
    taken: tuple[str, ...]
    unlearnt: tuple[tuple[str, str], ...]
    skipped: tuple[tuple[str, str], ...]
    refused: tuple[str, ...]
    missing: tuple[str, ...]
    standing: Stock


@frozen
class RecordContext:
    """The code and the store that results are compared with.

    Attributes:
        git: The repository.
        commit: The code commit here.
        tree: The files of that commit.
        tip: The commit of the memory branch; empty if there is none.
        policy: The store's policy.
        now: Epoch seconds.
    """

    git: Git
    commit: str
    tree: CodeTree
    tip: str
    policy: Policy
    now: int

    def is_behind(self, old: str, new: str) -> bool:
        """Return whether *old* is *new*, or is in its history."""
        return old == new or (bool(new) and self.git.has(old, "commit") and self.git.is_ancestor(old, new))


def import_files(session: Session, paths: Sequence[str], tip: str) -> RecordingResult:
    """Record the results in files, as far as they match the store and the code here.

    Args:
        session: A session for all facts.
        paths: The result files.
        tip: The commit of the memory branch; empty if there is none.

    Raises:
        RefusedError: There are more files than the largest number of shards.
        GitmemError: Verdicts do not count here: HEAD is not the default branch.
    """
    if len(paths) > result_file.FILES_LIMIT:
        raise RefusedError(f"{len(paths)} files were given; there can be at most {result_file.FILES_LIMIT} shards")
    if not session.counts():
        raise GitmemError(
            "results are recorded on the default branch, but HEAD is on another one",
            hint="check out the default branch, or add --record: gitmem verify --record --record-results FILE",
        )
    tree = session.tree()
    here = RecordContext(tree.git, session.commit, tree, tip, session.known.policy, session.known.now)
    files, refused = _read_all(here, paths)
    dues = {due.row.key: due for due in session.list_due()}
    answers = answer_all(
        tree.git, here.tree, (due.spec.check for due in dues.values() if due.spec.check.form == BUILTIN)
    )
    keys = Counter(line.verdict.key for file in files for line in file.lines)
    twice = {key for key, number in keys.items() if number > 1}
    verdicts, unlearnt, skipped = [], [], [(key, TWICE) for key in sorted(twice)]
    for file in files:
        for claimed in (line.verdict for line in file.lines):
            if claimed.key in twice:
                continue
            if claimed.outcome in (BLOCKED, UNPROVEN, SKIPPED):
                unlearnt.append((claimed.key, claimed.outcome))
                continue
            due = dues.get(claimed.key)
            reason, verdict = _judge(here, claimed, due)
            answer = answers.get(due.spec.check) if due is not None else None
            if verdict is not None and answer is not None and answer.outcome != claimed.outcome:
                reason, verdict = WRONG, None
            if verdict is not None:
                verdicts.append(verdict)
            else:
                skipped.append((claimed.key, reason))
    recorded, standing = session.record_claimed(verdicts)
    return RecordingResult(
        session.commit,
        recorded,
        tuple(sorted(v.key for v in verdicts)),
        tuple(sorted(unlearnt)),
        tuple(sorted(skipped)),
        tuple(refused),
        tuple(result_file.list_missing(files)),
        standing,
    )


def _read_all(here: RecordContext, paths: Sequence[str]) -> tuple[list[Results], list[str]]:
    """Return the valid files, and one message for each refused one."""
    files: list[Results] = []
    refused: list[str] = []
    for path in paths:
        try:
            results = result_file.read_results(path)
            _refuse_foreign(here, results)
            if sum(len(file.lines) for file in (*files, results)) > result_file.FACTS_LIMIT:
                raise ValueError(f"the files have more than {result_file.FACTS_LIMIT} facts in total")
        except RefusedError as err:
            refused.append(err.message)
        except ValueError as err:
            refused.append(f"{display(path)} is refused: {err}")
        else:
            files.append(results)
    return files, refused


def _refuse_foreign(here: RecordContext, file: Results) -> None:
    """Refuse a file of another history.

    Raises:
        ValueError: Its code commit is not in the history of HEAD, or its memory commit not in that of the branch.
    """
    if not here.is_behind(file.code, here.commit):
        raise ValueError(f"the code it judged, {file.code[:12]}, is not in the history of HEAD")
    if file.memory and not here.is_behind(file.memory, here.tip):
        raise ValueError(f"the memory it used, {file.memory[:12]}, is not in the history of the branch")


def _judge(here: RecordContext, claimed: Verdict, due: Due | None) -> tuple[str, Verdict | None]:
    """Return a claimed verdict as it can be recorded here, or the reason why it cannot be."""
    if due is None:
        return "there is no such fact here", None
    if (claimed.spec, claimed.claim) != (due.row.spec, due.row.claim):
        return "the fact or its command is different here", None
    if (claimed.sandbox == RUNGS[-1]) is not (due.spec.check.form == BUILTIN) or not claimed.sandbox:
        return "it was not judged the way such a check is judged", None
    if claimed.at > here.now + SKEW_S:
        return "it was judged in the future", None
    verdict = _verdict(here, claimed, due)
    if claimed.inputs != digester(here.tree, due.row)(verdict):
        return "its inputs are different here", None
    if len(format_verdict(verdict).encode()) > VERDICT_LIMIT:
        return "it is too long for a verdict", None
    if not is_accepted(verdict, here.policy, now=here.now):
        return "the policy does not accept it", None
    old = due.verdict
    # The file may contain verdicts that this clone itself made and that are not on the branch yet.
    is_itself = old is not None and old.own and (old.at, old.outcome) == (claimed.at, claimed.outcome)
    if old is not None and old.inputs == claimed.inputs and old.at >= claimed.at and not is_itself:
        return "there is already a verdict that is as new", None
    return "", verdict


def _verdict(here: RecordContext, claimed: Verdict, due: Due) -> Verdict:
    old = due.verdict
    is_failure = claimed.outcome != HOLDS
    held = (claimed.commit, claimed.at) if not is_failure else (old.held_commit, old.held_at) if old else ("", 0)
    is_blamed = is_failure or claimed.flapping > 0  # for a flapping fact, the culprit made it unsteady
    culprit, after = (
        c if is_blamed and c and here.is_behind(c, here.commit) else ""
        for c in (claimed.culprit, claimed.culprit_after)
    )
    return replace(
        claimed,
        because=_plain(claimed.because) if is_failure else "",
        held_commit=held[0],
        held_at=held[1],
        confirmed=claimed.confirmed or not is_failure,
        culprit=culprit,
        culprit_after=after if culprit else "",
        seconds=float(claimed.seconds),
        environment=clean_environment(claimed.environment),
        rests=due.rests,
        attempt=_plain(claimed.attempt) if claimed.flapping else "",
        attempt_at=min(claimed.attempt_at, claimed.at) if claimed.flapping else 0,
    )


def _plain(text: str) -> str:
    """Clean the reason of a failure for storage, display and a forge's log, where ``##[`` begins a command.

    Source: GitHub's runner, ActionCommand.TryParse: ``::`` counts only at the start of a line, ``##[`` anywhere.
    """
    return reason_of(text).replace("##[", "## [").lstrip(":")


def exit_status(result: RecordingResult, *, fail_on: str) -> int:
    """Return the exit status of the command: 2 refused, 1 the answer is no, 3 something could not be checked.

    Args:
        result: The result of the import.
        fail_on: Which failures give status 1: ``failed``, all in the store; ``news``, only new ones; ``never``, none.
    """
    if result.refused or any(why == TWICE for _, why in result.skipped):
        return 2
    if fail_on == "never":
        return 0
    statuses, recorded = result.standing.statuses, result.recorded
    is_no = recorded.failed or recorded.suspect if fail_on == "news" else statuses["failed"] or statuses["suspect"]
    if is_no or any(why == WRONG for _, why in result.skipped):
        return 1
    return 3 if result.unlearnt or result.skipped or result.missing else 0


def summary(result: RecordingResult) -> str:
    """Summarise the import in one line."""
    parts = [f"{len(result.taken)} accepted"]
    for number, what in (
        (len(result.skipped), "not taken"),
        (len(result.unlearnt), "not checked there"),
        (len(result.refused), "file refused" if len(result.refused) == 1 else "files refused"),
    ):
        parts += [f"{number} {what}"] if number else []
    where = f"; recorded as {result.recorded.commit[:12]}" if result.recorded.commit else "; nothing new to record"
    return f"{', '.join(parts)}{where}. Now: {describe_statuses(result.standing) or 'no facts'}."


def as_table(result: RecordingResult) -> dict[str, Any]:
    """Return the result as the documented JSON."""
    return {
        "commit": result.commit,
        "recorded": result.recorded.commit,
        "taken": list(result.taken),
        "failed": list(result.recorded.failed),
        "unchecked": [{"key": key, "outcome": outcome} for key, outcome in result.unlearnt],
        "skipped": [{"key": key, "reason": reason} for key, reason in result.skipped],
        "refused": list(result.refused),
        "missing_shards": list(result.missing),
        "statuses": dict(result.standing.statuses),
    }
