"""``memory.vectors``: the embeddings of the memories."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gitmem.index.catalog import Catalog
    from gitmem.recall.semantic import VectorQuery
    from gitmem.repository import OpenRepository
    from gitmem.results import EmbeddingReport, EmbeddingStatus


class MemoryVectors:
    """The vectors for recall by meaning, made by the provider that ``gitmem.embed`` names."""

    def __init__(self, repository: OpenRepository) -> None:
        self._repository = repository

    def status(self) -> EmbeddingStatus:
        """Return the embedding model, whether it responds, and how many memories have vectors.

        Raises:
            ConfigError, EmbeddingError: The settings name a provider that cannot be used here.
        """
        from gitmem.results import EmbeddingStatus

        repository = self._repository
        if not repository.config.model:
            from gitmem.index.vectors.folders import list_others

            unused = len(list_others(repository.vectors_folder, ()))
            return EmbeddingStatus.of({"configured": False, "models": [], "stores": [], "unused": unused})
        self._need_numpy()
        from gitmem.commands.embed import status

        return EmbeddingStatus.of(status(repository))

    def question(self, text: str, catalog: Catalog) -> AbstractContextManager[VectorQuery | None]:
        """Return a query to the project's vectors, as a context manager; None to search by words alone."""
        from gitmem.commands.recall import QuestionVectors
        from gitmem.recall import Query

        return QuestionVectors(self._repository, Query(text=text), [(self._repository, catalog)])

    def rebuild(self, *, everything: bool = False, download: bool = False) -> EmbeddingReport:
        """Embed memories without vectors, or embed all again, and delete unused vectors.

        Raises:
            ConfigError, EmbeddingError: No provider is set up, or it cannot be used here.
        """
        self._need_numpy()
        from gitmem.commands.embed import rebuild

        progress = self._repository.progress_of("embedding memories")
        return rebuild(self._repository, everything=everything, download=download, progress=progress)

    def embed_missing(self) -> None:
        """Embed memories without vectors, in the background of another command."""
        if self._repository.config.model:
            self._need_numpy()
            from gitmem.commands.embed import embed_missing

            embed_missing(self._repository)

    def _need_numpy(self) -> None:
        from gitmem.index.embed.choose import need_numpy

        need_numpy(self._repository.config.model)
