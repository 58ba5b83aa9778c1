"""Pull a source: batch after batch onto its ref, so that a pull that is ended half-way goes on where it was."""

from __future__ import annotations

import os

from gitmem.commands.forge.client import Forge
from gitmem.commands.forge.place import ForgeRepository
from gitmem.commands.pull.branch import SourceBranch
from gitmem.commands.pull.credentials import github_token, jira_token
from gitmem.commands.pull.files import FilesPull
from gitmem.commands.pull.github import GitHubPull
from gitmem.commands.pull.jira import JiraPull
from gitmem.commands.pull.source import GITHUB, JIRA, list_sources, lock_path, read_local, write_local
from gitmem.errors import BusyError, ConflictError, GitmemError, UnwritableError
from gitmem.frozen import frozen
from gitmem.system.file_lock import make_folder, try_lock
from gitmem.text.durations import ago

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from gitmem.commands.pull.source import Source
    from gitmem.repository.repository import OpenRepository

# Seconds that all requests of one pull may take: a large tracker's first one is limited by its rate limit instead.
TOTAL_S = 6 * 3600.0
# Times of its schedule after which a source that was not pulled is silent, as for verify jobs.
SILENT = 2


@frozen
class PullResult:
    """What one pull did.

    Attributes:
        source: The source.
        changed: How many documents are new or have changed.
        deleted: How many are gone.
        documents: How many there are now.
        commit: Its commit; empty where there is none yet.
        error: What ended it before its end; None where it is whole. What came before is kept.
    """

    source: Source
    changed: int
    deleted: int
    documents: int
    commit: str
    error: GitmemError | None = None


@frozen
class SourceState:
    """How a source stands.

    Attributes:
        source: The source.
        documents: How many documents it has.
        commit: Its commit; empty where it was never pulled.
        pulled: When it was last pulled to its end, epoch seconds; 0 for never.
        waiting: Pull requests whose reviews and diffs are not pulled yet.
        error: What ended the last pull; empty where it was whole.
        is_silent: Whether it should have been pulled again by now.
    """

    source: Source
    documents: int
    commit: str
    pulled: int
    waiting: int
    error: str
    is_silent: bool


def pull(memory: OpenRepository, source: Source, *, full: bool = False) -> PullResult:
    """Pull one source, and bring its index up to date.

    An error of the other side is part of the result: what came before it is kept, and the next pull goes on there.

    Args:
        memory: The repository.
        source: The source.
        full: Read everything again, and delete what is not there any more.

    Raises:
        BusyError: It is being pulled by another process.
        GitmemError: Nothing can be written here, or there is no token.
    """
    lock = _locked(memory, source)
    try:
        return _pull(memory, source, full=full)
    finally:
        os.close(lock)


def _locked(memory: OpenRepository, source: Source) -> int:
    path = lock_path(memory, source)
    try:
        make_folder(path.parent)
        lock = try_lock(path)
    except OSError as err:
        raise UnwritableError(f"{path.parent} cannot be written to: {err.strerror}") from err
    if lock is None:
        raise BusyError(f"another process is pulling {source.name}", hint="wait until it is done")
    return lock


def _pull(memory: OpenRepository, source: Source, *, full: bool) -> PullResult:
    branch, note = SourceBranch(memory, source), read_local(memory, source)
    if full:
        branch.manifest, note = {}, {}
    branch.manifest["source"] = {"kind": source.kind, "address": source.address}
    cursors: dict[str, Any] = branch.manifest.setdefault("cursors", {})
    etags: dict[str, list[str]] = note.get("etags", {}) if cursors else {}  # of a ref that is new, nothing is known
    before = set(branch.paths())
    puller = _puller(memory, source, branch, cursors, etags)
    error: GitmemError | None = None
    try:
        for documents in puller.batches():
            gone = getattr(puller, "gone", [])
            branch.write(documents, gone=gone)
            gone.clear()
            _report(memory, source, branch)
        branch.write([], gone=before - branch.seen if full else ())
    except ConflictError:
        raise
    except GitmemError as err:
        error = err
    note = {"etags": etags, "at": note.get("at", 0) if error else memory.now, "error": error.message if error else ""}
    write_local(memory, source, note)
    if branch.tip is not None:
        memory.source_store(source.name).catalog()
    return PullResult(source, branch.written, branch.deleted, branch.count, branch.tip or "", error)


def _puller(
    memory: OpenRepository, source: Source, branch: SourceBranch, cursors: dict[str, Any], etags: dict[str, list[str]]
) -> GitHubPull | JiraPull | FilesPull:
    if source.kind == GITHUB:
        place = ForgeRepository(source.address, source.api)
        return GitHubPull(Forge(place, github_token(memory.git, source.api), total_s=TOTAL_S), source, cursors, etags)
    if source.kind == JIRA:
        token = jira_token(memory.git, source.address)
        site = ForgeRepository("", source.api)
        forge = Forge(site, token, scheme="Basic", accept="application/json", total_s=TOTAL_S)
        return JiraPull(forge, source, cursors, branch, now=memory.now)
    return FilesPull(memory, source, branch, memory.progress_of(f"cutting files of {source.name}"))


def _report(memory: OpenRepository, source: Source, branch: SourceBranch) -> None:
    progress = memory.progress_of(f"pulling {source.name}")
    if progress is not None and source.kind in (GITHUB, JIRA):
        progress(len(branch.seen), 0)


def pull_due(memory: OpenRepository) -> list[PullResult]:
    """Pull every source whose time has come; what keeps one from it is noted with it."""
    done = []
    for state in iter_states(memory, list_sources(memory)):
        if memory.now - state.pulled < state.source.every_s:
            continue
        try:
            done.append(pull(memory, state.source))
        except GitmemError as err:
            write_local(memory, state.source, read_local(memory, state.source) | {"error": err.message})
    return done


def iter_states(memory: OpenRepository, sources: list[Source]) -> Iterator[SourceState]:
    """Yield how each source stands; asks no server."""
    for source in sources:
        note, branch = read_local(memory, source), SourceBranch(memory, source)
        pulled = int(note.get("at") or 0)
        cursors = branch.manifest.get("cursors", {})
        yield SourceState(
            source,
            branch.count,
            branch.tip or "",
            pulled,
            len(cursors.get("queue", [])) if isinstance(cursors, dict) else 0,
            str(note.get("error") or ""),
            is_silent=memory.now - pulled > SILENT * source.every_s,
        )


def list_overdue(memory: OpenRepository) -> list[str]:
    """Return a line for each source that fell silent, or whose last pull failed; opens no source."""
    found = []
    for source in list_sources(memory):
        note = read_local(memory, source)
        age, error = memory.now - int(note.get("at") or 0), str(note.get("error") or "")
        when = f"was last pulled {ago(age)} ago" if note.get("at") else "was never pulled to its end"
        if age > SILENT * source.every_s or error:
            found.append(f"the source {source.name} {when}{f': {error}' if error else ''} (gitmem pull {source.name})")
    return found


def age_of(state: SourceState, now: int) -> str:
    """Return how long ago a source was pulled, in words."""
    return f"pulled {ago(max(0, now - state.pulled))} ago" if state.pulled else "never pulled to its end"
