"""A sync in the background: only if wanted, in both directions, and silent if offline."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import git
from support.facts import make_memory, put
from support.standing_folder import fill, fill_anew, stand

from gitmem.agents import on_event
from gitmem.agents.event import START, STARTUP, Event
from gitmem.commands.sync.quiet import sync_quietly
from gitmem.errors import GitmemError
from gitmem.memory import Memory
from gitmem.store.state import background
from gitmem.store.state.plain_files import HELD_S, spool_folders


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "quiet"), template)


@pytest.fixture
def clones(repo: Path) -> tuple[Path, Path]:
    """Return two clones of one store, each with a memory that the other has not."""
    fill(repo.parent, "clones", lambda: make_clones(repo))
    return repo, repo.parent / "other"


def make_clones(repo: Path) -> None:
    hub = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(hub))
    git(repo, "remote", "add", "origin", str(hub))
    with Memory(repo) as memory:
        memory.init(offline=True)
        memory.sync()
    other = Path(shutil.copytree(repo, repo.parent / "other", symlinks=True))
    put(other, make_memory("theirs", "The other clone's"))
    with Memory(other) as memory:
        memory.sync()
    put(repo, make_memory("ours", "This clone's"))


def keys(folder: Path) -> set[str]:
    with Memory(folder) as memory:
        return {hit.key for hit in memory.list().hits}


def test_automatic_sync_exchanges_memories(clones: tuple[Path, Path]) -> None:
    repo, other = clones
    with Memory(repo) as memory:
        assert not sync_quietly(memory.repository)
    assert keys(repo) == {"ours"}

    git(repo, "config", "gitmem.autoSync", "true")
    with Memory(repo) as memory:
        assert sync_quietly(memory.repository)
    with Memory(other) as memory:
        memory.sync()

    assert keys(repo) == keys(other) == {"ours", "theirs"}


def test_captures_of_a_session_that_goes_on_wait_for_its_end(clones: tuple[Path, Path]) -> None:
    repo, _ = clones
    git(repo, "config", "gitmem.autoSync", "true")
    with Memory(repo) as memory:
        name = memory.capture("The gateway drops idle connections")
        waiting = Path(spool_folders(memory.repository.git.repository.state)[0], "waiting")

        assert sync_quietly(memory.repository)
        assert [path.name for path in waiting.iterdir()] == [name]

        (waiting / name).rename(waiting / f"{int(name[:20]) - HELD_S * 10**9:020d}{name[20:]}")
        assert sync_quietly(memory.repository)
        assert list(waiting.iterdir()) == []


@pytest.mark.parametrize("url", ["", "/nowhere/hub.git", "http://127.0.0.1:9/hub.git"])
def test_missing_or_unreachable_remote_is_no_failure(clones: tuple[Path, Path], url: str) -> None:
    repo, _ = clones
    git(repo, "config", "gitmem.autoSync", "true")
    git(repo, "remote", "remove", "origin")
    if url:
        git(repo, "remote", "add", "origin", url)

    with Memory(repo) as memory:
        assert not sync_quietly(memory.repository)


def test_rewritten_history_is_an_error(clones: tuple[Path, Path]) -> None:
    repo, other = clones
    git(repo, "config", "gitmem.autoSync", "true")
    with Memory(repo) as memory:
        sync_quietly(memory.repository)
    git(other, "push", "-q", "--force", "origin", "memory~1:refs/heads/memory")

    with Memory(repo) as memory, pytest.raises(GitmemError, match="rewritten"):
        sync_quietly(memory.repository)


def test_session_start_and_write_request_a_sync(
    clones: tuple[Path, Path], run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo, _ = clones
    works: list[str] = []
    monkeypatch.setattr(background, "start", lambda _state, _where, what: works.append(what))
    run_cli("remember", "Nothing is pushed unless it is wanted")
    assert "sync" not in works

    git(repo, "config", "gitmem.autoSync", "true")
    run_cli("list")
    assert "sync" not in works
    run_cli("remember", "The gateway drops idle connections")
    assert works.count("sync") == 1
    with Memory(repo) as memory:
        on_event.session_started(memory, Event("claude-code", START, session="s1", source=STARTUP))

    assert works.count("sync") == 2
