"""``memory.purges``: remove memories and secrets from the history and from everything made from it."""

from __future__ import annotations

from gitmem.errors import UsageError
from gitmem.store.scopes import PROJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.purge.publish import Published
    from gitmem.commands.purge.run import PurgeResult
    from gitmem.git.remotes import RemoteOptions
    from gitmem.memory import Memory
    from gitmem.repository.open_store import OpenStore


class Purges:
    """Purge memories by key, or a secret; rewrites history."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory
        self._repository = memory.repository

    def preview(self, *keys: str, secret: str = "", scope: str = PROJECT) -> PurgeResult:
        """Return what a purge would change, without changing it."""
        from gitmem.commands.purge.run import find_subject, preview

        store = self._store(keys, secret, scope)
        return preview(store, find_subject(store, keys, secret))

    def purge(self, *keys: str, secret: str = "", scope: str = PROJECT) -> PurgeResult:
        """Remove memories, or a secret, from all histories of gitmem in this repository and what was made from them."""
        from gitmem.commands.purge.run import find_subject, purge

        store = self._store(keys, secret, scope)
        store.writer()  # commits captures, which may contain it
        subject = find_subject(store, keys, secret)
        return purge(self._repository, store, subject, self._memory.view.merge_found)

    def resume(self, *, scope: str = PROJECT) -> PurgeResult:
        """Finish a purge that was interrupted."""
        from gitmem.commands.purge.run import resume

        return resume(self._repository, self._repository.store_for(scope), self._memory.view.merge_found)

    def publish(self, remote: str = "", *, talk: RemoteOptions | None = None) -> Published:
        """Replace a remote's history, which still has what was purged here."""
        from gitmem.commands.purge.publish import publish
        from gitmem.git.remotes import RemoteOptions

        return publish(self._repository, remote, talk or RemoteOptions())

    def accept(self, remote: str = "", *, talk: RemoteOptions | None = None) -> PurgeResult:
        """Apply the purges that a remote's memory records to this clone."""
        from gitmem.commands.purge.publish import accept_from
        from gitmem.git.remotes import RemoteOptions

        return accept_from(self._repository, remote, talk or RemoteOptions(), self._memory.view.merge_found)

    def _store(self, keys: Sequence[str], secret: str, scope: str) -> OpenStore:
        if bool(keys) == bool(secret):
            raise UsageError("name memories or a secret", hint="gitmem purge KEY, or gitmem purge --secret")
        self._repository.need_branch()
        return self._repository.store_for(scope)
