"""A clone that this machine does not know brings nothing along that counts: no index, no verdict of its own."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text
from support.console import GITMEM, environment, run
from support.payloads import payload

from gitmem.config import clones_place
from gitmem.memory import Memory
from gitmem.store.state.clone import is_registered
from gitmem.store.state.registration import register, settle_state, unregister
from gitmem.system import settle_modes


@pytest.fixture
def state(tmp_path: Path) -> str:
    return str(tmp_path / "service" / ".git" / "gitmem")


def test_registered_clone_is_known_until_it_is_unregistered(state: str) -> None:
    assert not is_registered(state)
    assert register(state) and register(state, "accepted")
    assert is_registered(state) and is_registered(state, "accepted")

    unregister(state, "accepted")
    assert is_registered(state) and not is_registered(state, "accepted")


def test_moved_clone_stays_known_and_a_copied_or_unpacked_one_is_not(state: str, tmp_path: Path) -> None:
    register(state)
    (tmp_path / "service").rename(tmp_path / "renamed")
    assert is_registered(str(tmp_path / "renamed" / ".git" / "gitmem"))

    shutil.copytree(tmp_path / "renamed", tmp_path / "copy")
    assert not is_registered(str(tmp_path / "copy" / ".git" / "gitmem"))
    subprocess.run(["tar", "-C", tmp_path / "renamed", "-cf", tmp_path / "x.tar", "."], check=True)
    shutil.rmtree(tmp_path / "renamed")  # its inode may be given again
    (tmp_path / "renamed").mkdir()
    subprocess.run(["tar", "-C", tmp_path / "renamed", "-xpf", tmp_path / "x.tar"], check=True)
    assert not is_registered(str(tmp_path / "renamed" / ".git" / "gitmem"))


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"../../../../tmp/x", b"a" * 32 + b"b"])
def test_id_that_gitmem_did_not_make_is_set_aside(state: str, content: bytes) -> None:
    Path(state).mkdir(parents=True)
    Path(state, "clone-id").write_bytes(content)

    assert not is_registered(state)
    assert settle_state(state).is_usable
    assert is_registered(state)
    assert Path(state, "clone-id.damaged").read_bytes() == content


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_registrations_that_others_can_write_do_not_count(state: str, mode: int) -> None:
    register(state)
    Path(clones_place()).chmod(mode)

    assert not is_registered(state)
    assert not settle_state(state).is_usable


def test_without_home_no_clone_is_known(state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "")
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.chdir(Path(state).parents[2])

    assert not register(state)
    assert not settle_state(state).is_usable
    assert not Path(".local").exists()


def poisoned(repo: Path) -> Path:
    """Return a copy of a repository whose index hides what the branch says, with verdicts of its own."""
    with Memory(repo) as memory:
        memory.remember("The gateway drops idle connections", key="gateway")
        memory.repository.catalog()
        memory.repository.local.count_access("gateway", 1)
    copy = Path(shutil.copytree(repo, repo.parent / "copy", symlinks=True))
    with contextlib.closing(sqlite3.connect(copy / ".git" / "gitmem" / "catalog.sqlite")) as db, db:
        db.execute("UPDATE memory SET title = 'Poison'")
    (copy / ".git" / "gitmem" / "mcp-token").write_text("a" * 48)
    return copy


def test_index_and_own_verdicts_of_a_copy_do_not_count(repo: Path) -> None:
    copy = poisoned(repo)

    with Memory(copy) as memory:
        assert memory.repository.catalog().rows("SELECT title FROM memory") == [("The gateway drops idle connections",)]
        assert memory.repository.local.accesses(["gateway"]) == {}
        assert "set aside" in memory.notices[0]

    state = copy / ".git" / "gitmem"
    assert (state / "local.sqlite.elsewhere").is_file()
    assert not (state / "mcp-token").exists()
    with Memory(copy) as memory:
        memory.repository.catalog()
        assert memory.notices == []


def test_state_folder_is_ignored_if_it_cannot_be_registered(repo: Path, tmp_path: Path, monkeypatch) -> None:
    copy = poisoned(repo)
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    before = (copy / ".git" / "gitmem" / "local.sqlite").read_bytes()

    with Memory(copy) as memory:
        assert memory.repository.catalog().rows("SELECT title FROM memory") == [("The gateway drops idle connections",)]
        assert memory.repository.local.accesses(["gateway"]) == {}
    assert (copy / ".git" / "gitmem" / "local.sqlite").read_bytes() == before


def test_clearing_a_clone_follows_no_link(repo: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    (mine / "at").mkdir(parents=True)
    (mine / "catalog.sqlite").write_text("mine")
    tree = repo / ".git" / "worktrees" / "side"
    tree.mkdir(parents=True)
    os.symlink(mine, tree / "gitmem")
    (repo / ".git" / "worktrees" / "other").symlink_to(mine)

    assert settle_state(str(repo / ".git" / "gitmem")).is_usable
    assert sorted(path.name for path in mine.iterdir()) == ["at", "catalog.sqlite"]


def test_index_of_a_linked_worktree_in_a_copy_does_not_count(repo: Path, tmp_path: Path) -> None:
    commit_files(repo, {".memory/learned/own.md": memory_text("Said by the code")})
    git(repo, "worktree", "add", "-q", "../side")
    with Memory(repo) as memory:
        memory.remember("The gateway drops idle connections", key="gateway")
    with Memory(tmp_path / "side") as memory:
        memory.repository.catalog()
    subprocess.run(["cp", "-a", repo, tmp_path / "copy"], check=True)
    indexes = [*(tmp_path / "copy" / ".git").rglob("catalog.sqlite")]
    for file in indexes:
        with contextlib.closing(sqlite3.connect(file)) as db:
            db.execute("UPDATE memory SET title = 'Poison'")
            db.commit()
    git(tmp_path / "copy", "worktree", "repair", str(tmp_path / "side"))

    with Memory(tmp_path / "side") as memory:
        titles = {title for (title,) in memory.repository.catalog().rows("SELECT title FROM memory")}

    assert len([file for file in indexes if "worktrees" in file.parts]) == 1
    assert titles == {"Said by the code", "The gateway drops idle connections"}


def test_clone_that_a_group_shares_is_known_after_its_modes_are_settled(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git").chmod(0o2770)
    state = str(tmp_path / ".git" / "gitmem")
    Path(state).mkdir()
    Path(state, "clone-id").write_text("a" * 32 + "\n")  # made before the repository was shared
    Path(state, "clone-id").chmod(0o600)

    assert settle_state(state).is_usable
    settle_modes(state)

    assert is_registered(state)


@pytest.mark.parametrize("has_home", [True, False])
def test_hook_in_a_copied_clone_is_quick_and_quiet(repo: Path, tmp_path: Path, has_home: bool) -> None:
    copy = poisoned(repo)
    (tmp_path / "file").write_text("")
    env = environment(XDG_STATE_HOME=str(tmp_path / ("elsewhere" if has_home else "file")))
    start = json.dumps(payload("claude-code/SessionStart.startup", cwd=str(copy)))

    for words, stdin in ((["claude-code"], start), (["post-commit"], ""), (["post-checkout", "0", "0", "1"], "")):
        done = run([str(GITMEM), "hook", *words], copy, env=env, input=stdin)

        assert (done.status, done.err) == (0, ""), words
        assert "Poison" not in done.out
