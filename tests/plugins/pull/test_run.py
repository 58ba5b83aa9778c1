"""Pulls end in the same state whatever interrupts them, and stay separate from the memory."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import git, tip
from support.tracker_server import Tracker, issue

from gitmem.errors import BusyError, ConfigError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.system.file_lock import try_lock

SCRIPT = "import sys; from gitmem.memory import Memory; Memory().sources.pull('github')"


def many(tracker: Tracker, number: int) -> None:
    tracker.lists["issues"] = [issue(n, f"Zebra issue {n}", at=n) for n in range(1, number + 1)]


def added(memory: Memory, tracker: Tracker) -> None:
    memory.sources.add("github", "acme/shop", api=tracker.address, include=["issues"])


@pytest.mark.whole_system
def test_killed_pull_continues_and_writes_nothing_twice(memory: Memory, tracker: Tracker, repo: Path) -> None:
    many(tracker, 600)
    added(memory, tracker)

    def kill(_: object) -> None:
        os.kill(process.pid, signal.SIGKILL)

    tracker.planned[4] = kill
    process = subprocess.Popen([sys.executable, "-c", SCRIPT], cwd=repo)
    process.wait(timeout=60)
    before = len(git(repo, "ls-tree", "-r", "--name-only", "refs/gitmem/sources/github").splitlines()) - 1

    done = memory.sources.pull("github")

    assert 0 < before < 600
    assert (done.documents, done.changed) == (600, 600 - before)
    keys = [hit.key for hit in memory.list(Query(sources=("github",), limit=10_000)).hits]
    assert len(keys) == len(set(keys)) == 600


def test_second_pull_at_once_is_refused(memory: Memory, tracker: Tracker, repo: Path) -> None:
    added(memory, tracker)
    memory.sources.pull("github")
    lock = try_lock(repo / ".git/gitmem/sources/github.lock")
    assert lock is not None

    with pytest.raises(BusyError, match="another process is pulling github"):
        memory.sources.pull("github")
    os.close(lock)

    assert memory.sources.pull("github").error is None


def test_pulled_documents_appear_only_on_request(memory: Memory, tracker: Tracker, repo: Path) -> None:
    memory.remember("The zebra crossing is painted")
    many(tracker, 3)
    added(memory, tracker)
    before = tip(repo)

    memory.sources.pull("github")

    assert tip(repo) == before
    assert [hit.title for hit in memory.recall("zebra").hits] == ["The zebra crossing is painted"]
    assert "Zebra issue" not in str(memory.context())
    assert memory.status().document["kinds"] == {"learned": 1}
    assert memory.doctor().problems == ()
    assert [hit.store for hit in memory.recall(Query(text="zebra", sources=("github",))).hits] == ["github"] * 3


def test_pushing_the_memory_pushes_no_source(memory: Memory, tracker: Tracker, repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "hub.git"))
    memory.remember("Something")
    many(tracker, 1)
    added(memory, tracker)
    memory.sources.pull("github")

    memory.sync()

    assert "sources" not in git(tmp_path / "hub.git", "for-each-ref")


def test_tokens_are_never_stored(memory: Memory, tracker: Tracker, repo: Path) -> None:
    many(tracker, 1)
    added(memory, tracker)
    tracker.planned[1] = (401, {}, {"message": f"Bad credentials: {tracker.token}"})

    done = memory.sources.pull("github")
    memory.sources.pull("github")

    assert done.error is not None
    assert tracker.token not in done.error.message
    found = subprocess.run(["grep", "-r", tracker.token, repo / ".git"], capture_output=True, check=False)
    assert found.returncode == 1


def test_error_for_a_missing_token_says_how_to_get_one(
    memory: Memory, tracker: Tracker, monkeypatch: pytest.MonkeyPatch
) -> None:
    added(memory, tracker)
    monkeypatch.delenv("GH_TOKEN")

    with pytest.raises(ConfigError, match="there is no token for 127"):
        memory.sources.pull("github")


def test_unpulled_source_is_reported_as_overdue(memory: Memory, tracker: Tracker, repo: Path) -> None:
    many(tracker, 1)
    added(memory, tracker)
    assert memory.sources.list()[0].is_silent
    memory.sources.pull("github")
    (state,) = memory.sources.list()
    assert (state.is_silent, state.error, state.documents) == (False, "", 1)

    with Memory(repo, clock=lambda: state.pulled + 2 * 86_400 + 1.0) as later:
        assert later.sources.list()[0].is_silent


def test_scheduled_pull_reads_due_sources_and_records_failures(
    memory: Memory, tracker: Tracker, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many(tracker, 1)
    added(memory, tracker)
    memory.sources.add("code")

    assert sorted(done.source.name for done in memory.sources.pull_due()) == ["code", "github"]
    assert memory.sources.pull_due() == []
    monkeypatch.delenv("GH_TOKEN")
    with Memory(repo, clock=lambda: memory.repository.now + 90_000.0) as later:
        assert [done.source.name for done in later.sources.pull_due()] == ["code"]
        assert {state.source.name: bool(state.error) for state in later.sources.list()} == {
            "code": False,
            "github": True,
        }


def test_damaged_manifest_is_read_again_from_the_beginning(memory: Memory, tracker: Tracker, repo: Path) -> None:
    many(tracker, 5)
    added(memory, tracker)
    memory.sources.pull("github")
    stream = (
        "commit refs/gitmem/sources/github\ncommitter A <a@b> 1 +0000\ndata 1\nx\nfrom refs/gitmem/sources/github^0\n"
    )
    git(repo, "fast-import", "--quiet", "--force", input=f"{stream}M 100644 inline manifest.json\ndata 1\n{{\n")

    done = memory.sources.pull("github")

    assert (done.error, done.documents, done.changed) == (None, 5, 0)
    text = git(repo, "show", "refs/gitmem/sources/github:manifest.json")
    assert json.loads(text)["cursors"]["issues"]
