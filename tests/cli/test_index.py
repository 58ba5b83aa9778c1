"""``gitmem index``: what it contains, and rebuilding it."""

from __future__ import annotations

import fcntl
import json
import os
import sqlite3
import threading
from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip

from gitmem.index.catalog import FILE_NAME
from gitmem.repository import open_store


def test_index_says_what_it_holds(run_cli, repo: Path) -> None:
    run_cli("remember", "a text")

    text, found = run_cli("index"), json.loads(run_cli("index", "--json").out)

    assert text.out.startswith(f"1 memory at {tip(repo)[:12]}, ")
    assert (found["commit"], found["memories"]) == (tip(repo), 1)


def test_rebuilt_index_answers_the_same(run_cli, repo: Path) -> None:
    run_cli("remember", "a text about gateways")
    before = run_cli("recall", "gateways", "--json").out
    (repo / ".git" / "gitmem" / "catalog.sqlite").write_bytes(b"not a database")

    done = run_cli("index", "--rebuild")

    assert done.status == 0
    assert run_cli("recall", "gateways", "--json").out == before


def test_whoosh_index_is_made_on_request_and_then_updated(run_cli, repo: Path) -> None:
    stamp = repo / ".git" / "gitmem" / "whoosh" / "stamp.json"
    run_cli("remember", "a text")
    run_cli("index")
    assert not stamp.exists()

    run_cli("index", "--engine", "whoosh")
    for words in (["index"], ["background", "index"]):
        run_cli("remember", f"another text for {words}")
        run_cli(*words)

        assert json.loads(stamp.read_text())["commit"] == tip(repo)


def test_whoosh_index_is_made_if_the_settings_choose_it(run_cli, repo: Path) -> None:
    run_cli("remember", "a text")
    git(repo, "config", "gitmem.engine", "whoosh")

    run_cli("index")

    assert (repo / ".git" / "gitmem" / "whoosh" / "stamp.json").exists()
    assert run_cli("recall", "text").status == 0


def test_whoosh_index_that_another_process_writes_is_a_notice_and_an_error_only_where_it_is_named(
    run_cli, repo: Path
) -> None:
    run_cli("remember", "a text")
    run_cli("index", "--engine", "whoosh")
    lock = os.open(repo / ".git" / "gitmem" / "whoosh.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    run_cli("remember", "another text")

    by_the_way, named = run_cli("index"), run_cli("index", "--engine", "whoosh")
    os.close(lock)

    assert (by_the_way.status, named.status) == (0, 3)
    assert "another process is writing the Whoosh index" in by_the_way.err
    assert "another process is writing the Whoosh index" in named.err


def test_index_waits_for_another_process_that_is_writing_it(run_cli, repo: Path) -> None:
    other = _locked(run_cli, repo)
    threading.Timer(1.5, other.close).start()

    done = run_cli("index")

    assert done.status == 0
    assert done.out.startswith(f"2 memories at {tip(repo)[:12]}, ")
    assert "another process" not in done.err


def test_index_fails_if_another_process_keeps_writing_it(run_cli, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_store, "WAIT_S", 0.0)
    other = _locked(run_cli, repo)

    done = run_cli("index")

    other.close()
    assert done.status == 3
    assert "another process is updating the index" in done.err


def _locked(run_cli, repo: Path) -> sqlite3.Connection:
    """Return a connection that holds the index's write lock, while the branch has a memory that the index lacks."""
    run_cli("remember", "a text")
    run_cli("index")
    put_files(repo, {"learned/lamp.md": memory_text("Lamps need oil")})
    other = sqlite3.connect(repo / ".git/gitmem" / FILE_NAME, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    return other
