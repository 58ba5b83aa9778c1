"""A model of fastembed's list, its files in the hub's cache replaced by tiny ones: fastembed itself runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.models import make_onnx, matrix, put_in_cache

from gitmem.errors import EmbeddingError
from gitmem.index.embed.fastembed_model import FastembedModel

MODEL = "sentence-transformers/all-MiniLM-L6-v2"
# Where fastembed has this model from, and its file there.
SOURCE, FILE = "Qdrant/all-MiniLM-L6-v2-onnx", "model.onnx"


def cached(tmp_path: Path, rows: np.ndarray | None = None) -> str:
    put_in_cache(tmp_path / "hub", SOURCE, make_onnx(tmp_path / "made", model_file=FILE, rows=rows))
    return str(tmp_path / "hub")


def test_words_of_one_meaning_are_near_and_others_are_not(tmp_path: Path) -> None:
    model = FastembedModel(MODEL.lower(), cache=cached(tmp_path))

    rows = model.passages(["Authentication token", "postgres database", "retry deadline"])
    asked = model.query("login")

    assert model.name.startswith(f"fastembed:{MODEL}@")
    assert (rows.shape, rows.dtype, asked.shape, asked.dtype) == ((3, 3), np.float32, (3,), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert list(np.argsort(-(rows @ asked))) == [0, 2, 1]
    assert model.passages([]).shape == (0, 0)


# In a Python of its own, which notes every connection.
SCRIPT = """
import sys
reached = []
LOOKED_AT = ("socket.connect", "socket.getaddrinfo")
sys.addaudithook(lambda event, given: reached.append(event) if event in LOOKED_AT else None)
from gitmem.index.embed.choose import provider_for
provider_for(sys.argv[1], cache=sys.argv[2]).query("login")
print("fastembed" in sys.modules, reached)
"""


@pytest.mark.whole_system
def test_it_reaches_for_nothing_and_says_nothing(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", SCRIPT, f"fastembed:{MODEL}", cached(tmp_path)]

    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout, done.stderr) == (0, "True []\n", "")


def test_a_model_that_was_not_fetched_says_how_to_fetch_it(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError) as caught:
        FastembedModel(MODEL, cache=str(tmp_path))

    assert caught.value.message == f"the model {SOURCE} is not on this machine"
    assert "gitmem embed rebuild --download" in caught.value.hint


def test_a_name_that_is_not_on_the_list_names_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError) as caught:
        FastembedModel("BAAI/bge-smal-en", cache=str(tmp_path))

    assert caught.value.hint == "the closest one is BAAI/bge-small-en"


def test_a_broken_model_is_an_error_of_ours(tmp_path: Path) -> None:
    folder = put_in_cache(tmp_path / "hub", SOURCE, make_onnx(tmp_path / "made", model_file=FILE))
    (folder / FILE).write_bytes(b"not a model")

    with pytest.raises(EmbeddingError, match="fastembed cannot load the model in"):
        FastembedModel(MODEL, cache=str(tmp_path / "hub")).query("login")


def test_a_model_whose_numbers_are_not_finite_is_refused(tmp_path: Path) -> None:
    model = FastembedModel(MODEL, cache=cached(tmp_path, matrix() * np.nan))

    with pytest.raises(EmbeddingError, match="not finite"):
        model.query("login")
