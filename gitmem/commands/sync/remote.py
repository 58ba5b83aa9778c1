"""Which remote a command uses."""

from __future__ import annotations

from gitmem.errors import NoRepositoryError
from gitmem.git import remotes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository


def remote_of(repository: OpenRepository, remote: str) -> str:
    """Return the remote to use: the named one, the setting's, or the only one.

    Raises:
        NoRepositoryError: There is no such remote, or none at all.
    """
    name = remote or repository.config.remote
    if not remote and not remotes.has_remote(repository.git, name):
        known = remotes.list_remotes(repository.git)
        if len(known) == 1:
            return known[0]
        message = f"there is no remote {name} to sync with" + (f" (there are: {', '.join(known)})" if known else "")
        one = f"choose one: git config gitmem.remote {known[0]}" if known else ""
        hint = one or f"add one: git remote add {name} URL"
        raise NoRepositoryError(message, hint=hint)
    return name


def find_remote(repository: OpenRepository) -> str:
    """Return the remote to use, or an empty string if the repository has none."""
    return remote_of(repository, "") if remotes.list_remotes(repository.git) else ""
