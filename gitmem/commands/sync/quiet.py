"""Sync in the background, for people who want it (``gitmem.autoSync``): bounded, silent offline, and asking nothing."""

from __future__ import annotations

from gitmem.commands.sync.sync import sync
from gitmem.errors import BusyError, NoRepositoryError, NotFoundError, RemoteError
from gitmem.git.remotes import RemoteOptions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.repository import OpenRepository

# What one exchange with the remote may take, in seconds: nobody waits for it, and the next write tries again.
TIMEOUT_S = 30.0


def sync_quietly(memory: OpenRepository) -> bool:
    """Bring both sides together where that is wanted and possible; tell whether it was done.

    A remote that is missing, out of reach or asks for a password is no failure here. What a person must decide is one,
    and ``doctor`` reports it: a history that was rewritten, a secret that would be pushed.
    """
    if not memory.config.auto_sync or memory.store.proposal:
        return False
    memory.writer()  # commits what was captured
    talk = RemoteOptions(timeout_s=TIMEOUT_S, is_silent=True)
    try:
        sync(memory, "", talk, push=True, dry_run=False)
    except (RemoteError, NotFoundError, NoRepositoryError, BusyError):
        return False
    return True
