"""The packaged model without numpy: the vectors of `model2vec_model`, from what is stored with a store's vectors."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pytest
from support.models import make_packaged

from gitmem.errors import EmbeddingError
from gitmem.index.embed import packaged_model
from gitmem.index.embed.choose import provider_for
from gitmem.index.embed.packaged import PACKAGED
from gitmem.index.embed.packaged_model import (
    PlainFiles,
    PlainModel,
    find_files,
    read_files,
    read_plain_files,
    write_plain_files,
)

TEXTS = ["login", "The login token expires", "文 database <s> table", "", "token " * 600]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = make_packaged(tmp_path / "site-packages")
    monkeypatch.setattr(sys, "path", [str(place), *sys.path])
    return place


def files() -> tuple[str, str, str]:
    found = find_files()
    assert found is not None
    return found


def stored() -> tuple[PlainFiles, Mapping[str, tuple[int, int]]]:
    read = read_files("model2vec:wordllama@0")
    assert read is not None
    return read[0], {text: (number, rank) for text, number, rank in read[1]}


@pytest.mark.usefixtures("package")
def test_vectors_are_those_of_the_model_with_numpy() -> None:
    with_numpy = provider_for("wordllama", cache="")
    assert with_numpy is not None
    known, everything = stored()

    def find(texts: Iterable[str]) -> dict[str, tuple[int, int]]:
        return {text: everything[text] for text in texts if text in everything}

    plain = PlainModel(files()[0], known, find)

    assert np.allclose(plain.passages(TEXTS), with_numpy.passages(TEXTS), atol=1e-6)
    assert np.allclose(plain.query(TEXTS[1]), with_numpy.query(TEXTS[1]), atol=1e-6)


@pytest.mark.usefixtures("package")
def test_what_was_stored_is_read_until_the_files_change(tmp_path: Path) -> None:
    known, _ = stored()
    (tmp_path / packaged_model.FOLDER).mkdir()
    write_plain_files(str(tmp_path), known, files()[2])
    assert read_plain_files(str(tmp_path), files()[2]) == known

    os.utime(files()[0], ns=(1, 1))

    assert read_plain_files(str(tmp_path), files()[2]) is None


@pytest.mark.usefixtures("package")
@pytest.mark.parametrize(
    "line", ["", "1 2", "-1 3 e 0 9", "8 3 Q 0 9", "8 999999999 e 0 9", "8 3 e 0 999999999", "8 x e 0 9"]
)
def test_stored_file_of_another_is_not_used(tmp_path: Path, line: str) -> None:
    (tmp_path / packaged_model.FOLDER).mkdir()
    (tmp_path / packaged_model.FOLDER / "wordllama").write_text(f"model2vec:wordllama@0\n{files()[2]}\n{line}\n<s> 1")

    assert read_plain_files(str(tmp_path), files()[2]) is None


def test_weights_that_are_cut_off_are_an_error_that_is_caught(package: Path) -> None:
    known, everything = stored()
    (package / PACKAGED[0].folder / PACKAGED[0].weights).write_bytes(b"short")

    with pytest.raises(EmbeddingError, match="cannot be read"):
        PlainModel(files()[0], known, lambda _: everything).query("login")


def test_files_are_those_that_the_model_with_numpy_reads() -> None:
    model = PACKAGED[0]

    assert (
        f"{model.folder}/{model.weights}",
        f"{model.folder}/{model.tokenizer}",
    ) == (packaged_model.WEIGHTS, packaged_model.TOKENIZER)
