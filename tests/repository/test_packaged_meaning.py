"""Recall and hooks with the packaged model: without numpy once the memories are embedded."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git
from support.embedded_store import LOGIN, STORE
from support.facts import Clock, make_memory, put
from support.models import make_packaged

from gitmem.index.vectors.folders import FOLDER
from gitmem.memory import Memory
from gitmem.recall import semantic as recall_semantic
from gitmem.recall.query import Query
from gitmem.repository import packaged_meaning, query_vectors
from gitmem.store.state import background


@pytest.fixture
def store(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = make_packaged(tmp_path / "site-packages")
    monkeypatch.setattr(sys, "path", [str(place), *sys.path])
    monkeypatch.setenv("PYTHONPATH", str(place))
    monkeypatch.delenv("GITMEM_EMBED", raising=False)
    put(repo, STORE)
    return repo


def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the list of background jobs, to which each start is added instead of being done."""
    found: list[str] = []
    monkeypatch.setattr(background, "start", lambda *arguments: found.append(arguments[2]))
    return found


def loaded_by(argv: list[str], cwd: Path, stdin: str = "") -> tuple[str, set[str]]:
    """Return the output of gitmem and the modules that it loaded."""
    env = {**os.environ, "PYTHONPROFILEIMPORTTIME": "1", "GITMEM_BACKGROUND": "off"}
    done = subprocess.run(
        [sys.executable, "-m", "gitmem", *argv],
        cwd=cwd,
        env=env,
        input=stdin,
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return done.stdout, {line.rsplit("|", 1)[1].strip() for line in lines}


def test_second_question_finds_by_meaning_without_numpy(store: Path) -> None:
    first, with_numpy = loaded_by(["recall", LOGIN], store)
    again, without = loaded_by(["recall", LOGIN], store)

    assert first == again
    assert again.startswith("sso\t")
    assert "numpy" in with_numpy
    assert without & {"numpy", "tokenizers", "safetensors", "json", "hashlib", "pathlib"} == set()


def test_new_memory_is_embedded_without_numpy(store: Path) -> None:
    loaded_by(["recall", LOGIN], store)
    loaded_by(["remember", "Each signin goes through the proxy"], store)

    found, loaded = loaded_by(["recall", LOGIN, "--json"], store)

    assert "each-signin-goes-through-the-proxy" in [hit["key"] for hit in json.loads(found)["hits"]]
    assert "numpy" not in loaded
    with Memory(store) as memory:
        assert [one["missing"] for one in memory.vectors.status().stores] == [0]


def test_question_that_nobody_typed_has_the_background_embed_the_memories(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    jobs = started(monkeypatch)
    with Memory(store, clock=Clock()) as memory:
        before = memory.recall(Query(LOGIN, reader="prompt")).hits
        assert (before, jobs, memory.notices) == ((), [packaged_meaning.WORK], [])
        memory.vectors.embed_missing()

        assert memory.recall(Query(LOGIN, reader="prompt")).hits[0].key == "sso"
        assert jobs == [packaged_meaning.WORK]


def test_hook_leaves_new_memories_of_a_large_store_to_the_background(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(packaged_meaning, "FOR_HOOK", 1)
    jobs = started(monkeypatch)
    with Memory(store, clock=Clock()) as memory:
        memory.vectors.embed_missing()
        memory.remember("Each signin goes through the proxy", key="proxy")

        assert "proxy" not in [hit.key for hit in memory.recall(Query(LOGIN, reader="prompt")).hits]
        assert jobs == [packaged_meaning.WORK]
        assert "proxy" in [hit.key for hit in memory.recall(Query(LOGIN)).hits]


def test_slow_machine_stores_what_questions_need_as_well(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded_by(["recall", LOGIN], store)
    with Memory(store, clock=Clock()) as memory:
        path = Path(memory.repository.vectors_folder, FOLDER, "wordllama")
        path.unlink()
        monkeypatch.setattr(query_vectors, "INLINE_S", 0.0)

        assert memory.recall(Query(LOGIN)).hits[0].key == "sso"

    assert path.exists()


def test_changed_model_is_read_with_numpy_and_then_without(store: Path, tmp_path: Path) -> None:
    loaded_by(["recall", LOGIN], store)
    make_packaged(tmp_path / "site-packages")  # the same files, of another time

    assert "numpy" in loaded_by(["recall", LOGIN], store)[1]
    assert "numpy" not in loaded_by(["recall", LOGIN], store)[1]


@pytest.mark.parametrize("damage", ["", "model2vec:wordllama@0"])
def test_stored_file_that_is_damaged_is_written_again(store: Path, damage: str) -> None:
    loaded_by(["recall", LOGIN], store)
    with Memory(store) as memory:
        path = Path(memory.repository.vectors_folder, FOLDER, "wordllama")
    path.write_text(damage)

    assert loaded_by(["recall", LOGIN], store)[0].startswith("sso\t")
    assert "numpy" not in loaded_by(["recall", LOGIN], store)[1]


def test_words_alone_are_used_where_meaning_is_off(store: Path) -> None:
    git(store, "config", "gitmem.embed", "off")

    done = subprocess.run(
        [sys.executable, "-m", "gitmem", "recall", LOGIN], cwd=store, capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stdout) == (1, "")


@pytest.mark.parametrize("exact", [0, 1000])
def test_filter_that_excludes_the_nearest_finds_those_that_pass(
    store: Path, monkeypatch: pytest.MonkeyPatch, exact: int
) -> None:
    monkeypatch.setattr(recall_semantic, "EXACT", exact)
    near = [make_memory(f"near-{n}", f"login token {n}", kind="decision") for n in range(125)]
    far = [make_memory(f"far-{n}", f"database table {n}", kind="decision") for n in range(150)]
    put(store, *near, *far, make_memory("one", "login database", kind="recipe"))
    with Memory(store, clock=Clock()) as memory:
        memory.vectors.embed_missing()

        assert [hit.key for hit in memory.recall(Query(LOGIN, kinds=("recipe",))).hits] == ["one"]
