"""A transformer in ONNX through fastembed, without torch: a downloaded model from fastembed's list."""

from __future__ import annotations

import numpy as np

from gitmem.errors import EmbeddingError
from gitmem.index.embed.model_files import digest_of, folder_of
from gitmem.index.embed.provider import BATCH, LONGEST, no_rows, unit_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from fastembed import TextEmbedding

    from gitmem.index.embed.provider import Vectors

# The files that fastembed reads besides the model itself (fastembed, common/preprocessor_utils.py: the tokenizer).
TOKENIZER = ("config.json", "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json")


class FastembedModel:
    """One of fastembed's models, in the hub's cache on this machine."""

    longest = LONGEST

    def __init__(self, model: str, *, cache: str, download: bool = False) -> None:
        listed = _listed(model)
        self._model_name = listed["model"]
        wanted = (*TOKENIZER, listed["model_file"], *(listed["additional_files"] or ()))
        # The repository on the hub has another name than the model: fastembed has its own copies of most.
        self._folder = folder_of(listed["sources"]["hf"], cache=cache, owner="", wanted=wanted if download else ())
        self.name = f"fastembed:{self._model_name}@{digest_of(self._folder)}"
        self._model: TextEmbedding | None = None

    def passages(self, texts: Sequence[str]) -> Vectors:
        """Return a row per text; see ``EmbeddingProvider``."""
        if not texts:
            return no_rows()
        return self._rows(self._loaded().passage_embed(list(texts), batch_size=BATCH), len(texts))

    def query(self, text: str) -> Vectors:
        """Return the vector of a query; see ``EmbeddingProvider``."""
        return np.ravel(self._rows(self._loaded().query_embed(text), 1))

    def _rows(self, answer: Iterable[object], count: int) -> Vectors:
        try:
            rows = list(answer)
        except Exception as err:
            # onnxruntime's errors have no common base class but Exception.
            raise EmbeddingError(f"the embedding provider {self.name} failed: {err}") from err
        return unit_rows(rows, count=count, name=self.name)

    def _loaded(self) -> TextEmbedding:
        if self._model is None:
            from fastembed import TextEmbedding

            try:
                self._model = TextEmbedding(self._model_name, specific_model_path=str(self._folder), cuda=False)
            except Exception as err:
                # onnxruntime, tokenizers and json each raise their own errors.
                message = f"fastembed cannot load the model in {self._folder}: {err}"
                raise EmbeddingError(message, hint="download it again: gitmem embed rebuild --download") from err
        return self._model


def _listed(model: str) -> dict[str, Any]:
    """Return fastembed's description of a model."""
    try:
        from fastembed import TextEmbedding  # 440 ms (measured)
    except Exception as err:
        from gitmem.system.origin import extra_hint

        raise EmbeddingError(f"fastembed cannot be loaded: {err}", hint=extra_hint("embed")) from err
    models = TextEmbedding.list_supported_models()
    for entry in models:
        if entry["model"].lower() == model.lower() and entry["sources"]["hf"]:
            return dict(entry)
    from difflib import get_close_matches  # 3 ms, and only for this error

    near = get_close_matches(model, [found["model"] for found in models], n=1, cutoff=0.0)
    raise EmbeddingError(f"fastembed has no model {model}", hint=f"the closest one is {near[0]}")
