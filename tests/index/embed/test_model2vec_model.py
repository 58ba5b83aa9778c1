"""A static model: files that model2vec itself writes, of a handful of words, and the vectors that it makes of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import try_to_load_from_cache
from model2vec import StaticModel
from model2vec.model import quantize_model
from safetensors.numpy import save_file
from support.models import MEANINGS, make_static, matrix, put_in_cache, static_model, tokenizer
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from gitmem.errors import EmbeddingError
from gitmem.index.embed.model2vec_model import Model2vecModel


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_static(tmp_path_factory.mktemp("models") / "tiny")


def test_words_of_one_meaning_are_near_and_others_are_not(folder: Path) -> None:
    model = Model2vecModel(str(folder), cache="")

    rows = model.passages(["Authentication token", "the Postgres database", "retry after the deadline"])
    asked = model.query("Login!")

    assert (rows.shape, rows.dtype, asked.shape, asked.dtype) == ((3, 3), np.float32, (3,), np.float32)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert list(np.argsort(-(rows @ asked))) == [0, 2, 1]


TEXTS = ["Authentication token, xyzzy!", "the Postgres database", "", "xyzzy", "login " * 1000 + "database"]


def clustered() -> StaticModel:
    """Return a model whose tokens share three vectors, and weigh differently."""
    numbers = np.arange(len(matrix()))
    return StaticModel(np.eye(3), tokenizer(), weights=numbers / 10, token_mapping=numbers % 3)


def unigram() -> StaticModel:
    """Return a model whose tokenizer is one of pieces, as multilingual models' are."""
    words = Tokenizer(Unigram([("[UNK]", 0.0), *((word, -1.0) for word in MEANINGS)], unk_id=0, byte_fallback=False))
    words.normalizer, words.pre_tokenizer = tokenizer().normalizer, tokenizer().pre_tokenizer
    return StaticModel(matrix()[1:], words)


@pytest.mark.parametrize(
    "made",
    [
        static_model(),
        quantize_model(static_model(), quantize_to="float16"),
        quantize_model(static_model(), quantize_to="int8"),
        clustered(),
        unigram(),
    ],
    ids=["float32", "float16", "int8", "clustered", "unigram"],
)
def test_its_vectors_are_model2vecs_own(tmp_path: Path, made: StaticModel) -> None:
    made.save_pretrained(tmp_path / "m")

    expected = StaticModel.from_pretrained(tmp_path / "m").encode(TEXTS).astype(float)
    rows = Model2vecModel(str(tmp_path / "m"), cache="").passages(TEXTS)

    lengths = np.linalg.norm(expected, axis=1, keepdims=True)
    assert np.allclose(rows, expected / np.where(lengths > 0, lengths, 1), atol=1e-3)
    assert rows.any(axis=1).tolist() == [True, True, False, False, True]


def test_sentence_transformers_own_layout_is_read_too(tmp_path: Path, folder: Path) -> None:
    inside = tmp_path / "m" / "0_StaticEmbedding"
    inside.mkdir(parents=True)
    shutil.copy(folder / "tokenizer.json", inside)
    save_file({"embedding.weight": matrix()}, inside / "model.safetensors")

    assert Model2vecModel(str(tmp_path / "m"), cache="").query("login").tolist() == [1, 0, 0]


def test_a_text_of_unknown_words_is_zeros_and_no_text_is_no_row(folder: Path) -> None:
    model = Model2vecModel(str(folder), cache="")

    assert model.passages(["xyzzy", "", "login"]).any(axis=1).tolist() == [False, False, True]
    assert model.passages([]).shape == (0, 0)


def test_a_name_is_looked_up_in_the_hubs_cache_and_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetched = put_in_cache(tmp_path / "hub", "minishlab/potion-tiny", make_static(tmp_path / "made"))
    (tmp_path / "minishlab").mkdir()
    make_static(tmp_path / "minishlab" / "planted")
    monkeypatch.chdir(tmp_path)

    found = [Model2vecModel(name, cache=str(tmp_path / "hub")) for name in ("potion-tiny", "minishlab/potion-tiny")]

    # The hub's own client finds it there too.
    asked = try_to_load_from_cache("minishlab/potion-tiny", "config.json", cache_dir=tmp_path / "hub")
    assert asked == str(fetched / "config.json")
    assert found[0].name == found[1].name
    assert found[0].name.startswith("model2vec:potion-tiny@")
    with pytest.raises(EmbeddingError, match="minishlab/planted is not on this machine"):
        Model2vecModel("minishlab/planted", cache=str(tmp_path / "hub"))


def test_another_model_in_the_same_folder_has_another_name(tmp_path: Path) -> None:
    before = Model2vecModel(str(make_static(tmp_path / "m")), cache="").name

    assert Model2vecModel(str(make_static(tmp_path / "m")), cache="").name == before
    assert Model2vecModel(str(make_static(tmp_path / "m", scale=2)), cache="").name != before


def test_name_of_a_model_is_not_about_the_files_beside_its_folder(tmp_path: Path) -> None:
    folder = make_static(tmp_path / "m")
    before = Model2vecModel(str(folder), cache="").name
    for number in range(501):
        (tmp_path / f"{number}.txt").touch()

    assert Model2vecModel(str(folder), cache="").name == before


def test_a_folder_that_is_no_model_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(EmbeddingError, match="does not contain a model in model2vec's format:"):
        Model2vecModel(str(tmp_path), cache="").query("login")


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    model = Model2vecModel(str(make_static(tmp_path / "m", scale=float("nan"))), cache="")

    with pytest.raises(EmbeddingError, match="not finite"):
        model.query("login")
