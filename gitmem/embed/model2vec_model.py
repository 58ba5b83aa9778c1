"""A static model (model2vec): a vector per word, averaged. Light, quick, no network; weaker than a transformer."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gitmem.embed.found import digest_of, folder_of
from gitmem.embed.provider import LONGEST
from gitmem.embed.rows import no_rows, unit_rows
from gitmem.errors import EmbeddingError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from model2vec import StaticModel

    from gitmem.embed.rows import Vectors

# Whose the models are that are named without an owner: https://huggingface.co/minishlab (potion-base-8M, ...).
OWNER = "minishlab"
# What of a repository is fetched (model2vec, persistence/datamodels.py: the layouts it can load).
WANTED = ("config*.json", "model.safetensors", "tokenizer.json", "0_StaticEmbedding/*", "README.md")


class Model2vecModel:
    """A model2vec model in a folder of this machine."""

    longest = LONGEST

    def __init__(self, model: str, *, cache: str, download: bool = False) -> None:
        self._folder = folder_of(model, cache=cache, owner=OWNER, wanted=WANTED if download else ())
        self.name = f"model2vec:{Path(model).name}@{digest_of(self._folder)}"
        self._model: StaticModel | None = None

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        if not texts:
            return no_rows()
        # One thread: the pool is joblib's, which this would load for it.
        rows = self._loaded().encode(list(texts), use_multiprocessing=False)
        return unit_rows(rows, count=len(texts), name=self.name)

    def query(self, text: str) -> Vectors:
        """Return the vector of a question; see ``EmbeddingProvider``."""
        return np.ravel(self.passages([text]))

    def _loaded(self) -> StaticModel:
        if self._model is None:
            try:
                from model2vec import StaticModel  # 240 ms with numpy (measured)

                self._model = StaticModel.from_pretrained(self._folder)
            except Exception as err:
                # safetensors, tokenizers and json each raise their own errors.
                told = f"model2vec cannot load the model in {self._folder}: {err}"
                raise EmbeddingError(told, hint="git config gitmem.embed names the model") from err
        return self._model
