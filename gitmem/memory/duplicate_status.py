"""Add the status of the existing memory to an error about a duplicate."""

from __future__ import annotations

from gitmem.errors import DuplicateError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from gitmem.repository.open_store import OpenStore


class DuplicateStatus:
    """A context manager that completes a ``DuplicateError`` with the status of the memory that it names."""

    def __init__(self, store: OpenStore) -> None:
        self._store = store

    def __enter__(self) -> None:
        """Do nothing: the work is done on leaving."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, *_: object) -> None:
        """Complete the error if it is a ``DuplicateError``."""
        if not isinstance(error, DuplicateError) or error.status:
            return
        from gitmem.index.catalog.state import statuses_of, suspects

        catalog = self._store.catalog()
        row = catalog.row("SELECT id FROM memory WHERE key = ? AND shadowed = 0", (error.key,))
        if row:
            ground = self._store.ground(catalog)
            statuses = statuses_of(catalog, ground, [row[0]], now=self._store.now, chains=suspects(catalog, ground))
            error.status = statuses[row[0]].status
            error.message += f" ({error.status})" if error.status else ""
