"""The work of ``gitmem embed``: show the state of every store's vectors, and complete them."""

from __future__ import annotations

import _sqlite3 as sqlite3
import os
import time

from gitmem.errors import BusyError
from gitmem.index.vectors import sqlite_vec, update
from gitmem.index.vectors.folders import list_others
from gitmem.index.vectors.rows import DamagedError
from gitmem.index.vectors.store import INDEX, VEC, Vectors
from gitmem.recall.query import Query
from gitmem.repository.query_vectors import answer_of, count_missing, each_model, providers_of
from gitmem.results import EmbeddingReport

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from gitmem.index.vectors.update import Providers
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore


def status(repository: OpenRepository) -> dict[str, Any]:
    """Return which model embeds, whether it responds, and what has vectors, for each store and model.

    Raises:
        ConfigError, EmbeddingError: The model in the settings cannot be used here.
    """
    providers = providers_of(repository.config)
    assert providers is not None, "Memory asked for one"
    models = [{"model": role.name, "for": what, **answer_of(role)} for role, what in _roles(providers)]
    stores = [_standing(repository, store, providers) for store in stores_of(repository)]
    unused = sum(len(list_others(store.vectors_folder, each_model(providers))) for store in stores_of(repository))
    return {"configured": True, "models": models, "stores": stores, "unused": unused}


def stores_of(repository: OpenRepository) -> list[OpenStore]:
    """Return the stores that a query searches, including other repositories'."""
    return repository.stores_for_query(Query(text="everything"))


def _roles(providers: Providers) -> list[tuple[Any, str]]:
    prose, code = providers
    return [(prose, "everything")] if prose is code else [(prose, "prose"), (code, "code")]


def _standing(repository: OpenRepository, store: OpenStore, providers: Providers) -> dict[str, Any]:
    catalog = store.catalog()
    memories = catalog.row("SELECT count(DISTINCT oid) FROM memory WHERE shadowed = 0")[0]
    missing = count_missing(store, catalog, providers)
    return {
        "scope": store.store.scope,
        "store": store.store.name,
        "memories": memories,
        "with_vectors": memories - missing,
        "missing": missing,
        "vectors": [_vectors(repository, store, model) for model in each_model(providers)],
    }


def _vectors(repository: OpenRepository, store: OpenStore, model: str) -> dict[str, Any]:
    """Return the size of a model's vectors; ``problem`` says why there are none that can be used."""
    nothing = {"model": model, "pieces": 0, "unused": 0, "dimensions": 0, "bytes": 0, "age_s": None, "kept": ""}
    try:
        vectors = Vectors.open(store.vectors_folder, model)
    except (DamagedError, sqlite3.Error, OSError) as err:
        return nothing | {"problem": str(err)}
    if vectors is None:
        return nothing | {"problem": "there are none yet"}
    try:
        with vectors.reading():
            sizes, shape = vectors.sizes(), vectors.shape
        age_s = repository.now - int(os.stat(os.path.join(vectors.folder, INDEX)).st_mtime)
    finally:
        vectors.close()
    values = {"pieces": sizes.rows, "unused": sizes.dead, "dimensions": shape.dimensions, "bytes": sizes.bytes}
    return {"model": model, **values, "age_s": max(0, age_s), "kept": shape.kept, "problem": ""}


def rebuild(
    repository: OpenRepository,
    *,
    everything: bool = False,
    download: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> EmbeddingReport:
    """Embed memories without vectors, in every store, and delete unused vectors: of other models and deleted memories.

    Args:
        repository: The store.
        everything: Whether to embed all memories again.
        download: Whether a missing model may be downloaded.
        progress: Called with the number of embedded memories and the total.

    Raises:
        ConfigError, EmbeddingError: The model in the settings cannot be used here, or does not respond.
        BusyError: Another process is embedding, or has been writing the index for too long.
        UnwritableError: The disk is full or read-only.
    """
    begun = time.monotonic()
    providers = providers_of(repository.config, download=download)
    assert providers is not None, "Memory asked for one"
    place = _place(repository)
    embedded_now = forgotten = others = 0
    for store in stores_of(repository):
        folder, catalog = store.vectors_folder, store.current_catalog()
        if everything:
            update.forget_all(folder, providers)
        else:
            update.forget_other_sizes(folder, providers)
        before = count_missing(store, catalog, providers)
        left = update.catch_up(folder, catalog, providers, progress=progress)
        gone, unused = update.tidy(folder, catalog, providers, kept=place)
        embedded_now, forgotten, others = embedded_now + before - left, forgotten + gone, others + unused
    seconds = round(time.monotonic() - begun, 3)
    return EmbeddingReport(tuple(each_model(providers)), embedded_now, forgotten, others, seconds)


def _place(repository: OpenRepository) -> str:
    """Return where to put the vectors, by the settings and the environment; empty for their present location."""
    wanted = repository.config.vectors
    cannot = sqlite_vec.can_load() if wanted == VEC else ""
    if cannot:
        repository.notices.append(f"{cannot}: vectors are searched with numpy instead")
    return "" if cannot else wanted


def embed_missing(repository: OpenRepository) -> None:
    """Embed memories without vectors, in the background; if another process is doing so, do nothing.

    Raises:
        GitmemError: The provider or the disk does not allow it.
    """
    providers = providers_of(repository.config)
    if providers is None:
        return
    for store in stores_of(repository):
        folder, catalog = store.vectors_folder, store.catalog()
        try:
            update.catch_up(folder, catalog, providers)
            update.tidy(folder, catalog, providers, dead_at_most=update.DEAD_AT_MOST, others=False)
        except BusyError:
            continue
