"""A sentence-transformers folder without an exported model, run by sentence-transformers with torch. A slow start."""

from __future__ import annotations

import numpy as np

from gitmem.errors import EmbeddingError
from gitmem.index.embed.model_files import digest_of
from gitmem.index.embed.provider import BATCH, LONGEST, no_rows, unit_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from typing import Any

    from gitmem.index.embed.provider import Vectors


class TorchDirectory:
    """A model that sentence-transformers loads, always from a local folder."""

    longest = LONGEST

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.name = f"dir:{folder.name}@{digest_of(folder)}"
        self._model: Any = None

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        return self._rows("encode_document", list(texts)) if texts else no_rows()

    def query(self, text: str) -> Vectors:
        """Return the vector of a query; see ``EmbeddingProvider``."""
        return np.ravel(self._rows("encode_query", [text]))

    def _rows(self, way: str, texts: list[str]) -> Vectors:
        try:
            encode = getattr(self._load(), way)
            answer = encode(texts, batch_size=BATCH, show_progress_bar=False)
        except Exception as err:
            # torch, transformers, safetensors and json each raise their own errors.
            message = f"sentence-transformers cannot run the model in {self._folder}: {type(err).__name__}: {err}"
            raise EmbeddingError(message, hint="check git config gitmem.embed") from err
        return unit_rows(answer, count=len(texts), name=self.name)

    def _load(self) -> Any:
        if self._model is None:
            from sentence_transformers import SentenceTransformer
            from transformers.utils import logging

            # Its progress bar would appear on the terminal.
            logging.disable_progress_bar()
            # Code in the folder must not run. That is the default of trust_remote_code; it is set in case this changes.
            self._model = SentenceTransformer(str(self._folder), local_files_only=True, trust_remote_code=False)
        return self._model
