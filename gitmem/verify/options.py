"""The options of a verify run, the callbacks for its progress, and its result. No effects."""

from __future__ import annotations

from gitmem.frozen import frozen, replace
from gitmem.model import FAILS, HOLDS
from gitmem.text.natural_order import natural_order
from gitmem.verify.overview.stock import Stock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from gitmem.verify.due import Due
    from gitmem.verify.jobs.shards import Shard
    from gitmem.verify.record import RecordResult
    from gitmem.verify.run.judge import Result


@frozen
class Options:
    """The options of a verify run.

    Attributes:
        keys: Judge only these facts, due or not.
        everything: Judge all facts, due or not.
        approved: A reviewed list's path on the default branch, or empty.
        no_sandbox: Run without a sandbox, only if explicitly requested.
        record: Commit the verdicts although HEAD is not the default branch.
        dry_run: Only list what is due.
        dirty: Judge the work tree with its uncommitted changes, and record nothing.
        jobs: Checks to run at once; 0 for the setting.
        shard: Judge only this part of the due facts; None for all.
        results: The file to write results to, instead of the branch; empty for none.
        if_idle: Do nothing if another verify job of this repository is running, instead of waiting for it.
        offline: Do not first fetch verdicts recorded by others.
    """

    keys: tuple[str, ...] = ()
    everything: bool = False
    approved: str = ""
    no_sandbox: bool = False
    record: bool = False
    dry_run: bool = False
    dirty: bool = False
    jobs: int = 0
    shard: Shard | None = None
    results: str = ""
    if_idle: bool = False
    offline: bool = False

    def fetches(self) -> bool:
        """Return whether verdicts of others are fetched first; not for shards, which must start from one state."""
        return not (self.offline or self.dry_run or self.dirty or self.shard or self.results)

    def is_job(self) -> bool:
        """Return whether this is a job that judges all due facts, and not just a look at some."""
        return not (self.keys or self.dry_run or self.dirty)


@frozen
class Watch:
    """Callbacks for the progress of a run.

    Attributes:
        expect: Called with the number of facts that will be judged.
        began: Called from any thread with the key of a fact when its check starts.
        doubted: Called with the key of a failed fact that is checked again once all others have ended.
        tick: Called repeatedly while checks run, from the thread that gets the results.
    """

    expect: Callable[[int], None]
    began: Callable[[str], None]
    doubted: Callable[[str], None]
    tick: Callable[[], None]


SILENT = Watch(*[lambda *_: None] * 4)


# How a message names an outcome.
SAYS = {HOLDS: "holds", FAILS: "fails"}


@frozen
class WrongClaim:
    """A claimed verdict that the check itself contradicts.

    Attributes:
        key: The fact.
        title: Its title.
        path: The verdict's file on the memory branch.
        claimed: The claimed outcome.
        answer: What the check answers for the same inputs: ``holds`` or ``fails``.
        because: Why it fails, or empty.
    """

    key: str
    title: str
    path: str
    claimed: str
    answer: str
    because: str = ""

    @property
    def message(self) -> str:
        """Return the message about the verdict, one line without the key."""
        why = f" ({self.because})" if self.because else ""
        return f"the claimed verdict says that it {SAYS[self.claimed]}, but the check {SAYS[self.answer]} here{why}"


@frozen
class VerifyRun:
    """The result of a verify run.

    Attributes:
        commit: The code commit that was judged.
        due: How many facts were due.
        results: The result for each of them, by key; empty for a dry run.
        recorded: What was committed, or None if verdicts stay local or there were none.
        standing: The state of the store afterwards.
        rung: The sandbox's rung that commands ran on; empty if none ran.
        is_local: Whether verdicts were kept as local state: HEAD is not the default branch, or a proposal is current.
        would_run: For a dry run, the due facts.
        dirty: Whether the work tree was judged, on top of the commit; then nothing is recorded.
        notices: Messages about the run for the user.
        unrecorded: Why the verdicts could not be recorded; empty if they were, or if there were none.
        written: The file that results were written to; empty if that was not requested.
        proposal: The current proposal; empty if there is none.
        wrong: Claimed verdicts that their built-in checks contradict, by key.
        unfetched: Why verdicts recorded by others could not be fetched first; empty if they were, or need not be.
        runnable: For a dry run, the keys of due facts that may run here: built-in checks, and approved commands.
        withdrawn: Adopted facts that fail and do not count, since their documents here no longer say so: each key with
            the reason, by key.
    """

    commit: str
    due: int
    results: tuple[Result, ...]
    recorded: RecordResult | None
    standing: Stock
    rung: str = ""
    is_local: bool = False
    would_run: tuple[Due, ...] = ()
    dirty: bool = False
    notices: tuple[str, ...] = ()
    unrecorded: str = ""
    written: str = ""
    proposal: str = ""
    wrong: tuple[WrongClaim, ...] = ()
    unfetched: str = ""
    runnable: frozenset[str] = frozenset()
    withdrawn: tuple[tuple[str, str], ...] = ()


def join_runs(runs: Sequence[VerifyRun]) -> VerifyRun:
    """Join the runs of several stores at one commit, the project's first, into one."""
    first = runs[0]
    kinds, statuses, claims = (dict[str, int]() for _ in range(3))
    for run in runs:
        mine = run.standing
        for counts, more in ((kinds, mine.kinds), (statuses, mine.statuses), (claims, mine.claims)):
            for name, number in more.items():
                counts[name] = counts.get(name, 0) + number
    every = (line for run in runs for line in run.standing.lines)
    lines = sorted(every, key=lambda line: (line.status, natural_order(line.key)))
    return replace(
        first,
        due=sum(run.due for run in runs),
        results=tuple(result for run in runs for result in run.results),
        recorded=next((run.recorded for run in runs if run.recorded and run.recorded.commit), first.recorded),
        standing=Stock(
            kinds,
            statuses,
            tuple(lines),
            tuple(line for run in runs for line in run.standing.flapping),
            tuple(key for run in runs for key in run.standing.moved),
            claims,
        ),
        rung=next((run.rung for run in runs if run.rung), ""),
        is_local=any(run.is_local for run in runs),
        would_run=tuple(due for run in runs for due in run.would_run),
        runnable=frozenset(key for run in runs for key in run.runnable),
        unrecorded=next((run.unrecorded for run in runs if run.unrecorded), ""),
        wrong=tuple(wrong for run in runs for wrong in run.wrong),
        notices=tuple(dict.fromkeys(notice for run in runs for notice in run.notices)),
    )
