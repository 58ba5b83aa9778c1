"""A learning for a worker in another clone arrives once, and only there; what cannot be sent is refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import git
from support.each import each
from support.standing_folder import fill, fill_anew, stand

from gitmem.commands.sync import inbox
from gitmem.errors import NoRepositoryError, RefusedError, RemoteError
from gitmem.git import remotes
from gitmem.git.remotes import RemoteOptions
from gitmem.memory import Memory

TEXT = "Run the migrations before the tests of the ledger"
PRIVATE = "refs/gitmem/private/worker-2"
HOW = {"category": "best-practice", "worker": "worker-2"}


@pytest.fixture
def repo(template: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    return fill_anew(stand(tmp_path_factory, monkeypatch, "inbox"), template)


@pytest.fixture
def clones(repo: Path) -> tuple[Path, Path, Path]:
    """Return a lead's clone, a worker's, and their remote."""
    fill(repo.parent, "clones", lambda: make_clones(repo))
    return repo, repo.parent / "other", repo.parent / "hub.git"


def make_clones(repo: Path) -> None:
    hub = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(hub))
    git(repo, "remote", "add", "origin", str(hub))
    with Memory(repo) as memory:
        memory.init(offline=True)
        memory.sync()
    shutil.copytree(repo, repo.parent / "other", symlinks=True)


def synced(folder: Path, agent: str = "worker-2") -> list[str]:
    """Sync as an agent; return the notices."""
    git(folder, "config", "gitmem.agent", agent)
    with Memory(folder) as memory:
        memory.sync()
        return list(memory.repository.notices)


def private(folder: Path) -> list[str]:
    if not git(folder, "for-each-ref", PRIVATE):
        return []
    return [path for path in git(folder, "ls-tree", "-r", "--name-only", PRIVATE).split() if path.endswith(".md")]


def waiting(folder: Path) -> str:
    return git(folder, "for-each-ref", "--format=%(refname)", "refs/gitmem/inbox/")


def test_learning_reaches_the_worker_in_another_clone_once(clones) -> None:
    lead, worker, hub = clones
    with Memory(lead) as memory:
        ref = memory.learnings.send(TEXT, **HOW)
    assert waiting(hub).strip() == ref

    synced(worker, "worker-3")
    assert waiting(hub).strip() == ref
    synced(worker)
    synced(lead)

    assert (len(private(worker)), private(lead), waiting(hub), waiting(worker)) == (1, [], "", "")
    with Memory(worker) as memory:
        assert "migrations" in str(memory.context(paths=(), budget_tokens=4000).document)


def test_one_of_two_racing_clones_gets_the_learning(clones, monkeypatch) -> None:
    lead, worker, hub = clones
    with Memory(lead) as memory:
        memory.learnings.send(TEXT, **HOW)
    real, raced = remotes.delete, []

    def late(*args, **options) -> bool:
        if not raced:
            raced.append(True)
            synced(lead)
        return real(*args, **options)

    monkeypatch.setattr(remotes, "delete", late)
    synced(worker)

    assert (len(private(lead)), private(worker)) == (1, [])
    assert (waiting(hub), waiting(worker)) == ("", "")


def test_learning_claimed_by_a_killed_sync_is_delivered_by_the_next(clones, monkeypatch) -> None:
    lead, worker, hub = clones
    with Memory(lead) as memory:
        memory.learnings.send(TEXT, **HOW)
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(inbox, "_deliver", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        synced(worker)
    assert (waiting(hub), private(worker)) == ("", [])

    synced(worker)

    assert (len(private(worker)), waiting(worker)) == (1, "")


HOSTILE = (
    b"\xff",
    b"[1]",
    b'{"text": 3}',
    b'{"text": "x y", "tags": [1]}',
    b'{"text": "x y", "by": {"who": []}}',
    b'{"text": "The key is AKIAQYLPMN5HFIQR7XYA in the ledger", "kind": "preference"}',
    '{"text": "Hidden \u202e order in the ledger", "kind": "preference"}'.encode(),
)


def test_hostile_learnings_are_dropped_with_a_notice_each(clones, tmp_path) -> None:
    _, worker, hub = clones
    for number, raw in enumerate(HOSTILE):
        file = tmp_path / f"raw-{number}"
        file.write_bytes(raw)
        blob = git(hub, "hash-object", "-w", str(file)).strip()
        git(hub, "update-ref", f"refs/gitmem/inbox/worker-2/{blob}", blob)

    notices = synced(worker)

    dropped = [notice for notice in notices if "a learning for worker-2 was dropped: " in notice]
    assert len(dropped) == len(HOSTILE), dropped
    assert (private(worker), waiting(hub), waiting(worker)) == ([], "", "")


@each("prefix", ["refs/gitmem/inbox/worker-2/deeper/", "refs/heads/refs/gitmem/inbox/worker-2/"])
def test_ref_that_only_looks_like_a_learning_is_left_alone(clones, prefix: str) -> None:
    _, worker, hub = clones
    tip = git(hub, "rev-parse", "memory").strip()
    git(hub, "update-ref", f"{prefix}{tip}", tip)

    synced(worker)

    assert git(hub, "rev-parse", f"{prefix}{tip}").strip() == tip


def test_invalid_learning_is_refused_with_the_reason(clones) -> None:
    lead, _, hub = clones
    with Memory(lead) as memory:
        with pytest.raises(RefusedError, match="invalid agent name"):
            memory.learnings.send(TEXT, category="preference", worker="../")
        with pytest.raises(RefusedError, match="secret"):
            memory.learnings.send("The key is AKIAQYLPMN5HFIQR7XYA in the ledger", **HOW)
        git(lead, "remote", "set-url", "origin", str(hub / "nowhere"))
        with pytest.raises(RemoteError, match="nothing was sent to worker-2"):
            memory.learnings.send(TEXT, talk=RemoteOptions(timeout_s=5.0), **HOW)
    git(lead, "remote", "remove", "origin")
    with Memory(lead) as memory, pytest.raises(NoRepositoryError, match="no remote"):
        memory.learnings.send(TEXT, **HOW)
    assert waiting(hub) == ""
