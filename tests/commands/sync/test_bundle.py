"""A bundle contains the commits for another machine to push: nothing is fetched, pending changes are included."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip
from support.companions import (  # noqa: F401 - fixtures
    branched,
    clone,
    forge,
    land,
    opened,
    shared_folder,
    slow_down,
    sync,
)

from gitmem.commands.sync.bundle import write_bundle
from gitmem.memory import Memory


@pytest.fixture(name="remote")
def fetched(repo: Path, memory: Memory, tmp_path: Path) -> Path:
    """Return the remote of a clone whose branches were fetched."""
    git(tmp_path, "clone", "-q", "--bare", str(repo), "hub.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "hub.git"))
    git(repo, "fetch", "-q", "origin")
    return tmp_path / "hub.git"


def refs(repo: Path, file: Path) -> list[str]:
    return [line.split(" ")[1] for line in git(repo, "bundle", "list-heads", str(file)).split("\n")]


def test_no_bundle_without_new_commits(repo: Path, memory: Memory, remote: Path, tmp_path: Path) -> None:
    assert write_bundle(memory.repository, "", str(tmp_path / "b")) == []
    assert not (tmp_path / "b").exists()


def test_conflict_with_a_waiting_pull_request_is_merged_by_meaning(
    repo: Path, memory: Memory, remote: Path, tmp_path: Path
) -> None:
    git(remote, "branch", "gitmem/verify", "memory")
    put_files(remote, {"learned/a.md": memory_text("A of the others")}, ref="refs/heads/gitmem/verify")
    git(repo, "fetch", "-q", "origin")
    put_files(repo, {"learned/a.md": memory_text("A of ours"), "learned/b.md": memory_text("B")})

    found = write_bundle(memory.repository, "origin", str(tmp_path / "b"), instead="gitmem/verify")

    assert found == ["memory", "gitmem/verify"]
    assert refs(repo, tmp_path / "b") == ["refs/heads/memory", "refs/heads/gitmem/verify"]
    git(remote, "fetch", "-q", str(tmp_path / "b"), "+refs/heads/*:refs/new/*")
    waiting = tip(remote, "refs/heads/gitmem/verify")
    assert git(remote, "merge-base", waiting, "refs/new/gitmem/verify") == waiting
    both = git(remote, "show", "refs/new/gitmem/verify:learned/a.md")
    assert "A of ours" in both and "A of the others" in both
    assert git(remote, "show", "refs/new/gitmem/verify:learned/b.md")


def test_only_conflicting_proposals_are_merged_by_meaning(
    repo: Path, memory: Memory, remote: Path, tmp_path: Path
) -> None:
    put_files(remote, {"learned/a.md": memory_text("A", body="First.\n")})
    for name in ("same", "apart", "merged", "foreign", "mine"):
        git(remote, "branch", f"gitmem/{name}", "memory" if name != "foreign" else "main")
    theirs = {"learned/a.md": memory_text("A", body="First.\n", tags=["proposed"])}
    for name, files in {
        "same": theirs, "apart": {"learned/b.md": memory_text("B")}, "mine": theirs, "foreign": {"learned/a.md": "x"}
    }.items():  # fmt: skip
        put_files(remote, files, ref=f"refs/heads/gitmem/{name}")
    put_files(remote, {"learned/a.md": memory_text("A", body="First.\nSecond.\n", tags=["ours"])})
    git(repo, "fetch", "-q", "origin")
    git(repo, "branch", "gitmem/mine", "main")

    found = write_bundle(memory.repository, "origin", str(tmp_path / "b"), instead="gitmem/verify")

    assert found == ["gitmem/same"]
    git(remote, "fetch", "-q", str(tmp_path / "b"), "refs/heads/gitmem/same:refs/heads/gitmem/same")  # without force
    merged = git(remote, "show", "gitmem/same:learned/a.md")
    assert all(text in merged for text in ("Second.", "ours", "proposed"))
    assert git(remote, "merge-base", "memory", "gitmem/same") == tip(remote)
    assert [note.partition(":")[0] for note in memory.repository.notices] == ["gitmem/foreign is left as it is"]
    git(repo, "fetch", "-q", "origin")
    assert write_bundle(memory.repository, "origin", str(tmp_path / "c")) == []


def test_companion_of_a_merged_branch_is_in_the_bundle(branch: Path, hub: Path, tmp_path: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    sync(branch)
    land(hub, "squash")
    git(tmp_path, "clone", "-q", str(hub), "job")
    with opened(tmp_path / "job") as memory:
        assert write_bundle(memory.repository, "origin", str(tmp_path / "b")) == ["memory"]

    git(hub, "fetch", "-q", str(tmp_path / "b"), "refs/heads/memory:refs/heads/memory")
    assert "RETRIES = 5" in git(hub, "show", "memory:facts/retries.md")
    companion = git(hub, "for-each-ref", "--format=%(objectname)", "refs/heads/gitmem/branch")
    assert git(hub, "merge-base", companion, "memory") == companion
