"""What every embedding provider offers: the protocol. ``index.embed.choose`` makes one of a setting."""

from __future__ import annotations

# What a piece may have at most, in characters. MiniLM reads 256 tokens (its sentence_bert_config.json), and a token is
# 3.5 characters of this project's documentation, 3.0 to 3.5 of its code (measured). Models that read more lose detail:
# one vector is for all of it.
LONGEST = 900
# Texts that a model is given at once. Text Embeddings Inference takes no more ("--max-client-batch-size", default 32),
# and sentence-transformers itself takes as many.
BATCH = 32

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from gitmem.index.embed.rows import Vectors

    class EmbeddingProvider(Protocol):
        """One model that embeds. Making one only finds the model; the first text loads it.

        A row has length 1, or is all zeros where the model knows no word of the text: its cosine with everything is 0.
        """

        @property
        def name(self) -> str:
            """Kind and model, and for local files a digest of them: vectors of two names are never compared."""

        @property
        def longest(self) -> int:
            """How many characters of one piece the model reads well, >= 1."""

        def passages(self, texts: Sequence[str]) -> Vectors:
            """Return a float32 row per text, in their order; shape (0, 0) for none.

            Raises:
                EmbeddingError: The model or endpoint does not answer, or not with vectors of one size.
            """

        def query(self, text: str) -> Vectors:
            """Return the float32 vector of a question, of one dimension.

            Raises:
                EmbeddingError: As ``passages`` does.
            """
