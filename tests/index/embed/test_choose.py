"""Which provider a setting names, that only its package is loaded, and what a wrong setting is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.each import each
from support.models import make_directory, make_static

from gitmem.errors import ConfigError, EmbeddingError
from gitmem.index.embed.choose import provider_for
from gitmem.system.origin import extra_hint


@each("setting", ["", "off"])
def test_nothing_set_is_no_provider(setting: str) -> None:
    assert provider_for(setting, cache="") is None


def test_a_static_model_is_made_of_its_folder(tmp_path: Path) -> None:
    made = provider_for(f"model2vec:{make_static(tmp_path / 'tiny')}", cache="")

    assert made is not None
    assert made.name.startswith("model2vec:tiny@")
    assert made.query("login").tolist() == [1, 0, 0]


def test_a_folder_with_an_exported_model_runs_without_torch(tmp_path: Path) -> None:
    made = provider_for(f"dir:{make_directory(tmp_path / 'tiny')}", cache="")

    assert made is not None
    assert made.name.startswith("dir:tiny@")
    assert made.query("login").tolist() == [1, 0, 0]


def test_an_address_is_an_endpoint_and_its_name_has_no_key() -> None:
    made = provider_for("https://host/v1#text-embedding-3-small", cache="", key="hunter2")

    assert made is not None
    assert made.name == "https://host/v1#text-embedding-3-small"
    assert "hunter2" not in repr(made)


@each(
    "setting",
    [
        *("model2vec", "model2vec:", "fastembed:", "openai:x", "OFF!", "dir:", "dir:models/tiny", "dir:./tiny"),
        "ftp://user:hunter2@host/v1#m",
    ],
)
def test_what_names_no_provider_is_refused_without_being_shown(setting: str) -> None:
    with pytest.raises(ConfigError) as caught:
        provider_for(setting, cache="")

    assert caught.value.message == "the setting embed does not name a known embedding provider"
    wanted = (
        "use wordllama, minilm, model2vec:potion-base-8M, fastembed:NAME, dir:/a/folder, https://host/v1#MODEL, or off"
    )
    assert caught.value.hint == wanted


@pytest.mark.parametrize(
    ("setting", "package", "extra"),
    [
        ("model2vec:potion-base-8M", "tokenizers", "model2vec"),
        ("fastembed:BAAI/bge-small-en-v1.5", "fastembed", "embed"),
        ("dir:{folder}", "onnxruntime", "embed"),
        ("http://localhost:11434/v1#m", "numpy", "http"),
    ],
)
def test_a_package_that_is_not_installed_says_how_to_get_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, package: str, extra: str
) -> None:
    monkeypatch.setattr("gitmem.index.embed.choose.find_spec", lambda name: None)
    setting = setting.format(folder=make_directory(tmp_path / "tiny"))

    with pytest.raises(EmbeddingError) as caught:
        provider_for(setting, cache="")

    assert caught.value.message.endswith(f" needs the package {package}, which is not installed")
    assert caught.value.hint == extra_hint(extra)


HEAVY = {"numpy", "model2vec", "fastembed", "onnxruntime", "tokenizers", "sentence_transformers", "huggingface_hub"}


@pytest.mark.parametrize(
    ("setting", "loads"),
    [
        ("off", set()),
        ("http://localhost:1/v1#m", {"numpy"}),
        ("model2vec:{static}", {"numpy"}),
        ("dir:{folder}", {"numpy"}),
    ],
)
def test_until_the_first_text_little_is_loaded(tmp_path: Path, setting: str, loads: set[str]) -> None:
    setting = setting.format(static=make_static(tmp_path / "static"), folder=make_directory(tmp_path / "folder"))
    script = (
        "import sys; from gitmem.index.embed.choose import provider_for; provider_for(sys.argv[1], cache=''); "
        "print(*sys.modules)"
    )

    done = subprocess.run([sys.executable, "-c", script, setting], capture_output=True, text=True, check=True)

    assert HEAVY & set(done.stdout.split()) == loads


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="the system does not list threads as files")
def test_numpy_is_loaded_with_one_thread() -> None:
    code = "from gitmem.index.embed.choose import need_numpy; need_numpy('minilm'); import os; print(os.listdir(TASKS))"
    done = subprocess.run(
        [sys.executable, "-c", f"TASKS = '/proc/self/task'; {code}"], capture_output=True, text=True, check=True
    )

    assert done.stdout.count(",") == 0
