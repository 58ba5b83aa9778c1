"""Memories without vectors get them, a batch at a time, by a real model; what was done before a failure is kept."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from support.embedded_store import make_model
from support.facts import make_memory, put

from gitmem.errors import EmbeddingError
from gitmem.index.embed.choose import provider_for
from gitmem.index.vectors import update
from gitmem.index.vectors.store import Vectors
from gitmem.memory import Memory

COUNT = 60


class Counted:
    """A model that counts what it embeds, and stops answering after some."""

    def __init__(self, setting: str, *, most: int = 10**6) -> None:
        self._model = provider_for(setting, cache="")
        assert self._model is not None
        self.name, self.longest = self._model.name, self._model.longest
        self.texts: list[str] = []
        self._most = most

    def passages(self, texts):
        if len(self.texts) + len(texts) > self._most:
            raise EmbeddingError("it does not answer any more")
        self.texts += texts
        return self._model.passages(texts)

    def query(self, text):
        return self._model.query(text)


@pytest.fixture(scope="module")
def setting(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture
def store(repo: Path) -> Memory:
    put(repo, *(make_memory(f"m-{n}", f"Table number {n}", created=f"2026-01-01T00:00:{n:02}Z") for n in range(COUNT)))
    with Memory(repo) as memory:
        yield memory


def known(store: Memory, model: str) -> set[str]:
    with opened(store.repository.store.folder, model) as vectors, vectors.reading():
        return vectors.list_embedded()


def opened(folder: str, model: str) -> closing[Vectors]:
    vectors = Vectors.open(folder, model)
    assert vectors is not None
    return closing(vectors)


def test_prompts_in_a_summary_are_not_embedded(repo: Path, setting: str) -> None:
    body = "Goal: Why does the build hang?\n\nAsked later:\n- And the tests?\n\nRemoved the lock."
    put(repo, make_memory("s", "Why does the build hang?", kind="session", body=body))
    model = Counted(setting)
    with Memory(repo) as memory:
        update.catch_up(memory.repository.store.folder, memory.repository.catalog(), (model, model))

    assert "Removed the lock" in (text := "\n".join(model.texts))
    assert "hang" not in text
    assert "tests" not in text


def test_everything_is_embedded_once_and_what_is_there_is_not_again(store: Memory, setting: str) -> None:
    model, lines = Counted(setting), []

    left = update.catch_up(
        store.repository.store.folder,
        store.repository.catalog(),
        (model, model),
        progress=lambda done, of: lines.append((done, of)),
    )
    update.catch_up(store.repository.store.folder, store.repository.catalog(), (model, model))

    assert (left, len(model.texts), lines[-1]) == (0, COUNT, (COUNT, COUNT))
    assert known(store, model.name) == {oid for (oid,) in store.repository.catalog().rows("SELECT oid FROM memory")}


def test_when_the_time_is_over_the_newest_have_vectors_and_the_others_are_counted(store: Memory, setting: str) -> None:
    model = Counted(setting)

    left = update.catch_up(
        store.repository.store.folder, store.repository.catalog(), (model, model), until=time.monotonic()
    )

    assert (left, len(model.texts)) == (COUNT - 1, 1)
    with opened(store.repository.store.folder, model.name) as vectors, vectors.reading():
        assert update.last_missing(store.repository.catalog(), vectors) == COUNT - 1
    newest = store.repository.catalog().row("SELECT oid FROM memory ORDER BY id DESC LIMIT 1")[0]
    assert known(store, model.name) == {newest}


def test_what_was_embedded_before_a_model_failed_is_kept(store: Memory, setting: str) -> None:
    failing, model = Counted(setting, most=40), Counted(setting)

    with pytest.raises(EmbeddingError):
        update.catch_up(store.repository.store.folder, store.repository.catalog(), (failing, failing))
    assert len(known(store, model.name)) == len(failing.texts) > 0
    update.catch_up(store.repository.store.folder, store.repository.catalog(), (model, model))

    assert len(failing.texts) + len(model.texts) == COUNT


def test_where_half_the_rows_are_of_no_memory_they_go_with_the_work_behind_and_not_before(
    store: Memory, setting: str
) -> None:
    model = Counted(setting)
    both, folder = (model, model), store.repository.store.folder
    update.catch_up(folder, store.repository.catalog(), both)
    put(Path(store.repository.git.repository.top or ""), make_memory("m-1", "Changed"))
    update.catch_up(folder, store.repository.catalog(), both)

    few = update.tidy(folder, store.repository.catalog(), both, dead_at_most=update.DEAD_AT_MOST, others=False)
    with opened(folder, model.name) as vectors:
        with vectors.reading():
            assert (few, vectors.sizes().dead) == ((1, 0), 1)
        update.tidy(folder, store.repository.catalog(), both)
        with vectors.reading():
            assert (vectors.sizes().rows, vectors.sizes().dead) == (COUNT, 0)
