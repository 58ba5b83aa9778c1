"""Update a store's vectors with its memories: memories without vectors are embedded, and stored batch by batch.

If the process is stopped or killed, only the current batch is lost. One model embeds everything, or one embeds prose
and another one code; each model has its own vectors.
"""

from __future__ import annotations

import _sqlite3 as sqlite3
import time

from gitmem.errors import BusyError, UnwritableError
from gitmem.index.catalog import commit_and_tree
from gitmem.index.embed.packaged_model import PlainModel, find_files, read_files, was_read, write_plain_files
from gitmem.index.embed.pieces import is_code, pieces_of
from gitmem.index.vectors.folders import VectorsLock, discard, list_others
from gitmem.index.vectors.rows import DamagedError
from gitmem.index.vectors.store import Vectors, digest_of
from gitmem.model import searched_of
from gitmem.store.local import is_unwritable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from gitmem.index.catalog import Catalog
    from gitmem.index.embed.provider import EmbeddingProvider

    # The providers for prose and for code, often one and the same.
    Providers = tuple[EmbeddingProvider, EmbeddingProvider]

# The batch size grows until embedding and storing a batch takes this long: storing takes two waits for the disk, at
# least 10 ms, and an interruption loses the batch. It never exceeds MOST, because its texts and vectors are in memory.
BATCH_S, MOST = 0.25, 1024
# The share of unused rows above which background work copies the others.
DEAD_AT_MOST = 0.5
# Used to find a memory by the blob to which a vector belongs; only in a store with vectors, because it takes 5 MB at
# 100,000 memories.
_BY_BLOB = "CREATE INDEX IF NOT EXISTS memory_oid ON memory (oid)"
_TEXTS = (
    "SELECT m.oid, m.title, t.body, m.kind, t.paths FROM memory m JOIN searched t ON t.id = m.id WHERE m.oid IN ({})"
)
# The newest first, and memories that are searched only with --all last.
_WANTED = "SELECT oid FROM memory WHERE shadowed = 0 ORDER BY archived OR superseded, id DESC"


def last_missing(catalog: Catalog, vectors: Vectors) -> int:
    """Return how many memories had no vectors at the last update of this state of the store; -1 if there was none."""
    return vectors.last_missing(" ".join(commit_and_tree(catalog)))


def list_missing(catalog: Catalog, vectors: Iterable[Vectors]) -> list[str]:
    """Return the blobs of the memories without vectors, newest first, archived and superseded ones last."""
    known: set[str] = set()
    for vector in vectors:
        with vector.reading():
            known |= vector.list_embedded()
    return list(dict.fromkeys(oid for (oid,) in catalog.rows(_WANTED) if oid not in known))


def packaged_files(providers: Providers) -> tuple[str, str, str] | None:
    """Return the files of the packaged model and their stamp if it is the provider, else None."""
    return find_files() if getattr(providers[0], "is_packaged", False) else None


def is_complete(folder: str, providers: Providers) -> bool:
    """Return whether questions to a store have what they need of the packaged model, if that is the provider."""
    files = packaged_files(providers)
    return files is None or was_read(folder, files[2])


def catch_up(
    folder: str,
    catalog: Catalog,
    providers: Providers,
    *,
    until: float = float("inf"),
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Embed memories that have no vectors until the time is up; return how many are left.

    Args:
        folder: The store's state folder.
        catalog: The store's catalog.
        providers: The providers for prose and for code.
        until: When to stop, by ``time.monotonic``; at least one memory is embedded.
        progress: Called with the numbers of embedded and of all memories.

    Raises:
        BusyError: Another process is embedding.
        EmbeddingError: A provider does not answer; vectors stored before are kept.
        UnwritableError: The disk is full or read-only; vectors stored before are kept.
    """
    with _Writer(folder, providers) as writer:
        _index_blobs(catalog)
        with catalog.reading():
            stamp, missing = " ".join(commit_and_tree(catalog)), list_missing(catalog, writer.vectors)
        done, batch = 0, 1  # how slow the model is, is not yet known
        while done < len(missing) and (not done or time.monotonic() < until):
            part, begun = missing[done : done + batch], time.monotonic()
            writer.embed(catalog, part)
            batch = min(2 * batch, MOST) if time.monotonic() - begun < BATCH_S / 2 else batch
            done += len(part)
            if progress is not None:
                progress(done, len(missing))
        left = len(missing) - done
        first = writer.vectors[0]
        with first.writing():
            first.set_meta("seen", f"{stamp} {left}")
        writer.complete()
    return left


def tidy(
    folder: str,
    catalog: Catalog,
    providers: Providers,
    *,
    kept: str = "",
    dead_at_most: float = 0.0,
    others: bool = True,
) -> tuple[int, int]:
    """Delete the vectors of memories that left the store, and those of other models.

    Args:
        folder: The store's state folder.
        catalog: The store's catalog.
        providers: The providers for prose and for code.
        kept: The storage to use for rows, ``numpy`` or ``sqlite-vec``; empty for the current one.
        dead_at_most: The share of unused rows up to which the rows are not copied.
        others: Whether to delete the vectors of other models; False for a user who alternates between two.

    Returns:
        How many memories had their vectors deleted, and how many other models.

    Raises:
        BusyError, UnwritableError: As ``catch_up`` does.
    """
    gone = 0
    with _Writer(folder, providers) as writer:
        with catalog.reading():
            live = {oid for (oid,) in catalog.rows("SELECT oid FROM memory")}
        for vector in writer.vectors:
            with vector.writing():
                gone += vector.forget_others(live)
                sizes, is_scattered = vector.sizes(), vector.is_scattered
            is_elsewhere = bool(kept) and kept != vector.shape.kept
            if is_scattered or is_elsewhere or sizes.dead > dead_at_most * (sizes.rows + sizes.dead):
                vector.compact(kept)
            vector.sweep()
        unused = list_others(folder, [vectors.model for vectors in writer.vectors]) if others else []
        for other in unused:
            discard(other)
    return gone, len(unused)


def forget_all(folder: str, providers: Providers) -> None:
    """Delete all vectors of these models; raises the same errors as ``catch_up``."""
    with _Writer(folder, providers) as writer:
        for vector in writer.vectors:
            vector.close()
            discard(vector.folder)


def forget_other_sizes(folder: str, providers: Providers) -> None:
    """Delete the vectors of models whose answers now have another length; raises the same errors as ``catch_up``.

    An endpoint's address and model name stay the same when it serves another model.
    """
    sizes = {provider.name: provider.query("size").size for provider in providers}
    with _Writer(folder, providers) as writer:
        for vector in writer.vectors:
            if vector.shape.count and vector.shape.dimensions != sizes[vector.model]:
                vector.close()
                discard(vector.folder)


def _index_blobs(catalog: Catalog) -> None:
    """Create the index by blob; if the catalog cannot be written to, each lookup reads the whole table (10 ms)."""
    try:
        if catalog.row("SELECT 1 FROM sqlite_master WHERE name = 'memory_oid'") is None:
            with catalog.writing():
                catalog.connection.execute(_BY_BLOB)
    except sqlite3.OperationalError:
        return


class _Writer:
    """The vectors of a store's models, opened for writing under the lock; unusable ones are replaced by empty ones.

    Attributes:
        vectors: The vectors of each model, the one for prose first.
    """

    def __init__(self, folder: str, providers: Providers) -> None:
        self._folder, self._providers = folder, providers
        self._lock = VectorsLock(folder)
        self._is_plain = isinstance(providers[0], PlainModel)
        self.vectors: list[Vectors] = []

    def __enter__(self) -> _Writer:
        try:
            self._lock.__enter__()
        except OSError as err:
            raise _unwritable(err.strerror or str(err)) from err
        try:
            for model in dict.fromkeys(provider.name for provider in self._providers):
                self.vectors.append(_open_whole(self._folder, model, is_plain=self._is_plain))
        except BaseException as err:
            self.__exit__(type(err), err)
            raise
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, *_: object) -> None:
        """Close everything, and turn errors of the disk or of a busy database into gitmem's errors."""
        for vector in self.vectors:
            vector.close()
        self._lock.__exit__()
        if isinstance(value, OSError):
            raise _unwritable(value.strerror or str(value)) from value
        if isinstance(value, sqlite3.OperationalError):
            if is_unwritable(value):
                raise _unwritable(str(value)) from value
            raise BusyError(f"the vectors are in use: {value}", hint="try again") from value

    def embed(self, catalog: Catalog, oids: Sequence[str]) -> None:
        """Embed some memories and store their vectors; texts embedded before are skipped."""
        from json import loads

        prose, code = self._providers
        split: tuple[list[tuple[str, str, str]], ...] = ([], [])
        for oid, title, body, kind, paths in catalog.each(_TEXTS, oids):
            is_for_code = prose is not code and is_code(kind, body, loads(paths))
            split[is_for_code].append((oid, *searched_of(kind, title, body)))
        for provider, memories in zip(self._providers, split, strict=True):
            if memories:
                vectors = next(vector for vector in self.vectors if vector.model == provider.name)
                _embed(vectors, provider, memories)

    def complete(self) -> None:
        """Write what questions need to use these vectors without numpy: signs, and the tokens of the packaged model."""
        if self._is_plain:
            return
        for vector in self.vectors:
            vector.update_signs()
        prose, first, files = self._providers[0], self.vectors[0], packaged_files(self._providers)
        if files is None or (was_read(self._folder, files[2]) and first.has_tokens()):
            return
        read = read_files(prose.name)
        if read is not None:
            with first.writing():
                first.keep_tokens(read[1])
        write_plain_files(self._folder, read[0] if read is not None else None, files[2])


def _unwritable(why: str) -> UnwritableError:
    return UnwritableError(f"cannot store the vectors: {why}", hint="gitmem recall also works with words only")


def _open_whole(folder: str, model: str, *, is_plain: bool) -> Vectors:
    try:
        vectors = Vectors.open(folder, model, is_plain=is_plain)
    except DamagedError:
        vectors = None
    return vectors or Vectors.create(folder, model)


def _embed(vectors: Vectors, provider: EmbeddingProvider, memories: Iterable[tuple[str, str, str]]) -> None:
    pieces = {oid: pieces_of(title, body, longest=provider.longest) for oid, title, body in memories}
    digests = {oid: digest_of(found) for oid, found in pieces.items()}
    with vectors.reading():
        known = vectors.texts(set(digests.values()))
    fresh = {digest: pieces[oid] for oid, digest in digests.items() if digest not in known}
    rows = provider.passages([piece for found in fresh.values() for piece in found])
    texts, at = [], 0
    for digest, rows_of_text in fresh.items():
        texts.append((digest, rows[at : at + len(rows_of_text)]))
        at += len(rows_of_text)
    with vectors.writing():
        vectors.add(texts, digests.items())
