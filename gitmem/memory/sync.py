"""``memory.sync``: exchange memories with a remote; captures are committed first, proposals follow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.commands.sync.summary import SyncResult
    from gitmem.commands.sync.sync import SyncSteps
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory


def sync(memory: Memory, remote: str, talk: RemoteOptions | None, how: SyncSteps) -> SyncResult:
    """Exchange memories with a remote; takes the arguments of ``Memory.sync``."""
    from gitmem.commands.sync.sync import sync as exchange
    from gitmem.git.remotes import RemoteOptions

    repository, proposals = memory.repository, memory.proposals
    if not how.dry_run:
        repository.writer()  # commits the captured texts
        proposals.finish_move()
    talk = talk or RemoteOptions()
    result = exchange(repository, remote, talk, how)
    if not how.dry_run:
        proposals.follow_memory(result.remote, talk)
    if result.merged != "nothing" and not how.dry_run:
        repository.catalog()
    return result
