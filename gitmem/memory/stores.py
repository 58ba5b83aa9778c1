"""``memory.stores``: the stores of other repositories that recall also searches."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.commands.stores import ListedStoreState
    from gitmem.repository import OpenRepository
    from gitmem.results import MemoryDetails, StoreStatus
    from gitmem.store.listings import StoreListing


class Stores:
    """The listed stores of other repositories."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository

    def list(self) -> Sequence[ListedStoreState]:
        """Return the listed stores, each with its counts or its problem."""
        from gitmem.commands.stores import look

        return look(self._repository)

    def add(self, typed: str, *, everywhere: bool = False) -> tuple[ListedStoreState, bool]:
        """Add another repository to the list, by ``PATH`` or ``NAME=PATH``; also return whether it is new."""
        from gitmem.commands.stores import add

        return add(self._repository, typed, everywhere=everywhere)

    def remove(self, typed: str, *, everywhere: bool = False) -> StoreListing:
        """Remove a store from the list, by its name or folder."""
        from gitmem.commands.stores import remove

        return remove(self._repository, typed, everywhere=everywhere)

    def show(self, key: str, store: str = "") -> MemoryDetails:
        """Return one memory of a listed store; *key* may be ``NAME:KEY``."""
        from gitmem.commands.stores import show_listed
        from gitmem.results import MemoryDetails

        return MemoryDetails.of(show_listed(self._repository, key, store))

    def status(self, store: str) -> StoreStatus:
        """Return the counts and statuses of a listed store."""
        from gitmem.commands.stores import status_of
        from gitmem.results import StoreStatus

        return StoreStatus.of(status_of(self._repository, store))
