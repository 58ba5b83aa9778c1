"""Which provider a setting names, that only its package is loaded, and what a wrong setting is told."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from models import make_static

from gitmem.embed.choose import provider_for
from gitmem.errors import ConfigError, EmbeddingError


@pytest.mark.parametrize("setting", ["", "off"])
def test_nothing_set_is_no_provider(setting: str) -> None:
    assert provider_for(setting, cache="") is None


def test_a_static_model_is_made_of_its_folder(tmp_path: Path) -> None:
    made = provider_for(f"model2vec:{make_static(tmp_path / 'tiny')}", cache="")

    assert made is not None
    assert made.name.startswith("model2vec:tiny@")
    assert made.query("login").tolist() == [1, 0, 0]


@pytest.mark.parametrize("setting", ["model2vec", "model2vec:", "openai:x", "OFF!", "ftp://user:hunter2@host/v1#m"])
def test_what_names_no_provider_is_refused_without_being_shown(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        provider_for(setting, cache="")

    assert "hunter2" not in caught.value.message + caught.value.hint
    assert "model2vec:potion-base-8M" in caught.value.hint


def test_a_package_that_is_not_installed_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gitmem.embed.choose.find_spec", lambda name: None)

    with pytest.raises(EmbeddingError) as caught:
        provider_for("model2vec:potion-base-8M", cache="")

    assert (
        caught.value.message == "the embedding provider model2vec needs the package model2vec, which is not installed"
    )
    assert caught.value.hint == "pip install 'git-memory-store[model2vec]'"
    assert importlib.util.find_spec("model2vec") is not None
