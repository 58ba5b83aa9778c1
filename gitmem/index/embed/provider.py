"""The protocol of embedding providers, and what they share. ``index.embed.choose`` creates one from a setting."""

from __future__ import annotations

import numpy as np  # 140 ms (measured): only imported when a provider is set up

from gitmem.errors import EmbeddingError

# Most characters of a piece. MiniLM reads 256 tokens (its sentence_bert_config.json), and a token is 3.5 characters of
# this project's documentation, 3.0 to 3.5 of its code (measured). Longer pieces lose detail even in models that read
# more: they have only one vector.
LONGEST = 900
# How many texts a model gets at once. Text Embeddings Inference accepts no more ("--max-client-batch-size", default
# 32), and sentence-transformers uses the same number.
BATCH = 32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol, TypeAlias

    from numpy.typing import NDArray

    Vectors: TypeAlias = NDArray[np.float32]

    class EmbeddingProvider(Protocol):
        """An embedding model. Creating a provider only finds the model; the first text loads it.

        A row has length 1, or is all zeros if the model knows no word of the text; then its cosine with everything is
        0.
        """

        @property
        def name(self) -> str:
            """Return kind and model, and a digest of local files: vectors of different names are never compared."""

        @property
        def longest(self) -> int:
            """Return how many characters of a piece the model reads well, >= 1."""

        def passages(self, texts: Sequence[str]) -> Vectors:
            """Return a float32 row per text, in their order; shape (0, 0) for no texts.

            Raises:
                EmbeddingError: The model or endpoint does not answer, or not with vectors of equal size.
            """

        def query(self, text: str) -> Vectors:
            """Return the one-dimensional float32 vector of a query.

            Raises:
                EmbeddingError: As ``passages`` does.
            """


def unit_rows(answer: object, *, count: int, name: str, dimensions: int = 0) -> Vectors:
    """Return a model's answer as rows of length 1; a row of zeros stays zero.

    Args:
        answer: *count* rows, in any form that numpy can convert to a matrix of numbers.
        count: How many texts were embedded, >= 1.
        name: The provider, for the error.
        dimensions: The required length of a row; 0 accepts any length >= 1 that all rows share.

    Raises:
        EmbeddingError: The answer is not such a matrix, or a number in it is not finite.
    """
    try:
        rows = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as err:
        raise _refused(name, "rows that are not numbers, or differ in size") from err
    if rows.ndim != 2 or rows.shape[0] != count or rows.shape[1] == 0:
        shape = " x ".join(map(str, rows.shape))
        raise _refused(name, f"{shape or 'one number'} for {count} text{'s' if count != 1 else ''}")
    if dimensions and rows.shape[1] != dimensions:
        raise _refused(name, f"{rows.shape[1]} dimensions instead of {dimensions} as before")
    if not np.isfinite(rows).all():
        raise _refused(name, "numbers that are not finite")
    # In float64: the squares of a large float32 overflow to infinity, those of a small one underflow to 0.
    largest = np.abs(rows).max(axis=1, keepdims=True)
    scaled = rows / np.where(largest > 0, largest, 1)
    lengths = np.linalg.norm(scaled, axis=1, keepdims=True)
    return np.ascontiguousarray(scaled / np.where(lengths > 0, lengths, 1), dtype=np.float32)


def no_rows() -> Vectors:
    """Return the rows of an empty list of texts."""
    return np.zeros((0, 0), dtype=np.float32)


def _refused(name: str, what: str) -> EmbeddingError:
    return EmbeddingError(f"the embedding provider {name} answered with {what}", hint="check the model in the setting")
