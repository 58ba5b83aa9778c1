"""A model's folder: where it is looked for, and a digest that sees every change and none that is none."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gitmem.embed.found import FILES_AT_MOST, WHOLE_BYTES, digest_of, folder_of
from gitmem.errors import EmbeddingError


def make_model(folder: Path) -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text('{"hidden_size": 3}')
    (folder / "1_Pooling" / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(bytes(8 * WHOLE_BYTES))
    (folder / "README.md").write_text("a model card")
    return folder


def test_a_copy_elsewhere_has_the_same_digest(tmp_path: Path) -> None:
    model = make_model(tmp_path / "here")
    copy = Path(shutil.copytree(model, tmp_path / "there"))
    (copy / "README.md").write_text("an edited model card")
    (copy / ".cache").mkdir()

    assert digest_of(model) == digest_of(copy)
    assert len(digest_of(model)) == 12


@pytest.mark.parametrize("name", ["config.json", "1_Pooling/config.json", "tokenizer.json"])
def test_a_changed_or_new_file_changes_the_digest(tmp_path: Path, name: str) -> None:
    model = make_model(tmp_path / "here")
    before = digest_of(model)

    (model / name).write_text("{ }")

    assert digest_of(model) != before


@pytest.mark.parametrize("place", [0, 3 * WHOLE_BYTES + 777, 8 * WHOLE_BYTES - 40_000], ids=["start", "middle", "end"])
def test_weights_of_one_small_matrix_change_the_digest(tmp_path: Path, place: int) -> None:
    model = make_model(tmp_path / "here")
    before = digest_of(model)

    with (model / "model.safetensors").open("r+b") as file:
        file.seek(place)
        file.write(b"\x01" * 40_000)

    assert digest_of(model) != before


def test_somebodys_home_is_no_model(tmp_path: Path) -> None:
    for number in range(FILES_AT_MOST + 1):
        (tmp_path / f"{number}.txt").touch()

    with pytest.raises(EmbeddingError, match="it is not a model's"):
        digest_of(tmp_path)


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingError, match=f"there is no model folder {tmp_path}/none"):
        folder_of(f"{tmp_path}/none", cache="", owner="a")


@pytest.mark.parametrize("commit", ["../../../../../etc", "", "0123"], ids=["out of the cache", "empty", "gone"])
def test_a_cache_whose_ref_leads_nowhere_holds_no_model(tmp_path: Path, commit: str) -> None:
    (tmp_path / "models--a--tiny" / "refs").mkdir(parents=True)
    (tmp_path / "models--a--tiny" / "snapshots").mkdir()
    (tmp_path / "models--a--tiny" / "refs" / "main").write_text(commit)

    with pytest.raises(EmbeddingError) as caught:
        folder_of("tiny", cache=str(tmp_path), owner="a")

    assert caught.value.message == "the model a/tiny is not on this machine"
    assert "--download" in caught.value.hint
