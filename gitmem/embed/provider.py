"""What every embedding provider offers: the protocol. ``embed.choose`` makes one of a setting."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Protocol

    from gitmem.embed.rows import Vectors

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
