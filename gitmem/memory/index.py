"""``memory.index``: the search data derived from the memories."""

from __future__ import annotations

import os

from gitmem.index.catalog import FILE_NAME, discard_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository import OpenRepository
    from gitmem.results import IndexReport, Statistics


class MemoryIndex:
    """The catalog of this clone, and the Whoosh index if there is one."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository

    def refresh(self, *, rebuild: bool = False, engine: str = "") -> IndexReport:
        """Update or rebuild the index, and Whoosh's if it exists, is chosen by the settings or is named.

        Raises:
            BusyError: Another process has been writing it for too long.
        """
        from gitmem.commands.recall.engines import refresh_whoosh
        from gitmem.results import IndexReport

        repository = self._repository
        if rebuild:
            repository.close()
            discard_file(os.path.join(repository.folder(repository.tree()), FILE_NAME))
        before = repository.clock()
        catalog = repository.current_catalog()
        count = catalog.row("SELECT count(*) FROM memory WHERE shadowed = 0")[0]
        refresh_whoosh(
            repository, repository.progress_of("indexing memories"), named=engine == "whoosh", rebuild=rebuild
        )
        seconds = round(repository.clock() - before, 3)
        return IndexReport(catalog.meta("commit"), count, seconds)

    def follow(self, *, is_ahead: bool = False) -> None:
        """Update the index to the tip and the statuses to HEAD, then the Whoosh index if it is used.

        Args:
            is_ahead: Build the Whoosh index even if no question has used it yet, so that the first one does not wait.
        """
        from gitmem.commands.recall.engines import refresh_whoosh

        repository = self._repository
        repository.checked_ground()
        refresh_whoosh(repository, repository.progress_of("indexing memories"), is_ahead=is_ahead)

    def statistics(self) -> Statistics:
        """Return counts of the project's memories by kind, and of the other scopes."""
        from gitmem.recall.inventory import statistics
        from gitmem.results import Statistics

        catalog = self._repository.catalog()
        with catalog.reading():
            found = statistics(catalog, now=self._repository.now)
        return Statistics.of(found | {"scopes": self._repository.other_scopes()})
