"""The parts of ``Memory`` that need only its repository: ``memory.jobs`` and others, each loaded where it is used."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.agents.session.active import Sessions
    from gitmem.memory.bulk import Bulk
    from gitmem.memory.index import MemoryIndex
    from gitmem.memory.learnings import Learnings
    from gitmem.memory.proposals import Proposals
    from gitmem.memory.stores import Stores
    from gitmem.memory.vectors import MemoryVectors
    from gitmem.memory.view import MemoryView
    from gitmem.plugins.pull.api import PulledSources
    from gitmem.repository import OpenRepository


class MemoryParts:
    """The parts of the memory of one repository.

    Attributes:
        repository: The opened repository: its stores, settings, catalog, git.
    """

    repository: OpenRepository

    @property
    def sessions(self) -> Sessions:
        """Return the agent sessions of this clone: their topics, and the memories that they were shown."""
        from gitmem.agents.session.active import Sessions

        return Sessions(self.repository)

    @property
    def proposals(self) -> Proposals:
        """Return the proposals: changes to the memory that are reviewed first."""
        from gitmem.memory.proposals import Proposals

        return Proposals(self.repository, self.view)

    @property
    def stores(self) -> Stores:
        """Return the listed stores of other repositories."""
        from gitmem.memory.stores import Stores

        return Stores(self.repository)

    @property
    def sources(self) -> PulledSources:
        """Return the sources from which knowledge is pulled."""
        from gitmem.plugins.pull.api import PulledSources

        return PulledSources(self.repository)

    @property
    def vectors(self) -> MemoryVectors:
        """Return the embeddings of the memories."""
        from gitmem.memory.vectors import MemoryVectors

        return MemoryVectors(self.repository)

    @property
    def view(self) -> MemoryView:
        """Return the view: the memories as files in a folder."""
        from gitmem.memory.view import MemoryView

        return MemoryView(self.repository)

    @property
    def index(self) -> MemoryIndex:
        """Return the search data."""
        from gitmem.memory.index import MemoryIndex

        return MemoryIndex(self.repository)

    @property
    def bulk(self) -> Bulk:
        """Return the operations on many memories at once: import, export, deduplication."""
        from gitmem.memory.bulk import Bulk

        return Bulk(self.repository, lambda: self.sessions.usage().unused)

    @property
    def learnings(self) -> Learnings:
        """Return what passes a learning to one worker, or to all."""
        from gitmem.memory.learnings import Learnings

        return Learnings(self.repository)
