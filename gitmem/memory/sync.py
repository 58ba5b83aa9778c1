"""``memory.sync``: exchange memories with a remote; captures are committed first, proposals follow."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from gitmem.commands.sync.summary import SyncResult
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory


def sync(memory: Memory, remote: str, talk: RemoteOptions | None, *, dry_run: bool, **how: Any) -> SyncResult:
    """Exchange memories with a remote; takes the arguments of ``Memory.sync``."""
    from gitmem.commands.sync.sync import sync as exchange
    from gitmem.git.remotes import RemoteOptions

    repository, proposals = memory.repository, memory.proposals
    if not dry_run:
        repository.writer()  # commits the captured texts
        proposals.finish_move()
    talk = talk or RemoteOptions()
    done = exchange(repository, remote, talk, dry_run=dry_run, **how)
    if not dry_run:
        proposals.follow_memory(done.remote, talk)
    if done.merged != "nothing" and not dry_run:
        repository.catalog()
    return done
