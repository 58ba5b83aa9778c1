"""Sync in the background: bounded in time, silent when offline, and without prompts."""

from __future__ import annotations

from gitmem.commands.sync.companions import Companions
from gitmem.commands.sync.exchange import WAIT_S
from gitmem.commands.sync.sync import SyncSteps, sync
from gitmem.errors import BusyError, NoRepositoryError, NotFoundError, RemoteError
from gitmem.git.remotes import RemoteOptions, has_remote
from gitmem.store.companion import companion_branch
from gitmem.store.proposal import HEADS
from gitmem.store.scopes import memory_tip
from gitmem.store.state.plain_files import has_overdue_captures
from gitmem.store.state.write_lock import WriteLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from gitmem.repository import OpenRepository

# The time limit for one exchange in seconds: no one waits for it, and the next write tries again.
TIMEOUT_S = 30.0


def sync_quietly(repository: OpenRepository) -> bool:
    """Sync if that is wanted and possible; return whether it was done.

    A remote that is missing, unreachable or asks for a password is not an error here. Problems that a person must
    decide are errors, which ``doctor`` reports: a rewritten history, a secret that would be pushed.
    """
    if not repository.config.auto_sync or repository.store.proposal:
        return False
    if has_overdue_captures(repository.git.repository.state):
        repository.writer()  # commits them; the others wait for the end of their session
    talk = RemoteOptions(timeout_s=TIMEOUT_S, is_silent=True)
    try:
        sync(repository, "", talk, SyncSteps())
    except (RemoteError, NotFoundError, NoRepositoryError, BusyError):
        return False
    return True


def send_companions(repository: OpenRepository, remote: str, pushed: Mapping[str, str]) -> list[str]:
    """Push the companions of branches that are being pushed to a remote, and return those branches.

    A remote that is unreachable or asks for a password is not an error here, as in ``sync_quietly``: the next sync
    pushes them.

    Args:
        repository: The store.
        remote: The name of a remote; another one, such as an address, gets nothing.
        pushed: The commits that are pushed, by branch.
    """
    git, sent = repository.git, []
    if not has_remote(git, remote):
        return []
    talk = RemoteOptions(timeout_s=TIMEOUT_S, is_silent=True)
    with WriteLock(git.repository.state, command="sync", timeout_s=WAIT_S, name="sync.lock"):
        branches = Companions(repository, remote, talk)
        top = memory_tip(git, repository.store)
        for code, commit in pushed.items():
            here = git.read_ref(f"{HEADS}{companion_branch(code)}")
            if here is None or git.is_ancestor(here, top):
                continue
            try:
                branches.send(code, commit)
            except (RemoteError, NotFoundError, NoRepositoryError, BusyError):
                break
            sent.append(code)
    return sent
