"""Queries by the meaning of the packaged model, without numpy: ``semantic`` makes what they read."""

from __future__ import annotations

import _sqlite3 as sqlite3
import time

from gitmem.config import PACKAGED_MODEL
from gitmem.errors import BusyError, GitmemError
from gitmem.frozen import frozen
from gitmem.index import FtsEngine
from gitmem.index.catalog import commit_and_tree
from gitmem.index.embed.packaged_model import PlainModel, find_files, read_plain_files, unit_of
from gitmem.index.vectors.store import UNSIGNED, Vectors
from gitmem.model import ENGLISH
from gitmem.recall.distinctive_words import distinctive_text
from gitmem.recall.fuse import STATIC
from gitmem.recall.ranker import together
from gitmem.recall.semantic import Dense, VectorQuery
from gitmem.text import tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from gitmem.index.catalog import Catalog
    from gitmem.index.embed.packaged_model import Row
    from gitmem.repository import OpenRepository
    from gitmem.repository.open_store import OpenStore

    Stores = Sequence[tuple[OpenStore, Catalog]]

# The background job that embeds what a recall left out.
WORK = "embed"
# How long new memories are embedded before an answer, for all stores together: a typed question may take a moment; the
# agent of a hook waits. Some 5 ms a memory.
TYPED_S, HOOK_S = 0.5, 0.05
# In a store with more pieces, finding new memories takes a hook too long (0.1 s at 100,000): the background does it.
FOR_HOOK = 20_000
_FAILURES = (GitmemError, sqlite3.Error, OSError)


@frozen
class UpdateLimit:
    """How long new memories are embedded before an answer.

    Attributes:
        until: Until when, by ``time.monotonic``.
        pieces: In a store with more pieces, they are left to the background.
    """

    until: float
    pieces: float = float("inf")


def plain_query(repository: OpenRepository, question: str, stores: Stores, *, is_typed: bool) -> VectorQuery | None:
    """Return the query for the vectors of the packaged model, updated as far as time allows.

    Args:
        repository: The repository.
        question: The text.
        stores: The stores that are searched.
        is_typed: Whether a person waits for the answer; else stores without vectors are left to the background.

    Returns:
        None if another model is set up, or a store lacks what is read here: then numpy is needed.
    """
    config = repository.config
    if config.model != PACKAGED_MODEL or config.embed_code not in ("", "off", PACKAGED_MODEL):
        return None
    opened: list[Vectors | None] = []
    try:
        model, opened = _open(stores)
        if model is None or (is_typed and None in opened):
            for one in opened:
                _close(one)
            return None
        query = _query(model, texts_of(repository, question, stores))
    except _FAILURES:
        for one in opened:
            _close(one)
        return None  # `semantic` mends it, or says what is wrong
    missing, sources, noticed = 0, [], len(repository.notices)
    now = time.monotonic()
    limit = UpdateLimit(now + TYPED_S) if is_typed else UpdateLimit(now + HOOK_S, FOR_HOOK)
    for (store, catalog), vectors in zip(stores, opened, strict=True):
        if vectors is None:
            start_embedding(repository)
            sources.append(Dense(catalog, []))
            continue
        missing += _embed_new(repository, (store, catalog), model, vectors, limit)
        sources.append(Dense(catalog, [(vectors, query)]))
    note_missing(repository, missing, noticed)
    return VectorQuery(sources, reliance=STATIC)


def texts_of(repository: OpenRepository, question: str, stores: Stores) -> list[str]:
    """Return the query as typed, and if it has common words, also without them."""
    language = stores[0][1].language if stores else ENGLISH
    terms = tokens.query_terms(question, language)
    stats = together([FtsEngine(catalog.connection).frequencies(terms) for _, catalog in stores])
    telling = distinctive_text(question, stats, settings=repository.policy().recall.dense, language=language)
    return [question, telling] if telling else [question]


def note_missing(repository: OpenRepository, missing: int, noticed: int) -> None:
    """Have the background embed the memories that have no vectors yet, and say so.

    Args:
        repository: The repository.
        missing: How many they are.
        noticed: How many notices there were before: one is enough.
    """
    if missing and len(repository.notices) == noticed:
        memories = "1 memory has" if missing == 1 else f"{missing} memories have"
        repository.add_notice(f"{memories} no vectors yet and can only be found by words: gitmem embed rebuild")
        start_embedding(repository)


def start_embedding(repository: OpenRepository) -> None:
    """Have the background embed the memories that have no vectors."""
    from gitmem.store.state import background  # 3 ms, and only if there is something to do

    where = repository.git.repository
    background.start(where.state, where.top or where.git, WORK)


def _open(stores: Stores) -> tuple[PlainModel | None, list[Vectors | None]]:
    """Return the model, and the vectors of each store that has some; without a model if no store knows it."""
    files = find_files()
    if files is None:
        return None, []
    path, _, stamp = files
    model: PlainModel | None = None
    opened: list[Vectors | None] = []
    for store, _ in stores:
        known = read_plain_files(store.vectors_folder, stamp)
        vectors = Vectors.open(store.vectors_folder, known.name, is_plain=True) if known is not None else None
        if vectors is not None and not vectors.has_tokens():
            _close(vectors)
            vectors = None
        opened.append(vectors)
        if known is not None and vectors is not None and model is None:
            model = PlainModel(path, known, vectors.find_tokens)
    return model, opened


def _close(vectors: Vectors | None) -> None:
    if vectors is not None:
        vectors.close()


def _query(model: PlainModel, texts: Sequence[str]) -> Row:
    """Return the unit vector of the sum of some texts' vectors."""
    rows = model.passages(texts)
    return rows[0] if len(rows) == 1 else unit_of([*map(sum, zip(*rows, strict=True))])


def _embed_new(
    repository: OpenRepository,
    place: tuple[OpenStore, Catalog],
    model: PlainModel,
    vectors: Vectors,
    limit: UpdateLimit,
) -> int:
    """Embed a store's new memories within a limit; return how many are known to have no vectors still."""
    store, catalog = place
    missing = vectors.last_missing(" ".join(commit_and_tree(catalog)))
    if missing == 0:
        return 0
    if vectors.shape.count > limit.pieces:
        start_embedding(repository)
        return 0
    providers: Any = model, model  # its rows are tuples
    from gitmem.index.vectors.update import catch_up  # 5 ms, and only if there are new memories

    try:
        left = catch_up(store.vectors_folder, catalog, providers, until=limit.until)
    except BusyError:
        return max(0, missing)  # another process is doing it
    except GitmemError as err:
        repository.add_notice(err.message)
        return max(0, missing)
    if vectors.lacks_signs() > UNSIGNED:
        start_embedding(repository)
    return left
