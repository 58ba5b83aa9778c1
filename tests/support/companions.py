"""What the tests of companions share: a clone on a branch whose code and fact change together, and how forges merge."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.proposals import clone, copy_both, forge, opened, shared_folder

from gitmem.memory import Memory
from gitmem.store.state.registration import register

__all__ = ["BRANCH", "COMPANION", "branched", "clone", "forge", "land", "opened", "shared_folder", "slow_down", "sync"]

BRANCH = "feature/slow"
COMPANION = f"refs/heads/gitmem/branch/{BRANCH}"
RETRIES = "src/gateway/retry.py"


@pytest.fixture(name="branch")
def branched(repo: Path, hub: Path, shared: Path) -> Path:
    """Return a clone on a pushed branch; main has a fact that its code makes false."""
    copy_both(_make_branched(shared), repo)
    register(str(repo / ".git" / "gitmem"))  # what is known of its facts would be set aside in a copy
    return repo


@cache
def _make_branched(shared: Path) -> Path:
    """Make a folder with such a clone and its remote from the shared one, once."""
    repo = Path(shutil.copytree(shared, shared.with_name("branched"), symlinks=True)) / "service"
    with opened(repo) as memory:
        memory.fact("The gateway retries three times", key="retries", contains="RETRIES = 3", within=RETRIES)
        memory.sync()
    git(repo, "checkout", "-q", "-b", BRANCH)
    commit_files(repo, {RETRIES: "RETRIES = 5\n"}, "retry more often")
    git(repo, "push", "-q", "origin", BRANCH)
    return repo.parent


def slow_down(memory: Memory, number: int = 5) -> None:
    """Change the fact as the code of the branch has it."""
    fields = {"title": f"The gateway retries {number} times", "verify": check_of(number)}
    memory.edit("retries", fields=fields)


def check_of(number: int) -> dict[str, str]:
    return {"contains": f"RETRIES = {number}", "in": RETRIES}


def sync(folder: Path) -> list[tuple[str, str]]:
    """Sync, and return what became of each companion."""
    with opened(folder) as memory:
        return [(step.what, step.because) for step in memory.sync().companions]


def land(hub: Path, how: str, branch: str = BRANCH) -> None:
    """Merge a branch of the code as a forge's button does, and delete it there."""
    work = hub.parent / f"forge-{how}"
    git(hub.parent, "clone", "-q", "-b", "main", str(hub), str(work))
    git(work, "config", "user.name", "Forge")
    git(work, "config", "user.email", "forge@example.org")
    commit_files(work, {"CHANGES.md": "Something else.\n"}, "main went on")
    if how == "merge":
        git(work, "merge", "-q", "--no-ff", "-m", "Merge pull request #1", f"origin/{branch}")
    elif how == "squash":
        git(work, "merge", "-q", "--squash", f"origin/{branch}")
        git(work, "commit", "-q", "-m", "Retry more often (#1)")
    elif how == "rebase":
        git(work, "checkout", "-q", "-b", "rebased", f"origin/{branch}")
        git(work, "rebase", "-q", "--force-rebase", "main")
        git(work, "branch", "-f", "main", "rebased")
    git(work, "push", "-q", "origin", "main", f":refs/heads/{branch}")
