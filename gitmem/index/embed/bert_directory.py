"""A BERT in a sentence-transformers folder, computed with numpy: no torch, no onnxruntime, and no export by hand.

A question to MiniLM in a new process takes 19 times the CPU of starting Python, with torch 580 times
(``docs/embeddings.md``).

Source: Devlin et al. 2019, "BERT"; the names of the tensors are those of transformers' ``BertModel``.
"""

from __future__ import annotations

import numpy as np

from gitmem.errors import EmbeddingError
from gitmem.index.embed.folder_model import FolderModel, pool
from gitmem.index.embed.provider import BATCH, no_rows, unit_rows
from gitmem.system import only_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Any

    from numpy.typing import NDArray
    from tokenizers import Tokenizer

    from gitmem.index.embed.directory import Directory
    from gitmem.index.embed.provider import Vectors

    Floats = NDArray[np.float32]

WEIGHTS, CONFIG, TOKENIZER = "model.safetensors", "config.json", "tokenizer.json"
# A configuration has some hundred bytes.
CONFIG_BYTES = 1 << 20
# What the computation below is; another kind needs torch or an export.
KIND = {"model_type": "bert", "hidden_act": "gelu", "position_embedding_type": "absolute"}
# Tokens of one batch: more of them at once do not fit into the processor's caches.
BATCH_TOKENS = 1024
# How many rows of 1,536 numbers fit into a cache of 1 MB together with three intermediate results.
GELU_ROWS = 32


class BertDirectory(FolderModel):
    """A BERT model with its tokenizer."""

    by = "numpy"

    def __init__(self, folder: Path, directory: Directory) -> None:
        super().__init__(folder, directory)
        self._loaded: tuple[_Bert, Tokenizer] | None = None

    def _rows(self, texts: list[str]) -> Vectors:
        if not texts:
            return no_rows()
        rows: list[Floats | None] = [None] * len(texts)
        try:
            model, tokenizer = self._load()
            ids = [encoding.ids for encoding in tokenizer.encode_batch_fast(texts)]
            for group in _batches(ids):
                batch = np.array([ids[place] for place in group])
                # The texts of a group have one length, so that there is no padding.
                pooled = pool(model.tokens(batch), np.ones_like(batch), self._directory.pooling)
                for place, row in zip(group, pooled, strict=True):
                    rows[place] = row
        except Exception as err:
            # safetensors, tokenizers, json and a tensor of another shape each raise their own errors.
            message = f"the model in {self._directory.folder} cannot be computed: {type(err).__name__}: {err}"
            raise EmbeddingError(message, hint="check git config gitmem.embed") from err
        return unit_rows(rows, count=len(texts), name=self.name)

    def _load(self) -> tuple[_Bert, Tokenizer]:
        if self._loaded is None:
            from safetensors import safe_open  # 10 ms (measured)
            from tokenizers import Tokenizer  # 20 ms (measured)

            folder = self._directory.folder
            with safe_open(folder / WEIGHTS, framework="numpy") as file:
                tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
            tokenizer.no_padding()  # texts of one length share a batch
            model = _Bert(tensors, read_config(folder))
            tokenizer.enable_truncation(self._directory.tokens or model.positions)
            self._loaded = model, tokenizer
        return self._loaded


def can_compute(directory: Directory) -> bool:
    """Return whether numpy can compute a folder's vectors: it is a BERT, with a known pooling."""
    files = (directory.folder / name for name in (WEIGHTS, CONFIG, TOKENIZER))
    if not directory.pooling or not all(file.is_file() for file in files):
        return False
    config = read_config(directory.folder)
    return all(config.get(name, value) == value for name, value in KIND.items())


def read_config(folder: Path) -> Mapping[str, Any]:
    """Return the configuration of a transformers model; empty if it cannot be read."""
    import json  # 3 ms (measured)

    try:
        with open(folder / CONFIG, "rb", opener=only_regular) as file:
            table = json.loads(file.read(CONFIG_BYTES))
    except (OSError, ValueError, RecursionError):
        return {}
    return table if isinstance(table, dict) else {}


def _batches(ids: Sequence[Sequence[int]]) -> Iterator[list[int]]:
    """Yield the places of texts of the same length, as many as fit into a batch."""
    by_length: dict[int, list[int]] = {}
    for place, id_ in enumerate(ids):
        by_length.setdefault(len(id_), []).append(place)
    for length, places in by_length.items():
        size = max(1, min(BATCH, BATCH_TOKENS // max(length, 1)))
        yield from (places[at : at + size] for at in range(0, len(places), size))


class _Bert:
    """The computation of a BERT encoder, post-norm, with learned absolute positions."""

    def __init__(self, tensors: Mapping[str, Floats], config: Mapping[str, Any]) -> None:
        self._heads, self._eps = int(config["num_attention_heads"]), float(config["layer_norm_eps"])
        self.positions = int(config["max_position_embeddings"])
        self._tensors = {name.removeprefix("bert."): tensor for name, tensor in tensors.items()}
        self._layers = [f"encoder.layer.{number}" for number in range(int(config["num_hidden_layers"]))]

    def tokens(self, ids: NDArray[np.int64]) -> Floats:
        """Return the vectors of the tokens of some texts of one length: (texts, tokens, dimensions)."""
        texts, length = ids.shape
        words, positions = self._tensor("embeddings.word_embeddings.weight"), self._tensor(_POSITIONS)
        vectors = words[ids] + positions[:length] + self._tensor("embeddings.token_type_embeddings.weight")[0]
        vectors = self._norm(vectors.reshape(texts * length, -1), "embeddings.LayerNorm")
        for layer in self._layers:
            attended = self._linear(self._attention(vectors, layer, texts, length), f"{layer}.attention.output.dense")
            vectors = self._norm(vectors + attended, f"{layer}.attention.output.LayerNorm")
            inner = _gelu(self._linear(vectors, f"{layer}.intermediate.dense"))
            vectors = self._norm(vectors + self._linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
        return vectors.reshape(texts, length, -1)

    def _attention(self, rows: Floats, layer: str, texts: int, length: int) -> Floats:
        """Return self-attention over the tokens of each text (Vaswani et al. 2017, 3.2)."""
        query, key, value = (
            self._linear(rows, f"{layer}.attention.self.{name}")
            .reshape(texts, length, self._heads, -1)
            .transpose(0, 2, 1, 3)
            for name in ("query", "key", "value")
        )
        query *= np.float32(query.shape[-1] ** -0.5)
        weights = query @ key.transpose(0, 1, 3, 2)
        weights -= weights.max(axis=-1, keepdims=True)
        np.exp(weights, out=weights)
        mixed = weights @ value
        mixed /= weights.sum(axis=-1, keepdims=True)
        return np.asarray(mixed.transpose(0, 2, 1, 3).reshape(texts * length, -1))

    def _linear(self, rows: Floats, name: str) -> Floats:
        products = rows @ self._tensor(f"{name}.weight").T
        products += self._tensor(f"{name}.bias")
        return np.asarray(products)

    def _norm(self, rows: Floats, name: str) -> Floats:
        rows = rows - rows.mean(axis=-1, keepdims=True)
        rows /= np.sqrt(np.square(rows).mean(axis=-1, keepdims=True) + np.float32(self._eps))
        return np.asarray(rows * self._tensor(f"{name}.weight") + self._tensor(f"{name}.bias"))

    def _tensor(self, name: str) -> Floats:
        return self._tensors[name]


_POSITIONS = "embeddings.position_embeddings.weight"


def _gelu(rows: Floats) -> Floats:
    """Replace each x by x times the normal distribution's probability of less than x (Hendrycks, Gimpel 2016).

    Source of the error function: Abramowitz, Stegun 1964, 7.1.26, with an error below 1.5e-7.
    """
    # A part at a time, because sixteen passes over what does not fit into the cache take longer than the matrices.
    for at in range(0, len(rows), GELU_ROWS):
        part = rows[at : at + GELU_ROWS]
        size = np.abs(part)
        beyond = size * np.float32(0.3275911 * 0.5**0.5)
        beyond += 1
        t = np.reciprocal(beyond)
        beyond = t * np.float32(1.061405429 / 2)
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            beyond += np.float32(factor / 2)
            beyond *= t
        np.multiply(size, size, out=t)
        t *= np.float32(-0.5)
        beyond *= np.exp(t, out=t)  # the probability of more than |x|
        beyond *= size
        np.maximum(part, 0, out=part)
        part -= beyond
    return rows
