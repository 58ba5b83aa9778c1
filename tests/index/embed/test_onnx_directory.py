"""A folder with an exported model: real ONNX, run by onnxruntime, pooled as sentence-transformers does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.models import MEANINGS, make_directory

from gitmem.errors import EmbeddingError
from gitmem.index.embed.directory import read_directory
from gitmem.index.embed.onnx_directory import OnnxDirectory
from gitmem.index.embed.provider import BATCH


def model_in(folder: Path) -> OnnxDirectory:
    return OnnxDirectory(folder, read_directory(folder))


def unit(*rows: object) -> np.ndarray:
    found = np.array(rows, dtype=float)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("pooling", "pooled"),
    [
        ("mean_tokens", lambda words: words.mean(axis=0)),
        ("cls_token", lambda words: words[0]),
        ("max_tokens", lambda words: words.max(axis=0)),
    ],
)
def test_words_become_a_vector_by_the_folders_pooling(tmp_path: Path, pooling: str, pooled) -> None:  # type: ignore[no-untyped-def]
    model = model_in(make_directory(tmp_path / "m", pooling=pooling))

    rows = model.passages(["token database retry", "Login"])

    words = np.array([MEANINGS[word] for word in ("token", "database", "retry")])
    assert (rows.dtype, model.name[:6], model.name[-5:]) == (np.float32, "dir:m@", "+onnx")
    assert np.allclose(rows, unit(pooled(words), MEANINGS["login"]), atol=1e-6)


def test_many_texts_come_back_in_their_order(tmp_path: Path) -> None:
    model = model_in(make_directory(tmp_path / "m"))
    words = list(MEANINGS)
    texts = [" ".join([words[n % len(words)]] * (1 + n % 7)) for n in range(3 * BATCH + 1)]

    rows = model.passages(texts)

    assert np.allclose(rows, unit(*(MEANINGS[words[n % len(words)]] for n in range(len(texts)))), atol=1e-6)
    assert model.passages([]).shape == (0, 0)


def test_a_question_and_a_text_have_their_prompts(tmp_path: Path) -> None:
    model = model_in(make_directory(tmp_path / "m", query="login ", document="database "))

    assert np.allclose(model.query("timeout"), unit((0.5, 0.05, 0.5))[0])
    assert np.allclose(model.passages(["timeout"]), unit((0, 0.55, 0.5)))


def test_what_is_longer_than_the_model_reads_is_cut(tmp_path: Path) -> None:
    model = model_in(make_directory(tmp_path / "m"))

    assert np.allclose(model.query("login " * 8 + "database " * 100), [1, 0, 0])


def test_a_broken_model_is_an_error_of_ours(tmp_path: Path) -> None:
    folder = make_directory(tmp_path / "m")
    (folder / "onnx" / "model.onnx").write_bytes(b"\x00" * 64)

    with pytest.raises(EmbeddingError, match="onnxruntime cannot run the model in"):
        model_in(folder).query("login")
