"""Pull a source: batch after batch onto its ref, so that an interrupted pull continues where it stopped."""

from __future__ import annotations

import os

from gitmem.errors import BusyError, ConflictError, GitmemError, UnwritableError
from gitmem.frozen import frozen
from gitmem.git.forges.client import Forge
from gitmem.git.forges.job_environment import ForgeRepository
from gitmem.plugins.pull.branch import SourceBranch
from gitmem.plugins.pull.credentials import github_token, jira_token
from gitmem.plugins.pull.files import FilesPull
from gitmem.plugins.pull.github import GitHubPull
from gitmem.plugins.pull.jira import JiraPull
from gitmem.plugins.pull.source import GITHUB, JIRA, list_sources, lock_path, read_local, write_local
from gitmem.system import make_folder
from gitmem.system.file_lock import try_lock
from gitmem.text.durations import ago

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.plugins.pull.source import PullSource
    from gitmem.repository import OpenRepository

# The time limit for all requests of one pull in seconds: a large tracker's first pull is bounded by its rate limit.
TOTAL_S = 6 * 3600.0
# The number of its intervals after which an unpulled source is overdue, as for verify jobs.
SILENT = 2


@frozen
class PullResult:
    """The result of one pull.

    Attributes:
        source: The source.
        changed: The number of new and changed documents.
        deleted: The number of deleted documents.
        documents: The number of documents now.
        commit: Its commit; empty if there is none yet.
        error: The error that ended it early; None if it is complete. Documents pulled before are kept.
    """

    source: PullSource
    changed: int
    deleted: int
    documents: int
    commit: str
    error: GitmemError | None = None


@frozen
class SourceState:
    """The state of a source.

    Attributes:
        source: The source.
        documents: The number of documents.
        commit: Its commit; empty if it was never pulled.
        pulled: When it was last pulled completely, epoch seconds; 0 for never.
        waiting: The pull requests whose reviews and diffs are not pulled yet.
        error: The error that ended the last pull; empty if it was complete.
        is_silent: Whether it is overdue.
    """

    source: PullSource
    documents: int
    commit: str
    pulled: int
    waiting: int
    error: str
    is_silent: bool


def pull(repository: OpenRepository, source: PullSource, *, full: bool = False) -> PullResult:
    """Pull one source, and update its index.

    An error of the other side is part of the result: documents pulled before it are kept, and the next pull continues
    there.

    Args:
        repository: The repository.
        source: The source.
        full: Read everything again, and delete what no longer exists.

    Raises:
        BusyError: It is being pulled by another process.
        GitmemError: Nothing can be written here, or there is no token.
    """
    lock = _lock(repository, source)
    try:
        return _pull(repository, source, full=full)
    finally:
        os.close(lock)


def _lock(repository: OpenRepository, source: PullSource) -> int:
    path = lock_path(repository, source)
    try:
        make_folder(path.parent)
        lock = try_lock(path)
    except OSError as err:
        raise UnwritableError(f"{path.parent} cannot be written to: {err.strerror}") from err
    if lock is None:
        raise BusyError(f"another process is pulling {source.name}", hint="wait until it is done")
    return lock


def _pull(repository: OpenRepository, source: PullSource, *, full: bool) -> PullResult:
    branch, note = SourceBranch(repository, source), read_local(repository, source)
    if full:
        branch.manifest, note = {}, {}
    branch.manifest["source"] = {"kind": source.kind, "address": source.address}
    cursors: dict[str, Any] = branch.manifest.setdefault("cursors", {})
    etags: dict[str, list[str]] = note.get("etags", {}) if cursors else {}  # nothing is known about a new ref
    before = set(branch.paths())
    puller = _puller(repository, source, branch, cursors, etags)
    error: GitmemError | None = None
    try:
        for documents in puller.batches():
            gone = getattr(puller, "gone", [])
            branch.write(documents, gone=gone)
            gone.clear()
            _report(repository, source, branch)
        branch.write([], gone=before - branch.seen if full else ())
    except ConflictError:
        raise
    except GitmemError as err:
        error = err
    note = {
        "etags": etags,
        "at": note.get("at", 0) if error else repository.now,
        "error": error.message if error else "",
    }
    write_local(repository, source, note)
    if branch.tip is not None:
        repository.source_store(source.name).catalog()
    return PullResult(source, branch.written, branch.deleted, branch.count, branch.tip or "", error)


def _puller(
    repository: OpenRepository,
    source: PullSource,
    branch: SourceBranch,
    cursors: dict[str, Any],
    etags: dict[str, list[str]],
) -> GitHubPull | JiraPull | FilesPull:
    if source.kind == GITHUB:
        place = ForgeRepository(source.address, source.api)
        return GitHubPull(
            Forge(place, github_token(repository.git, source.api), total_s=TOTAL_S), source, cursors, etags
        )
    if source.kind == JIRA:
        token = jira_token(repository.git, source.address)
        site = ForgeRepository("", source.api)
        forge = Forge(site, token, scheme="Basic", accept="application/json", total_s=TOTAL_S)
        return JiraPull(forge, source, cursors, branch, now=repository.now)
    return FilesPull(repository, source, branch, repository.progress_of(f"cutting files of {source.name}"))


def _report(repository: OpenRepository, source: PullSource, branch: SourceBranch) -> None:
    progress = repository.progress_of(f"pulling {source.name}")
    if progress is not None and source.kind in (GITHUB, JIRA):
        progress(len(branch.seen), 0)


def pull_due(repository: OpenRepository) -> list[PullResult]:
    """Pull every source that is due; an error is recorded with its source."""
    pull_results = []
    for state in iter_states(repository, list_sources(repository)):
        if repository.now - state.pulled < state.source.every_s:
            continue
        try:
            pull_results.append(pull(repository, state.source))
        except GitmemError as err:
            write_local(repository, state.source, read_local(repository, state.source) | {"error": err.message})
    return pull_results


def iter_states(repository: OpenRepository, sources: list[PullSource]) -> Iterator[SourceState]:
    """Yield the state of each source; contacts no server."""
    for source in sources:
        note, branch = read_local(repository, source), SourceBranch(repository, source)
        pulled = int(note.get("at") or 0)
        cursors = branch.manifest.get("cursors", {})
        yield SourceState(
            source,
            branch.count,
            branch.tip or "",
            pulled,
            len(cursors.get("queue", [])) if isinstance(cursors, dict) else 0,
            str(note.get("error") or ""),
            is_silent=repository.now - pulled > SILENT * source.every_s,
        )


def list_overdue(repository: OpenRepository) -> list[str]:
    """Return a line for each source that is overdue, or whose last pull failed; opens no source."""
    messages = []
    for source in list_sources(repository):
        note = read_local(repository, source)
        age, error = repository.now - int(note.get("at") or 0), str(note.get("error") or "")
        when = f"was last pulled {ago(age)} ago" if note.get("at") else "was never pulled to its end"
        if age > SILENT * source.every_s or error:
            messages.append(
                f"the source {source.name} {when}{f': {error}' if error else ''} (gitmem pull {source.name})"
            )
    return messages


def age_of(state: SourceState, now: int) -> str:
    """Return in words how long ago a source was pulled."""
    return f"pulled {ago(max(0, now - state.pulled))} ago" if state.pulled else "never pulled to its end"
