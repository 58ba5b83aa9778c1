"""A static model in model2vec's format: a vector per token, averaged. Light and quick; weaker than a transformer.

The files are read here rather than by the package model2vec, which imports the hub's client: a query in a new process
then takes 16 times the CPU of starting Python rather than 53 times (measured), and recall runs on every prompt. Tests
compare the results with the package's.

Source: model2vec 0.10, model.py (``encode``) and persistence/persistence.py (``load_pretrained``).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from gitmem.errors import EmbeddingError
from gitmem.index.embed.model_files import digest_of, folder_of
from gitmem.index.embed.provider import LONGEST, no_rows, unit_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from gitmem.index.embed.provider import Vectors

# Owner of the models that are named without one: https://huggingface.co/minishlab (potion-base-8M, ...).
OWNER = "minishlab"
# Where the required files are (model2vec, persistence/datamodels.py), and which of them are downloaded.
WEIGHTS, TOKENIZER = "model.safetensors", "tokenizer.json"
INSIDE = ("", "0_StaticEmbedding")
WANTED = ("config*.json", WEIGHTS, TOKENIZER, "0_StaticEmbedding/*")
# The names of the vectors in the file: model2vec's and sentence-transformers'.
VECTORS = ("embeddings", "embedding.weight")
# How many tokens are read (model2vec, DEFAULT_MAX_LENGTH): more than a piece has.
TOKENS = 512


class Model2vecModel:
    """A static model in a folder of this machine."""

    longest = LONGEST

    def __init__(
        self, model: str, *, cache: str, download: bool = False, weights: str = "", tokenizer: str = TOKENIZER
    ) -> None:
        """Find the model.

        Args:
            model: A folder, or the name of a model that was downloaded.
            cache: The hub's cache folder.
            download: Whether to download it first.
            weights: The file of the vectors in the folder, if it is not where model2vec puts it.
            tokenizer: The file of the tokenizer.
        """
        self._folder = folder_of(model, cache=cache, owner=OWNER, wanted=WANTED if download else ())
        self._weights, self._tokens = weights, tokenizer
        self.is_packaged = bool(weights)
        digest = digest_of((self._folder / weights).parent if weights else self._folder)
        self.name = f"model2vec:{Path(model).name}@{digest}"
        self._tokenizer: Tokenizer | None = None
        self._unknown: int | None = None
        self._tensors: dict[str, NDArray[Any]] = {}

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        if not texts:
            return no_rows()
        try:
            encoded = self._loaded().encode_batch_fast(list(texts), add_special_tokens=False)
            rows = [self._mean([number for number in encoding.ids if number != self._unknown]) for encoding in encoded]
        except Exception as err:
            # safetensors, tokenizers and json each raise their own errors.
            message = (
                f"the folder {self._folder} does not contain a model in model2vec's format: {type(err).__name__}: {err}"
            )
            raise EmbeddingError(message, hint="check git config gitmem.embed") from err
        return unit_rows(rows, count=len(texts), name=self.name)

    def query(self, text: str) -> Vectors:
        """Return the vector of a query; see ``EmbeddingProvider``."""
        return np.ravel(self.passages([text]))

    def _mean(self, tokens: list[int]) -> NDArray[np.float32]:
        vectors = self._tensors["vectors"]
        if not tokens:
            return np.zeros(vectors.shape[1], dtype=np.float32)
        # A model with fewer vectors than tokens maps each token to a vector and a weight.
        rows = self._tensors["mapping"][tokens] if "mapping" in self._tensors else tokens
        token_vectors = vectors[rows].astype(np.float32)
        if "weights" in self._tensors:
            token_vectors *= self._tensors["weights"][tokens][:, None]
        return np.asarray(token_vectors.mean(axis=0))

    def _loaded(self) -> Tokenizer:
        if self._tokenizer is None:
            from safetensors import safe_open  # 10 ms (measured)
            from tokenizers import Tokenizer  # 20 ms (measured)

            weights = self._folder / self._weights if self._weights else self._find_weights()
            folder = self._folder if self._weights else weights.parent
            with safe_open(weights, framework="numpy") as file:
                names = {name: name for name in file.keys() if name in ("weights", "mapping")}  # noqa: SIM118 - no mapping
                names["vectors"] = next(name for name in VECTORS if name in file.keys())  # noqa: SIM118
                self._tensors = {name: file.get_tensor(its) for name, its in names.items()}
            tokenizer = Tokenizer.from_file(str(folder / self._tokens))
            tokenizer.no_padding()
            tokenizer.enable_truncation(TOKENS)
            self._unknown = _unknown(tokenizer)
            self._tokenizer = tokenizer
        return self._tokenizer

    def _find_weights(self) -> Path:
        return next(
            (file for place in INSIDE if (file := self._folder / place / WEIGHTS).is_file()), self._folder / WEIGHTS
        )


def _unknown(tokenizer: Tokenizer) -> int | None:
    """Return the token for unknown words, which carries no meaning; None if there is none."""
    if hasattr(tokenizer.model, "unk_token"):
        return tokenizer.token_to_id(tokenizer.model.unk_token) if tokenizer.model.unk_token else None
    import json  # 3 ms (measured)

    # The tokenizers package does not expose it for a Unigram model.
    table = json.loads(tokenizer.to_str())["model"].get("unk_id")
    return table if isinstance(table, int) else None
