"""What the environment says to single commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.config import load, variable
from gitmem.errors import ConfigError
from gitmem.system import environment


@pytest.mark.parametrize(
    ("variables", "editor"),
    [
        ({"GIT_EDITOR": "a", "VISUAL": "b", "EDITOR": "c"}, "a"),
        ({"VISUAL": "b", "EDITOR": "c"}, "b"),
        ({"EDITOR": "c"}, "c"),
        ({}, ""),
    ],
    ids=["git", "visual", "editor", "none"],
)
def test_the_editor_is_the_first_that_is_set(
    variables: dict[str, str], editor: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_EDITOR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert environment.editor() == editor


def test_checks_find_programs_where_path_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")

    assert "/bin" in environment.search_path()


def test_an_embedding_endpoints_key_is_the_environments_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_EMBED_KEY", "sk-hunter2")

    with pytest.raises(ConfigError) as caught:
        load({"embedkey": "sk-hunter2"}, environment={})

    assert variable("GITMEM_EMBED_KEY") == "sk-hunter2"
    assert "hunter2" not in repr(load({}))
    assert "hunter2" not in caught.value.message + caught.value.hint
    assert caught.value.hint == "use the environment variable GITMEM_EMBED_KEY instead"


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "{home}/.cache/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/c"}, "/c/huggingface/hub"),
        ({"XDG_CACHE_HOME": "/c", "HF_HOME": "~/hf"}, "{home}/hf/hub"),
        ({"HF_HOME": "/hf", "HF_HUB_CACHE": "/models"}, "/models"),
    ],
    ids=["default", "xdg", "home", "hub"],
)
def test_models_are_where_the_hubs_client_keeps_them(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], expected: str
) -> None:
    for name in ("XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert environment.model_cache() == expected.format(home=Path.home())
