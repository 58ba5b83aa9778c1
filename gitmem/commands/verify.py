"""Verify the facts of an opened repository: one job at a time, the project's facts and the private ones."""

from __future__ import annotations

from gitmem.frozen import replace
from gitmem.model import ADOPTED, FAILS
from gitmem.repository.verification import counts_here, note_unreadable, stores_to_prove
from gitmem.store.scopes import PRIVATE, PROJECT
from gitmem.text import count_of, list_some
from gitmem.verify.options import SILENT, join_runs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    has_none = not is_scheduled and not repository.stores((PROJECT, PRIVATE))  # a wrong command, not a failed job
    if has_none or not options.is_job():
        return _verify(repository, options, report, watch, is_scheduled=is_scheduled)
    from gitmem.verify.jobs.job import JobRun

    wait_s = 0.0 if options.if_idle else repository.config.lock_timeout_s
    folder = repository.git.repository.state
    with JobRun(folder, clock=repository.clock, is_scheduled=is_scheduled, wait_s=wait_s, report=waiting) as turn:
        run = _verify(repository, options, report, watch, is_scheduled=is_scheduled)
        outcomes = [result.outcome for result in run.results]
        failed = outcomes.count("fails")
        unchecked = len(outcomes) - failed - outcomes.count("holds")
        turn.job = replace(turn.job, commit=run.commit, due=run.due, failed=failed, unchecked=unchecked)
    return run


# The most claims that a notice names.
_CLAIMS_SHOWN = 3


def _verify(
    repository: OpenRepository,
    options: Options,
    report: Callable[[Result, int, int], None],
    watch: Watch | None,
    *,
    is_scheduled: bool,
) -> VerifyRun:
    notice, withdrawn = _follow_documents(repository, options)
    stores = stores_to_prove(repository, options)
    if options.shard or options.results:  # other machines do not have private memories
        stores = [(store, own) for store, own in stores if store is repository] or [(repository, options)]
    runs = [store.session(own).run(report, watch or SILENT) for store, own in stores]
    note_unreadable(repository)
    run = runs[0] if len(runs) == 1 else join_runs(runs)
    if options.dirty:
        run, reasons = _without_withdrawn(repository, run)
        withdrawn |= reasons
    named = [key for key in withdrawn if not options.keys or key in options.keys]
    unseen = "" if run.due or is_scheduled or not options.is_job() else _describe_uncommitted(repository)
    notices = [*run.notices, notice, _describe_withdrawn(named), unseen]
    run = replace(run, withdrawn=tuple((key, withdrawn[key]) for key in sorted(named)))
    return replace(run, proposal=repository.store.proposal, notices=tuple(filter(None, notices)))


def _follow_documents(repository: OpenRepository, options: Options) -> tuple[str, dict[str, str]]:
    """Retire adopted facts that no document states, on the default branch, and check others where they hold now.

    Elsewhere, and where only some facts are judged, such facts are left out of the run. Returns a notice, which may be
    empty, and why facts are left out, by key.
    """
    commit = repository.git.read_head()[1]
    if commit is None or not repository.has_store():
        return "", {}
    if not repository.catalog().row("SELECT count(*) FROM memory WHERE kind = ?", (ADOPTED,))[0]:
        return "", {}
    from gitmem.commands.adopt.withdrawn import (  # only where documents were adopted
        follow_sources,
        note_withdrawn,
        retire_withdrawn,
    )

    if not (options.is_job() and counts_here(repository)) or options.shard or options.results:
        return "", note_withdrawn(repository, commit)
    gone = retire_withdrawn(repository, commit)
    moved = follow_sources(repository, commit)
    parts = [f"{count_of(len(gone), 'claim')} retired, since no document says so any more"] if gone else []
    named = list_some(moved, _CLAIMS_SHOWN)
    parts += [f"{count_of(len(moved), 'claim')} checked at another place, which says so now: {named}"] if moved else []
    return "; ".join(parts), {}


def _without_withdrawn(repository: OpenRepository, run: VerifyRun) -> tuple[VerifyRun, dict[str, str]]:
    """Return a run on the work tree without failing facts that its documents no longer state; and why, by key."""
    failed = {
        result.due.row.key for result in run.results if result.outcome == FAILS and result.due.document.kind == ADOPTED
    }
    if not failed:
        return run, {}
    from gitmem.commands.adopt.withdrawn import find_withdrawn, list_facts
    from gitmem.verify.ground import dirty

    facts = {key: fact for key, fact in list_facts(repository).items() if key in failed}
    with dirty.snapshot(repository.git) as snapshot:
        withdrawn = find_withdrawn(snapshot.git, snapshot.commit, facts)
    results = tuple(result for result in run.results if result.due.row.key not in withdrawn)
    return replace(run, results=results, due=run.due - len(withdrawn)), withdrawn


def _describe_uncommitted(repository: OpenRepository) -> str:
    """Return a notice for a person who expects a change of the work tree to be judged; empty if there is none."""
    from gitmem.git.staging_area import has_changes

    if not has_changes(repository.git):
        return ""
    return "uncommitted changes were not looked at; to judge them: gitmem verify --dirty"


def _describe_withdrawn(keys: Sequence[str]) -> str:
    """Return a notice of facts that do not count; empty if there are none."""
    if not keys:
        return ""
    fail, their = ("fails", "its sentence is") if len(keys) == 1 else ("fail", "their sentences are")
    named = list_some(sorted(keys), _CLAIMS_SHOWN)
    return f"{count_of(len(keys), 'claim')} {fail} but {their} gone or changed here: {named}"
