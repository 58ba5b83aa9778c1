"""What a sentence-transformers folder says of its model, and which of them ONNX alone can run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.each import each
from support.models import make_directory

from gitmem.errors import EmbeddingError
from gitmem.index.embed.directory import read_directory


def test_a_folder_tells_how_its_vectors_are_made(tmp_path: Path) -> None:
    folder = make_directory(tmp_path / "m", query="search: ", passage="text: ")

    found = read_directory(folder)

    assert (found.pooling, found.tokens, found.query_prompt, found.passage_prompt) == ("mean", 8, "search: ", "text: ")
    assert (found.is_plain, found.onnx) == (True, folder / "onnx" / "model.onnx")


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_max_tokens": True}, "max"),
        ({"pooling_mode": "mean"}, "mean"),
        ({"pooling_mode": "lasttoken"}, ""),
        ({"pooling_mode_lasttoken": True}, ""),
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True}, ""),
        ({"pooling_mode_mean_tokens": True, "include_prompt": False}, ""),
        ([], ""),
    ],
)
def test_only_a_pooling_that_we_do_ourselves_is_plain(tmp_path: Path, pooling: object, expected: str) -> None:
    folder = make_directory(tmp_path / "m")
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))

    found = read_directory(folder)

    assert (found.pooling, found.is_plain) == (expected, bool(expected))


def test_a_layer_behind_the_pooling_is_not_plain(tmp_path: Path) -> None:
    folder = make_directory(tmp_path / "m")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(json.dumps([*modules, {"path": "3_Dense", "type": "models.Dense"}]))

    assert not read_directory(folder).is_plain


@pytest.mark.parametrize("gone", ["onnx/model.onnx", "tokenizer.json"])
def test_without_its_file_it_is_not_plain(tmp_path: Path, gone: str) -> None:
    folder = make_directory(tmp_path / "m")
    (folder / gone).unlink()

    assert not read_directory(folder).is_plain


@each(
    ("text", "message"),
    [
        (None, "is not a sentence-transformers model"),
        ("{}", "is not a sentence-transformers model"),
        ("[1]", "is not a sentence-transformers model"),
        ("[" * 100_000, "cannot be read"),
        ("\x00", "cannot be read"),
    ],
)
def test_another_folder_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "modules.json").write_text(text)

    with pytest.raises(EmbeddingError, match=message):
        read_directory(tmp_path)
