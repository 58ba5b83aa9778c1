"""``memory.learnings``: pass a learning to one worker, or to all."""

from __future__ import annotations

from gitmem.document.memory_fields import StepOptions
from gitmem.write.new_memory import NewMemory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from gitmem.git.remotes import RemoteOptions
    from gitmem.repository import OpenRepository
    from gitmem.write.place import Change


class Learnings:
    """Learnings that a person or a leading agent passes on."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository

    def inject(self, text: str, *, category: str, worker: str = "", **options: Unpack[StepOptions]) -> Change:
        """Write a learning for one worker, or for all who share the project's memory."""
        from gitmem.commands.inject import inject

        new = NewMemory.from_options(text, options, StepOptions, what="Learnings.inject")
        force = options.get("force", False)
        return inject(self._repository, new, category=category, worker=worker, force=force)

    def send(
        self,
        text: str,
        *,
        category: str,
        worker: str,
        talk: RemoteOptions | None = None,
        **options: Unpack[StepOptions],
    ) -> str:
        """Push a learning for a worker in another clone to the remote, and return its ref there."""
        from gitmem.commands.inject import send
        from gitmem.commands.sync import inbox
        from gitmem.commands.sync.remote import remote_of
        from gitmem.git.remotes import RemoteOptions

        repository, options_of_remote = self._repository, talk or RemoteOptions()
        new = NewMemory.from_options(text, options, StepOptions, what="Learnings.send")

        def push(learning: Mapping[str, Any]) -> str:
            return inbox.send(repository, remote_of(repository, ""), worker, learning, options_of_remote)

        return send(repository, new, push, category=category, worker=worker)
