"""Verify the facts of an opened repository: one job at a time, the project's facts and the private ones."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.model import ADOPTED
from gitmem.repository.verification import counts_here, note_unreadable, stores_to_prove
from gitmem.text import count_of, list_some
from gitmem.verify.options import SILENT, join_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from gitmem.repository import OpenRepository
    from gitmem.verify.options import Options, VerifyRun, Watch
    from gitmem.verify.run.judge import Result


def verify(
    repository: OpenRepository,
    options: Options,
    *,
    report: Callable[[Result, int, int], None],
    waiting: Callable[[str], None],
    watch: Watch | None,
    is_scheduled: bool,
) -> VerifyRun:
    """Verify the due facts, or those that the options name, and record the verdicts.

    Raises:
        BusyError: Another job is still running.
    """
    if not options.is_job():
        return _verify(repository, options, report, watch)
    from gitmem.verify.jobs.job import JobRun

    wait_s = 0.0 if options.if_idle else repository.config.lock_timeout_s
    folder = repository.git.repository.state
    with JobRun(folder, clock=repository.clock, is_scheduled=is_scheduled, wait_s=wait_s, report=waiting) as turn:
        run = _verify(repository, options, report, watch)
        outcomes = [result.outcome for result in run.results]
        failed = outcomes.count("fails")
        unchecked = len(outcomes) - failed - outcomes.count("holds")
        turn.job = replace(turn.job, commit=run.commit, due=run.due, failed=failed, unchecked=unchecked)
    return run


# The most claims that a notice names.
_NAMED = 3


def _verify(
    repository: OpenRepository, options: Options, report: Callable[[Result, int, int], None], watch: Watch | None
) -> VerifyRun:
    notice = _retire_withdrawn(repository) if options.is_job() and not (options.shard or options.results) else ""
    stores = stores_to_prove(repository, options)
    if options.shard or options.results:  # other machines do not have private memories
        stores = [(store, own) for store, own in stores if store is repository] or [(repository, options)]
    runs = [store.session(own).run(report, watch or SILENT) for store, own in stores]
    note_unreadable(repository)
    run = runs[0] if len(runs) == 1 else join_runs(runs)
    notices = (*run.notices, notice) if notice else run.notices
    return replace(run, proposal=repository.store.proposal, notices=notices)


def _retire_withdrawn(repository: OpenRepository) -> str:
    """Retire adopted facts that no document states, on the default branch, and check others where they hold now.

    Returns a notice of both; empty if there is none.
    """
    commit = repository.git.read_head()[1]
    if commit is None or not repository.has_store() or not counts_here(repository):
        return ""
    if not repository.catalog().row("SELECT count(*) FROM memory WHERE kind = ?", (ADOPTED,))[0]:
        return ""
    from gitmem.commands.adopt.withdrawn import follow_sources, retire_withdrawn  # only where documents were adopted

    gone = retire_withdrawn(repository, commit)
    moved = follow_sources(repository, commit)
    parts = [f"{count_of(len(gone), 'claim')} retired, since no document says so any more"] if gone else []
    named = list_some(moved, _NAMED)
    parts += [f"{count_of(len(moved), 'claim')} checked at another place, which says so now: {named}"] if moved else []
    return "; ".join(parts)
