"""A static model: real files in model2vec's format, made of a handful of words, loaded by model2vec itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from huggingface_hub import try_to_load_from_cache
from models import make_static, put_in_cache

from gitmem.embed.model2vec_model import Model2vecModel
from gitmem.errors import EmbeddingError


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


def test_a_folder_that_is_no_model_says_so(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}")

    with pytest.raises(EmbeddingError, match="model2vec cannot load the model in"):
        Model2vecModel(str(tmp_path), cache="").query("login")


def test_numbers_that_are_not_finite_are_refused(tmp_path: Path) -> None:
    model = Model2vecModel(str(make_static(tmp_path / "m", scale=float("nan"))), cache="")

    with pytest.raises(EmbeddingError, match="not finite"):
        model.query("login")
