"""The protocol of embedding providers. ``index.embed.choose`` creates one from a setting."""

from __future__ import annotations

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
    from typing import Protocol

    from gitmem.index.embed.rows import Vectors

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
