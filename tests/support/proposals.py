"""What the tests of proposals share: a bare remote that stands for the forge, clones, and merges as forges do them."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, git

from gitmem.commands.propose.send import ProposalState
from gitmem.memory import Memory
from gitmem.recall.query import Query

AUTH = "refs/heads/gitmem/auth"


def opened(folder: Path, **how: Any) -> Memory:
    return Memory(folder, clock=lambda: float(NOW), **how)


@pytest.fixture(name="shared", scope="session")
def shared_folder(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a clone and its remote, which have the code and a memory of one memory; copy it."""
    return _make_shared(template, tmp_path_factory.getbasetemp())


@cache
def _make_shared(template: Path, base: Path) -> Path:
    """Make the shared folder once, for every module that imports the fixture."""
    folder = base / "shared"
    repo = Path(shutil.copytree(template, folder / "service", symlinks=True))
    git(folder, "init", "-q", "--bare", "-b", "main", "hub.git")
    git(repo, "remote", "add", "origin", "../hub.git")
    git(repo, "push", "-q", "origin", "main")
    git(repo, "fetch", "-q")
    git(repo, "remote", "set-head", "origin", "main")
    with opened(repo) as memory:
        memory.init(offline=True)
        memory.remember("The gateway drops idle connections", key="idle")
        memory.sync()
    return folder


@pytest.fixture(name="hub")
def forge(repo: Path, shared: Path) -> Path:
    """Return a bare remote that stands for the forge; *repo* has a memory, which it knows."""
    return copy_both(shared, repo)


def copy_both(made: Path, repo: Path) -> Path:
    """Replace a clone, and the remote beside it, by copies of those in another folder, and return the remote."""
    hub = repo.parent / "hub.git"
    for name, place in (("service", repo), ("hub.git", hub)):
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(made / name, place, symlinks=True)
    return hub


def clone(repo: Path, name: str = "other", who: str = "Bob") -> Path:
    """Return another clone with the same state, of another person."""
    other = Path(shutil.copytree(repo, repo.parent / name, symlinks=True))
    git(other, "config", "user.name", who)
    return other


def remember(folder: Path, **texts: str) -> None:
    with opened(folder) as memory:
        for key, text in texts.items():
            memory.remember(text, key=key)


def propose(folder: Path, name: str = "", **how: Any) -> ProposalState:
    with opened(folder) as memory:
        return memory.proposals.send(name, **how)


def keys(folder: Path) -> list[str]:
    """Return the keys that a reader finds."""
    with opened(folder) as memory:
        return sorted(hit.key for hit in memory.list(Query(limit=100, everything=True)).hits)


def paths(folder: Path, ref: str = "refs/heads/memory") -> list[str]:
    return git(folder, "ls-tree", "-r", "--name-only", ref).split("\n")


def refs(folder: Path) -> list[str]:
    return git(folder, "for-each-ref", "--format=%(refname)").split("\n")


def merge_on_forge(hub: Path, how: str, branch: str = "gitmem/auth") -> None:
    """Merge a proposal as a forge's button does: a merge commit, a squash or a rebase."""
    work = hub.parent / f"forge-{how}"
    git(hub.parent, "clone", "-q", "-b", "memory", str(hub), str(work))
    git(work, "config", "user.name", "Forge")
    git(work, "config", "user.email", "forge@example.org")
    if how == "merge":
        git(work, "merge", "-q", "--no-ff", "-m", "Merge pull request #1", f"origin/{branch}")
    elif how == "squash":
        git(work, "merge", "-q", "--squash", f"origin/{branch}")
        git(work, "commit", "-q", "-m", "Auth (#1)")
    else:
        git(work, "checkout", "-q", "-b", "rebased", f"origin/{branch}")
        git(work, "rebase", "-q", "--force-rebase", "origin/memory")
        git(work, "push", "-q", "origin", "rebased:memory")
        return
    git(work, "push", "-q", "origin", "memory")
