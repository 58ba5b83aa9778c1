"""Queries by meaning: the providers in the settings, and each store's vectors, updated within a time limit.

A query never fails because of this: if a provider or the vectors are unusable, a notice says so, and the search uses
words only.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import time
from contextlib import closing

import numpy as np

from gitmem.config import variable
from gitmem.errors import BusyError, GitmemError
from gitmem.index.embed.choose import provider_for
from gitmem.index.vectors.rows import DamagedError
from gitmem.index.vectors.store import Vectors
from gitmem.index.vectors.update import catch_up, is_complete, last_missing, list_missing
from gitmem.recall.fuse import STATIC
from gitmem.recall.semantic import Dense, VectorQuery
from gitmem.repository.packaged_meaning import note_missing, texts_of
from gitmem.system.environment import model_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from gitmem.config import Config
    from gitmem.index.catalog import Catalog
    from gitmem.index.embed.provider import EmbeddingProvider
    from gitmem.index.vectors.rows import Floats
    from gitmem.index.vectors.update import Providers
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

# How long a recall embeds new memories, for all stores together: short enough not to be noticed. 500 memories with a
# static model, about 20 with a transformer.
INLINE_S = 0.5
# The most pieces examined for duplicates: a duplicate is among the very nearest.
NEAREST = 20


# Loaded models of a long-running process, by the settings that name them.
_made: dict[tuple[str, str], Providers] = {}


def providers_of(settings: Config, *, download: bool = False) -> Providers | None:
    """Return the providers for prose and for code; None if none is set up.

    Raises:
        ConfigError, EmbeddingError: The model in the settings cannot be used here.
    """
    if not settings.model:
        return None
    named = settings.model, settings.embed_code
    if named not in _made:
        _made[named] = _providers(settings, download=download)
    return _made[named]


def _providers(settings: Config, *, download: bool) -> Providers:
    options = {"cache": model_cache(), "key": variable("GITMEM_EMBED_KEY")}
    prose = provider_for(settings.model, download=download, **options)
    code = provider_for(settings.embed_code, download=download, **options)
    assert prose is not None, "it is not off"
    return prose, prose if code is None or code.name == prose.name else code


def answer_of(provider: EmbeddingProvider) -> dict[str, Any]:
    """Return whether a provider responds to a query, in how many seconds, and the error if it does not."""
    begun = time.monotonic()
    try:
        provider.query("how are tokens signed")
    except GitmemError as err:
        return {"answers": False, "seconds": None, "problem": err.message}
    return {"answers": True, "seconds": round(time.monotonic() - begun, 3), "problem": ""}


def each_model(providers: Providers) -> list[str]:
    """Return the distinct models, the one for prose first."""
    return list(dict.fromkeys(provider.name for provider in providers))


def ask(repository: OpenRepository, question: str, stores: Sequence[tuple[OpenStore, Catalog]]) -> VectorQuery | None:
    """Return the query for each store's vectors, updated as far as time allows; None to search by words only.

    The memory's notices say why words are used, or for which memories.
    """
    try:
        providers = providers_of(repository.config)
        if providers is None or not repository.policy().recall.dense.weight:
            return None
        begun = time.monotonic()
        asked_for = texts_of(repository, question, stores)
        queries = {provider.name: _vector(provider, asked_for) for provider in providers[: len(each_model(providers))]}
    except GitmemError as err:
        repository.add_notice(f"{err.message}; this search used words only")
        return None
    now = time.monotonic()
    # A model that was slow with a query, or to load, is slower with memories: leave those to the background.
    until = now + INLINE_S if now - begun < INLINE_S else now
    missing, sources, noticed = 0, [], len(repository.notices)
    for store, catalog in stores:
        missing += _embed_new(repository, store, catalog, providers, until)
        sources.append(
            Dense(catalog, [(vectors, queries[vectors.model]) for vectors in _open(repository, store, providers)])
        )
    note_missing(repository, missing, noticed)
    is_static = providers[0].name.startswith("model2vec:")
    return VectorQuery(sources, reliance=STATIC if is_static else 1.0)


def similar(store: OpenStore, text: str) -> list[tuple[str, float]]:
    """Return the memories of a store nearest in meaning to a text, with their cosines, nearest first.

    Only those with vectors: a write does not wait for new ones. If vectors are unusable, words decide, and a notice
    says so.
    """
    try:
        providers = providers_of(store.config)
        vectors = Vectors.open(store.vectors_folder, providers[0].name) if providers is not None else None
        if providers is None or vectors is None:
            return []
        with closing(vectors):
            row = _units(providers[0], [text])[0]  # embedded like memories, not like a query
            with vectors.reading():
                near, _ = vectors.nearest(row, NEAREST)
    except (GitmemError, DamagedError, sqlite3.Error, OSError) as err:
        store.add_notice(f"near duplicates were found by words only: {err}")
        return []
    rows = store.catalog_at(store.find_tip()).each("SELECT oid, key FROM memory WHERE oid IN ({})", near)
    return sorted(((key, near[oid]) for oid, key in rows), key=lambda pair: (-pair[1], pair[0]))


def near_titles(
    store: OpenStore, asked: Sequence[str], titles: Mapping[str, str], *, floor: float
) -> list[tuple[str, str, float]]:
    """Return pairs of memories whose titles are near in meaning, with their cosines; by key.

    Candidates are those with the nearest vectors; then only the titles are compared, since a body covers more. Without
    usable vectors, nothing, with a notice.

    Args:
        store: The store.
        asked: Keys of the memories to compare with all others.
        titles: The titles of all, by key.
        floor: The lowest cosine of two titles.
    """
    try:
        providers = providers_of(store.config)
        vectors = Vectors.open(store.vectors_folder, providers[0].name) if providers is not None else None
        if providers is None or vectors is None or not asked:
            return []
        with closing(vectors):
            rows = _units(providers[0], [titles[key] for key in asked])
            with vectors.reading():
                near = [vectors.nearest(row, NEAREST)[0] for row in rows]
        oids = {oid for found in near for oid in found}
        keys = dict(store.catalog_at(store.find_tip()).each("SELECT oid, key FROM memory WHERE oid IN ({})", oids))
        others = sorted(key for key in keys.values() if key in titles)
        known = dict(zip(others, _units(providers[0], [titles[key] for key in others]), strict=True))
    except (GitmemError, DamagedError, sqlite3.Error, OSError) as err:
        store.notices.append(f"contradictions were found by words only: {err}")
        return []
    pairs = [
        (key, other, float(row @ known[other]))
        for key, row, found in zip(asked, rows, near, strict=True)
        for other in sorted({keys[oid] for oid in found if oid in keys} & known.keys() - {key})
    ]
    return sorted(pair for pair in pairs if pair[2] >= floor)


def _units(provider: EmbeddingProvider, texts: Sequence[str]) -> list[Floats]:
    """Return texts as vectors of length 1."""
    if not texts:
        return []
    return [row / (float(np.linalg.norm(row)) or 1.0) for row in provider.passages(texts)]


def _vector(provider: EmbeddingProvider, texts: Sequence[str]) -> Floats:
    """Return the unit vector of the sum of some texts' vectors."""
    total: Floats = np.sum([provider.query(text) for text in texts], axis=0)
    length = float(np.linalg.norm(total))
    return total / length if length else total


def _open(repository: OpenRepository, store: OpenStore, providers: Providers) -> list[Vectors]:
    """Return the vectors of each model that a store has."""
    opened = []
    for model in each_model(providers):
        try:
            vectors = Vectors.open(store.vectors_folder, model)
        except (DamagedError, sqlite3.Error, OSError) as err:
            repository.add_notice(
                f"the vectors cannot be read ({err}), so this search used words only: gitmem embed rebuild"
            )
            continue
        opened += [vectors] if vectors is not None else []
    return opened


def _embed_new(
    repository: OpenRepository, store: OpenStore, catalog: Catalog, providers: Providers, until: float
) -> int:
    """Embed a store's new memories within the time limit; return how many still have no vectors."""
    missing = _last_known_missing(store, catalog, providers)
    is_whole = is_complete(store.vectors_folder, providers)
    if missing == 0 and is_whole:
        return 0
    try:
        # What questions need of the packaged model takes 0.3 s once; without it, each question takes longer by that.
        if time.monotonic() < until or (missing == 0 and not is_whole):
            return catch_up(store.vectors_folder, catalog, providers, until=until)
    except BusyError:
        pass  # another process is doing it
    except GitmemError as err:
        repository.add_notice(err.message)
    return missing if missing > 0 else count_missing(store, catalog, providers)


def _last_known_missing(store: OpenStore, catalog: Catalog, providers: Providers) -> int:
    try:
        vectors = Vectors.open(store.vectors_folder, providers[0].name)
    except (DamagedError, sqlite3.Error, OSError):
        return -1
    if vectors is None:
        return -1
    with closing(vectors), vectors.reading():
        return last_missing(catalog, vectors)


def count_missing(store: OpenStore, catalog: Catalog, providers: Providers) -> int:
    """Return how many memories of a store have no vectors."""
    opened: list[Vectors] = []
    try:
        for model in each_model(providers):
            vectors = Vectors.open(store.vectors_folder, model)
            opened += [vectors] if vectors is not None else []
        return len(list_missing(catalog, opened))
    except (DamagedError, sqlite3.Error, OSError):
        return len(list_missing(catalog, ()))
    finally:
        for vectors in opened:
            vectors.close()
