"""A clone is accepted by its person, outside of the repository; nothing that comes with one accepts it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import git
from support.facts import approve_all, make_fact, make_memory, put

from gitmem.memory import Memory
from gitmem.store.state.registration import accept, is_accepted


def state(repo: Path) -> str:
    return str(repo / ".git" / "gitmem")


@pytest.fixture
def joined(repo: Path, tmp_path: Path) -> Path:
    """Return a clone of a repository that has a memory; nobody accepted it."""
    put(repo, make_memory("idle", "Idle connections drop"), make_fact("a", "test -f README.md"))
    git(tmp_path, "clone", "-q", str(repo), "clone")
    return tmp_path / "clone"


def test_clone_is_not_accepted_and_neither_is_a_copy_of_one_that_is(joined: Path, tmp_path: Path) -> None:
    assert not is_accepted(state(joined))
    accept(state(joined))
    copy = shutil.copytree(joined, tmp_path / "copy")

    assert is_accepted(state(joined))
    assert not is_accepted(state(copy))


@pytest.mark.parametrize(
    "do",
    [
        lambda memory: memory.init(),
        approve_all,
        lambda memory: memory.repository.accept(),
    ],
    ids=["init", "trust", "accept"],
)
def test_actions_of_a_person_accept_the_clone(joined: Path, do) -> None:
    with Memory(joined) as memory:
        do(memory)
        assert is_accepted(memory.repository.git.repository.state)


def test_reading_and_writing_accept_nothing_that_came_from_others(joined: Path) -> None:
    with Memory(joined) as memory:
        memory.remember("The gateway caps retries")
        memory.show("idle")
        memory.sync(push=False)

        assert not is_accepted(memory.repository.git.repository.state)


def test_memory_that_is_started_here_is_ones_own(repo: Path) -> None:
    with Memory(repo) as memory:
        memory.remember("The gateway caps retries")

        assert is_accepted(memory.repository.git.repository.state)


def test_acceptance_that_cannot_be_recorded_is_reported(
    joined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))

    with Memory(joined) as memory:
        memory.init(offline=True)

        assert not is_accepted(memory.repository.git.repository.state)
        assert [
            notice
            for notice in memory.notices
            if "could not record that you accept this clone: hooks in your own" in notice
        ]
