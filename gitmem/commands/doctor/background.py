"""Problems of background work: uncommitted captures, failed jobs, replaced hooks."""

from __future__ import annotations

import os
import time

from gitmem.document.times import format_time
from gitmem.git.git import plausible
from gitmem.model import Problem
from gitmem.store.purged import read_journal
from gitmem.store.state import hook_log, losses
from gitmem.store.state.background import list_failures
from gitmem.store.state.litter import sweep
from gitmem.store.state.plain_files import WAITING, captured_at, names_in_spool, spool_folders
from gitmem.store.state.spool import Spool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.repository import OpenRepository

# Captures are committed when their session ends, or at a start or an end an hour later.
WAITS_AT_MOST_S = 86_400.0
# How long a failed hook is reported: hooks are not retried.
SHOWN_S = 7 * 86_400


def check_captures(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Return captures that are not memories: set aside, or waiting for longer than a session lasts."""
    spool = Spool(repository.git.repository.state)
    waiting = spool.list_waiting()
    if fix and waiting:
        repository.writer()  # commits pending captures first
        before, waiting = len(waiting), spool.list_waiting()
        fixed += [f"committed captured memories ({before - len(waiting)})"] if before > len(waiting) else []
    refused = [
        Problem("capture-refused", path, f"captured text was refused: {why}", severity="warning",
                hint="gitmem doctor --captured shows its text; --accept or --drop it there")
        for path, why in spool.list_refused()
    ]  # fmt: skip
    for folder in (f"{folder}/{WAITING}" for folder in spool_folders(repository.git.repository.state)):
        if (there := names_in_spool(folder)) and not os.access(folder, os.W_OK):
            message = "captured texts cannot be removed from this folder; each is committed once"
            hint = "make the folder writable, then gitmem doctor --fix"
            refused.append(Problem("capture-waits", folder, message, hint=hint, severity="warning"))
            waiting = [name for name in waiting if name not in there]
    old = [name for name in waiting if time.time() - captured_at(name) > WAITS_AT_MOST_S]
    if not old:
        return refused
    message = f"{len(old)} captured text{'s' * (len(old) != 1)} not committed yet; recall shows them anyway"
    return [*refused, Problem("capture-waits", "", message, hint="gitmem doctor --fix", severity="warning")]


def check_purge(repository: OpenRepository) -> list[Problem]:
    """Report a purge that was interrupted: what it removes may still be in this clone."""
    if read_journal(repository.git) is None:
        return []
    return [Problem("purge-unfinished", "", "a purge was interrupted", hint="gitmem purge --continue")]


def check_losses(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report captured texts that were lost, because no disk could store them."""
    folders = spool_folders(repository.git.repository.state)
    found = losses.list_losses(folders)
    if not found:
        return []
    last = f"{format_time(plausible(found[-1].at))}: {found[-1].why}"
    message = (
        f"{len(found)} captured text{'s' * (len(found) != 1)} could not be written and are lost, most recently {last}"
    )
    if fix:
        losses.forget(folders)
        fixed.append(f"deleted the log of lost captures: {message}")
        return []
    hint = "free some space or make the repository writable; then gitmem doctor --fix deletes this log"
    return [Problem("capture-lost", "", message, hint=hint, severity="warning")]


def sweep_litter(repository: OpenRepository, fix: bool, fixed: list[str]) -> None:
    """Remove leftovers of killed processes, if a repair is wanted; they do no harm, so they are not reported."""
    removed = sweep(repository.git, repository.ref) if fix else []
    if removed:
        fixed.append(f"removed files that killed processes left behind: {', '.join(removed)}")


def list_failed_jobs(repository: OpenRepository) -> list[Problem]:
    """Report background jobs whose last run failed."""
    state = repository.git.repository.state_dir
    return [
        Problem("background-failed", "", f"{what}, {format_time(plausible(when))}: {said.strip()}",
                hint=f"gitmem index does it now; the log is {state / 'background' / 'log'}", severity="warning")
        for what, said, when in list_failures(state)
    ]  # fmt: skip


def check_hooks(repository: OpenRepository, fix: bool, fixed: list[str]) -> list[Problem]:
    """Report, in one line, failures of client hooks in the last week, which were not shown at the time."""
    state = repository.git.repository.state
    since = time.strftime(hook_log.FORMAT, time.gmtime(repository.now - SHOWN_S))
    failures = [failure for failure in hook_log.list_failures(state) if failure.at >= since]
    if not failures:
        return []
    last = f"most recently {failures[-1].at}: {failures[-1].what}"
    message = f"{len(failures)} hook call{'s' * (len(failures) != 1)} failed in the last 7 days, {last}"
    if fix:
        hook_log.forget(state)
        fixed.append(f"deleted the log of failed hooks: {message}")
        return []
    hint = f"all of them: {hook_log.path_of(state)}; gitmem doctor --fix deletes it"
    return [Problem("agent-hook-failed", "", message, hint=hint, severity="warning")]


def list_replaced_hooks(replaced: Sequence[str]) -> list[Problem]:
    """Report hooks that something else replaced."""
    return [
        Problem("hook-replaced", path, "the hook is no longer gitmem's", hint="gitmem install git-hooks",
                severity="warning")
        for path in replaced
    ]  # fmt: skip
