"""``memory.vectors``: the embeddings of the memories."""

from __future__ import annotations

from gitmem.config import variable
from gitmem.policy.kinds import START
from gitmem.system.environment import model_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from gitmem.index.catalog import Catalog
    from gitmem.index.embed.offers import Offer
    from gitmem.recall.semantic import VectorQuery
    from gitmem.repository import OpenRepository
    from gitmem.results import EmbeddingReport, EmbeddingStatus, ModelPlan


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
        from gitmem.recall.query import Query

        return QuestionVectors(self._repository, Query(text=text, reader=START), [(self._repository, catalog)])

    def rebuild(self, *, everything: bool = False, download: bool = False) -> EmbeddingReport:
        """Embed memories without vectors, or embed all again, and delete unused vectors.

        Raises:
            ConfigError, EmbeddingError: No provider is set up, or it cannot be used here.
        """
        self._need_numpy()
        from gitmem.commands.embed import rebuild

        progress = self._repository.progress_of("embedding memories")
        return rebuild(self._repository, everything=everything, download=download, progress=progress)

    def offers(self) -> list[Offer]:
        """Return the models that can be chosen on this machine, and servers of models that run on it."""
        from gitmem.index.embed.offers import list_offers

        return list_offers(cache=model_cache(), ollama_host=variable("OLLAMA_HOST"))

    def plan_model(self, setting: str, *, download: bool = False) -> ModelPlan:
        """Load a model, embed some memories with it, and estimate the time for the rest; no setting changes.

        Raises:
            ConfigError, EmbeddingError: The setting names no model, or it cannot be used here.
        """
        self._need_numpy(setting)
        from gitmem.commands.embed.setup import plan

        return plan(self._repository, setting, download=download)

    def change_model(self, setting: str) -> None:
        """Embed all memories with a model, then set it in the person's git configuration.

        Raises:
            ConfigError, EmbeddingError: The setting names no model, or it cannot be used here.
        """
        self._need_numpy(setting)
        from gitmem.commands.embed.setup import change

        change(self._repository, setting, progress=self._repository.progress_of("embedding memories"))

    def change_model_later(self, setting: str) -> bool:
        """Start ``change_model`` in a process of its own; return whether background processes are allowed."""
        from gitmem.commands.embed.setup import change_in_background

        return change_in_background(self._repository, setting)

    def embed_missing(self) -> None:
        """Embed memories without vectors, in the background of another command."""
        if self._repository.config.model:
            self._need_numpy()
            from gitmem.commands.embed import embed_missing

            embed_missing(self._repository)

    def _need_numpy(self, setting: str = "") -> None:
        from gitmem.index.embed.choose import need_numpy

        need_numpy(setting or self._repository.config.model)
