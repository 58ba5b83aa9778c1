"""Doctor's findings about unused vectors and models that do not respond."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from conftest import git
from support.embedded_store import LOGIN, STORE, make_model, set_up
from support.facts import put
from support.models import make_packaged

from gitmem.memory import Memory
from gitmem.recall.query import Query

OF_VECTORS = ("embedding-unusable", "embedding-silent", "vectors-unused")


def codes(repo: Path, *, fix: bool = False) -> list[str]:
    with Memory(repo) as memory:
        return [problem.code for problem in memory.doctor(fix=fix).problems if problem.code in OF_VECTORS]


def test_unused_vectors_are_reported_and_removed(repo: Path, tmp_path: Path) -> None:
    set_up(repo, make_model(tmp_path / "tiny"))
    with Memory(repo) as memory:
        memory.recall(Query(LOGIN))

    used = codes(repo)
    git(repo, "config", "--unset", "gitmem.embed")

    assert (used, codes(repo), codes(repo, fix=True), codes(repo)) == ([], ["vectors-unused"], [], [])


def test_vectors_of_the_packaged_model_are_in_use(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [str(make_packaged(tmp_path / "site-packages")), *sys.path])
    put(repo, STORE)
    with Memory(repo) as memory:
        assert memory.recall(Query(LOGIN)).hits

    assert (codes(repo), codes(repo, fix=True)) == ([], [])


@pytest.mark.parametrize(
    ("setting", "code"),
    [("http://127.0.0.1:9/v1#model", "embedding-silent"), ("model2vec:/nowhere", "embedding-unusable")],
)
def test_unusable_model_is_a_warning(repo: Path, setting: str, code: str) -> None:
    set_up(repo, setting)

    assert codes(repo) == [code]
