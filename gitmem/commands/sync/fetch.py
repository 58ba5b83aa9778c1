"""Fetch the remote's memory before facts are judged: quickly and silently."""

from __future__ import annotations

from gitmem.commands.sync.exchange import Exchange
from gitmem.errors import GitmemError
from gitmem.git import remotes
from gitmem.git.remotes import RemoteOptions
from gitmem.store.state.write_lock import WriteLock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository

# How long a verify waits for the remote at most, in seconds: a small fetch takes 0.5 s over a slow line.
TIMEOUT_S = 2.0


def fetch(repository: OpenRepository) -> str:
    """Fetch the remote's memory into this clone; return why that failed, on one line, or an empty string.

    Nothing is pushed, and nothing is fetched while a proposal is current, since that is another branch.
    """
    if repository.store.proposal:
        return ""
    git, remote, branch = repository.git, repository.config.remote, repository.config.branch
    talk = RemoteOptions(timeout_s=TIMEOUT_S, is_silent=True)
    try:
        if git.read_ref(repository.ref) is None:  # a fresh clone reads the remote's branch
            remotes.fetch(git, remote, branch, talk)
            return ""
        with WriteLock(git.repository.state, command="verify", timeout_s=TIMEOUT_S, name="sync.lock"):
            Exchange(repository, remote, talk).run(push=False, dry_run=False)
    except GitmemError as err:
        return err.message
    return ""
