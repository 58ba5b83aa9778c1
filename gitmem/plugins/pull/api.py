"""``memory.sources``: knowledge pulled from elsewhere, with a store for each source."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Unpack

    from gitmem.plugins.pull.run import PullResult, SourceState
    from gitmem.plugins.pull.source import PullSource, SourceOptions
    from gitmem.repository import OpenRepository


class PulledSources:
    """The sources of a clone."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository

    def add(self, kind: str, address: str = "", **options: Unpack[SourceOptions]) -> PullSource:
        """Add a source without pulling it yet.

        Args:
            kind: ``github``, ``jira``, ``code`` or ``docs``.
            address: ``owner/name``, or the address of a Jira site; empty for this repository's remote.
            **options: ``name``, ``api``, ``include``, ``paths``, ``jql`` or ``project``, ``since``, ``every``,
                ``collection``.

        Raises:
            UsageError: The arguments do not describe a source.
            RefusedError: Another source has the name.
        """
        from gitmem.plugins.pull.source import add_source, make_source

        repository = self._repository
        remote = repository.git.remote_url(repository.config.remote)
        source = make_source(kind, address, remote=remote, **options)
        add_source(repository, source)
        return source

    def remove(self, name: str) -> PullSource:
        """Remove a source and everything that was pulled from it."""
        from gitmem.plugins.pull.source import forget_source, get_source

        source = get_source(self._repository, name)
        forget_source(self._repository, source)
        return source

    def list(self, *names: str) -> Sequence[SourceState]:
        """Return the state of these sources, or of all, sorted by name; contacts no server."""
        from gitmem.plugins.pull.run import iter_states
        from gitmem.plugins.pull.source import get_source, list_sources

        sources = [get_source(self._repository, name) for name in names] or list_sources(self._repository)
        return list(iter_states(self._repository, sources))

    def kinds(self) -> frozenset[str]:
        """Return the kinds of the sources of this clone."""
        from gitmem.plugins.pull.source import list_sources

        return frozenset(source.kind for source in list_sources(self._repository))

    def named(self, collections: Iterable[str]) -> tuple[str, ...]:
        """Return the names of the pulled sources of some collections; empty if a collection has none."""
        from gitmem.plugins.pull.source import list_pulled

        return list_pulled(self._repository, collections)

    def pull(self, name: str, *, full: bool = False) -> PullResult:
        """Pull one source; *full* reads everything again, and deletes items that no longer exist.

        Raises:
            BusyError: Another process is pulling it.
            ConfigError: There is no token for it.
        """
        from gitmem.plugins.pull.run import pull
        from gitmem.plugins.pull.source import get_source

        return pull(self._repository, get_source(self._repository, name), full=full)

    def overdue(self) -> Sequence[str]:
        """Return a line for each source whose pull is overdue, or whose last pull failed."""
        from gitmem.plugins.pull.run import list_overdue

        return list_overdue(self._repository)

    def pull_due(self) -> Sequence[PullResult]:
        """Pull every source that is due by its own schedule; a failure does not stop the others."""
        from gitmem.plugins.pull.run import pull_due

        return pull_due(self._repository)
