"""A clone is accepted by its person, outside of the repository; nothing that comes with one accepts it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import git
from proving import approve_all, make_fact, make_memory, put

from gitmem.app import Memory
from gitmem.store.acceptance import accept, is_accepted


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
        lambda memory: memory.accept(),
    ],
    ids=["init", "trust", "accept"],
)
def test_what_a_person_does_accepts_it(joined: Path, do) -> None:
    with Memory(joined) as memory:
        do(memory)
        assert memory.is_accepted()


def test_reading_and_writing_accept_nothing_that_came_from_others(joined: Path) -> None:
    with Memory(joined) as memory:
        memory.remember("The gateway caps retries")
        memory.show("idle")
        memory.sync(push=False)

        assert not memory.is_accepted()


def test_memory_that_is_started_here_is_ones_own(repo: Path) -> None:
    with Memory(repo) as memory:
        memory.remember("The gateway caps retries")

        assert memory.is_accepted()


@pytest.mark.parametrize("spoilt", ["folder", "link", "id"])
def test_record_that_others_could_have_made_counts_for_nothing(joined: Path, tmp_path: Path, spoilt: str) -> None:
    accept(state(joined))
    (record,) = (tmp_path / "state-home").rglob("accepted/*")
    if spoilt == "folder":
        record.parent.chmod(0o777)
    elif spoilt == "link":
        record.rename(tmp_path / "real")
        record.symlink_to(tmp_path / "real")
    else:
        (Path(state(joined)) / "clone-id").write_text(f"../accepted/{record.name.rpartition('-')[0]}")
        os.link(record, record.with_name(record.name.rpartition("-")[0]))

    assert not is_accepted(state(joined))
