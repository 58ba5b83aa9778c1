"""The branch of the memory has another name where `memory` is somebody's code, and other clones find it."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, git, tip

from gitmem.errors import ConflictError, ForeignBranchError, UsageError
from gitmem.memory import Memory

HOME = "refs/gitmem/home/memory-store"


@pytest.fixture(name="hub")
def hub_with_code(repo: Path) -> Path:
    """Return a bare remote whose branch `memory` is code in a sub-folder, and make it the remote of the repository."""
    hub = repo.parent / "hub.git"
    git(repo.parent, "clone", "-q", "--bare", f"file://{repo}", str(hub))
    stream = (
        f"commit refs/heads/memory\ncommitter Sam Smith <sam@example.org> {NOW} +0000\ndata 20\nAdd arena allocator\n\n"
        "M 100644 inline lib/arena.c\ndata 9\nint main;\n"
    )
    git(hub, "fast-import", "--quiet", "--date-format=raw", input=stream)
    git(repo, "remote", "add", "origin", f"file://{hub}")
    return hub


def cloned(hub: Path, name: str) -> Path:
    git(hub.parent, "clone", "-q", f"file://{hub}", name)
    return hub.parent / name


def test_init_leaves_a_remote_branch_of_code_alone(repo: Path, hub: Path) -> None:
    code = tip(hub)

    with Memory(repo) as memory, pytest.raises(ForeignBranchError) as refused:
        memory.init()

    assert 'its last commit is "Add arena allocator" by Sam Smith' in refused.value.message
    assert "gitmem init --branch memory-store" in refused.value.hint
    assert git(repo, "for-each-ref", "refs/heads/memory") == ""
    assert tip(hub) == code


def test_another_clone_finds_the_branch_that_the_first_one_chose(repo: Path, hub: Path) -> None:
    code = tip(hub)
    with Memory(repo) as memory:
        memory.init(branch="memory-store")
        memory.remember("Deploys need VPN", key="vpn")
        memory.sync()
    other = cloned(hub, "other")

    with Memory(other) as memory:
        started = memory.init()
    with Memory(other) as memory:
        body = memory.show("vpn").document["title"]

    assert (started.branch, started.how) == ("memory-store", "joined")
    assert git(repo, "config", "gitmem.branch") == git(other, "config", "gitmem.branch") == "memory-store"
    assert body == "Deploys need VPN"
    assert git(hub, "for-each-ref", "--format=%(refname)", "refs/gitmem") == HOME
    assert tip(hub) == code


def test_a_second_memory_is_not_published_beside_the_first(repo: Path, hub: Path) -> None:
    other = cloned(hub, "other")
    with Memory(repo) as memory:
        memory.init(branch="memory-store")
        memory.sync()
    with Memory(other) as memory:
        memory.init(branch="notes", offline=True)
        memory.remember("Deploys need VPN", key="vpn")

        with pytest.raises(ConflictError, match="keeps its memory on the branch memory-store") as refused:
            memory.sync()

    assert "git branch -m notes memory-store && gitmem init --branch memory-store" in refused.value.hint
    assert git(hub, "for-each-ref", "refs/heads/notes") == ""


def test_name_at_a_remote_that_a_shell_would_run_is_left_alone(repo: Path, hub: Path) -> None:
    other = cloned(hub, "other")
    with Memory(repo) as memory:
        memory.init(branch="memory-store")
        memory.sync()
    git(hub, "update-ref", "refs/gitmem/home/x;touch$IFS/tmp/p", HOME)
    git(hub, "update-ref", "-d", HOME)

    with Memory(other) as memory:
        memory.init(branch="notes", offline=True)
        memory.remember("Deploys need VPN", key="vpn")
        memory.sync()

    assert git(hub, "for-each-ref", "--format=%(refname)", "refs/heads/notes") == "refs/heads/notes"


def test_a_remote_branch_that_becomes_code_later_is_neither_merged_nor_pushed_onto(repo: Path, hub: Path) -> None:
    with Memory(repo) as memory:
        memory.init(branch="memory-store")
        memory.remember("Deploys need VPN", key="vpn")
        memory.sync()
    git(hub, "update-ref", "refs/heads/memory-store", tip(hub))
    before = tip(repo, "refs/heads/memory-store")

    with Memory(repo) as memory:
        memory.remember("Deploys run from CI", key="ci")
        with pytest.raises(ForeignBranchError, match="memory-store of origin is not a memory store"):
            memory.sync()

    assert tip(hub, "refs/heads/memory-store") == tip(hub)
    assert git(repo, "rev-parse", "refs/heads/memory-store~1") == before


@pytest.mark.parametrize("name", ["", "HEAD", "gitmem/x", "a..b", "-x", "refs/heads/x", "x;id", "a$(id)"])
def test_branch_that_cannot_hold_a_memory_is_refused(repo: Path, name: str) -> None:
    with Memory(repo) as memory:
        if not name:
            assert memory.init(branch=name, offline=True).branch == "memory"
            return
        with pytest.raises(UsageError):
            memory.init(branch=name, offline=True)


def test_existing_memory_is_not_left_behind_for_a_new_branch(memory: Memory) -> None:
    memory.remember("Deploys need VPN", key="vpn")

    with pytest.raises(ConflictError, match="already has a memory on the branch memory") as refused:
        memory.init(branch="notes", offline=True)

    assert "git branch -m memory notes && gitmem init --branch notes" in refused.value.hint
