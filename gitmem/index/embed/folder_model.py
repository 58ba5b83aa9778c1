"""What the models in a sentence-transformers folder share, however their tokens' vectors are computed."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np

from gitmem.index.embed.model_files import digest_of
from gitmem.index.embed.provider import LONGEST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray

    from gitmem.index.embed.directory import Directory
    from gitmem.index.embed.provider import Vectors


class FolderModel(ABC):
    """A model in a folder, with its tokenizer; a subclass computes the rows of texts that have their prompts."""

    longest = LONGEST
    # What computes it: the end of its name.
    by = ""

    def __init__(self, folder: Path, directory: Directory) -> None:
        self._directory = directory
        self.name = f"dir:{folder.name}@{digest_of(folder)}+{self.by}"

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        return self._rows([self._directory.passage_prompt + text for text in texts])

    def query(self, text: str) -> Vectors:
        """Return the vector of a query; see ``EmbeddingProvider``."""
        return np.ravel(self._rows([self._directory.query_prompt + text]))

    @abstractmethod
    def _rows(self, texts: list[str]) -> Vectors:
        """Return a row per text."""


def pool(tokens: NDArray[Any], mask: NDArray[np.int64], pooling: str) -> NDArray[Any]:
    """Return a row per text from the vectors of its tokens.

    Args:
        tokens: The vectors, of shape (texts, tokens, dimensions).
        mask: 1 for a token and 0 for padding, of shape (texts, tokens).
        pooling: ``mean``, ``cls`` or ``max``.

    Source: sentence-transformers, models/Pooling.py.
    """
    counted = mask[:, :, None]
    if pooling == "cls":
        return np.asarray(tokens[np.arange(len(tokens)), mask.argmax(axis=1)])
    if pooling == "max":
        return np.asarray(np.where(counted, tokens, -np.inf).max(axis=1))
    return np.asarray((tokens * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1))
