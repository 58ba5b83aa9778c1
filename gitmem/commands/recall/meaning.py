"""Find what a question means, as vectors, if an embedding provider is set up."""

from __future__ import annotations

from gitmem.errors import GitmemError
from gitmem.index.embed.choose import need_numpy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.recall.semantic import VectorQuery
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def meaning_of(
    repository: OpenRepository, question: str, stores: Sequence[tuple[OpenStore, Catalog]]
) -> VectorQuery | None:
    """Return the question's vectors for each store; None, with a notice, where numpy is missing."""
    try:
        need_numpy(repository.config.model)
    except GitmemError as err:
        repository.add_notice(f"{err.message}; searched by words only: {err.hint}")
        return None
    from gitmem.repository import semantic

    return semantic.ask(repository, question, stores)
