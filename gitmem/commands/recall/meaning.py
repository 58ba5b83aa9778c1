"""Find what a question means, as vectors, if an embedding provider is set up or packaged."""

from __future__ import annotations

from gitmem.errors import GitmemError
from gitmem.repository.packaged_meaning import plain_query, start_embedding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.recall.semantic import VectorQuery
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def meaning_of(
    repository: OpenRepository, question: str, stores: Sequence[tuple[OpenStore, Catalog]], *, is_typed: bool
) -> VectorQuery | None:
    """Return the question's vectors for each store; None, with a notice, where numpy is needed and missing.

    Without numpy if the packaged model and the vectors allow that. What nobody typed does not load numpy for the
    packaged model: the background embeds the memories, and until then words decide.
    """
    if not repository.policy().recall.dense.weight:
        return None
    vectors = plain_query(repository, question, stores, is_typed=is_typed)
    if vectors is not None:
        return vectors
    if not is_typed and not repository.config.embeds:
        start_embedding(repository)
        return None
    from gitmem.index.embed.choose import need_numpy

    try:
        need_numpy(repository.config.model)
    except GitmemError as err:
        repository.add_notice(f"{err.message}; searched by words only: {err.hint}")
        return None
    from gitmem.repository import query_vectors

    return query_vectors.ask(repository, question, stores)
