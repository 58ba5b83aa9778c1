"""A sync pushes companions with their branches, and merges those of merged branches into the memory by meaning."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.companions import (  # noqa: F401 - fixtures
    BRANCH,
    COMPANION,
    branched,
    clone,
    forge,
    land,
    opened,
    shared_folder,
    slow_down,
    sync,
)
from support.console import environment, run, wait_until

from gitmem.commands.install import git_hooks
from gitmem.commands.sync.quiet import send_companions
from gitmem.errors import NotFoundError, RefusedError

MEMORY = "refs/heads/memory"


def fact(folder: Path, ref: str = MEMORY) -> str:
    return git(folder, "show", f"{ref}:facts/retries.md")


def fetch(folder: Path) -> None:
    git(folder, "fetch", "-q", "--prune", "origin")


@pytest.fixture(name="ours")
def with_companion(branch: Path) -> Path:
    """Return the clone with a companion that is pushed."""
    with opened(branch) as memory:
        slow_down(memory)
    assert sync(branch) == [("pushed", "")]
    return branch


@pytest.mark.parametrize(("merged", "found"), [("merge", "ancestry"), ("squash", "rebase"), ("rebase", "rebase")])
def test_first_sync_after_a_merge_merges_and_deletes_the_companion(
    ours: Path, hub: Path, merged: str, found: str
) -> None:
    assert "RETRIES = 3" in fact(hub)
    land(hub, merged)
    fetch(ours)

    assert sync(ours) == [("merged", found)]

    assert "RETRIES = 5" in fact(hub) and "RETRIES = 5" in fact(ours)
    assert "gitmem/branch" not in git(hub, "for-each-ref") + git(ours, "for-each-ref")
    assert sync(ours) == []


def test_squash_merge_is_detected_by_content(ours: Path, hub: Path) -> None:
    commit_files(ours, {"src/gateway/wait.py": "WAIT = 1\n"}, "wait")
    git(ours, "push", "-q", "origin", BRANCH)
    sync(ours)
    land(hub, "squash")
    fetch(ours)
    git(ours, "checkout", "-q", "main")
    git(ours, "branch", "-q", "-D", BRANCH)

    assert sync(ours) == [("merged", "squash")]


def test_another_clone_can_merge_the_companion(ours: Path, hub: Path) -> None:
    other = clone(ours)
    with opened(other) as memory:
        memory.remember("Written meanwhile", key="meanwhile")
        memory.sync()
    land(hub, "merge")
    fetch(other)

    sync(other)

    assert "RETRIES = 5" in fact(hub)
    assert git(hub, "show", f"{MEMORY}:learned/meanwhile.md")
    fetch(ours)
    assert sync(ours) == []
    assert "gitmem/branch" not in git(ours, "for-each-ref")


def test_two_versions_of_one_sentence_are_both_kept(ours: Path, hub: Path) -> None:
    other = clone(ours)
    git(other, "checkout", "-q", "main")
    with opened(other) as memory:
        memory.edit("retries", fields={"title": "The gateway tries again three times"})
        memory.sync()
    land(hub, "merge")
    fetch(ours)

    sync(ours)

    assert "The gateway tries again three times" in fact(hub) and "The gateway retries 5 times" in fact(hub)
    with opened(ours) as memory:
        assert memory.status().document["to_settle"] == ["retries"]


def test_only_memories_are_merged_with_a_branch(ours: Path, hub: Path) -> None:
    view = ours.parent / "view"
    git(ours, "worktree", "add", "-q", str(view), "gitmem/branch/feature/slow")
    commit_files(view, {"gitmem.toml": '[check]\nfail_on = "never"\n', ".github/workflows/x.yml": "on: push\n"})
    git(view, "push", "-q", "origin", "gitmem/branch/feature/slow")
    shutil.rmtree(view)
    git(ours, "worktree", "prune")
    policy = git(hub, "show", f"{MEMORY}:gitmem.toml")
    land(hub, "merge")
    fetch(ours)

    assert sync(ours)[0] == ("merged", "ancestry")

    assert "RETRIES = 5" in fact(hub)
    assert git(hub, "show", f"{MEMORY}:gitmem.toml") == policy
    assert ".github" not in git(hub, "ls-tree", "--name-only", MEMORY)


def test_a_branch_that_is_not_merged_keeps_its_companion(ours: Path, hub: Path) -> None:
    """This includes a rewritten branch, and one without a commit of its own."""
    git(ours, "commit", "-q", "--amend", "-m", "retry more often, reworded")
    git(ours, "push", "-q", "--force", "origin", BRANCH)
    assert sync(ours) == []
    git(ours, "checkout", "-q", "main")
    git(ours, "checkout", "-q", "-b", "fresh;ls")
    (ours / "src/gateway/retry.py").write_text("RETRIES = 9\n", encoding="utf-8")
    with opened(ours) as memory:
        slow_down(memory, 9)

    assert sync(ours) == [("waits", "push the branch first: git push origin 'fresh;ls'")]
    assert "RETRIES = 3" in fact(hub) and "RETRIES = 9" in fact(ours, "gitmem/branch/fresh;ls")


def test_companion_of_a_deleted_branch_waits_with_a_hint(ours: Path, hub: Path) -> None:
    git(hub, "update-ref", "-d", COMPANION)
    with opened(ours) as memory:
        slow_down(memory, 5)
        memory.edit("retries", fields={"tags": ["net"]})
    assert sync(ours)[0][0] == "waits"

    git(ours, "push", "-q", "origin", f":{BRANCH}")
    git(ours, "checkout", "-q", "main")
    git(ours, "branch", "-q", "-D", BRANCH)

    assert sync(ours) == [
        ("waits", "the branch feature/slow is gone; if it was merged: gitmem propose --merge branch/feature/slow")
    ]
    assert "RETRIES = 5" in fact(ours, COMPANION) and tip(ours) == tip(hub)


def test_companion_is_listed_merged_and_dropped_like_a_proposal(ours: Path, hub: Path) -> None:
    name = f"branch/{BRANCH}"
    with opened(ours) as memory:
        assert [(one.name, one.changed) for one in memory.proposals.list()] == [(name, ("retries",))]
        for begin in (memory.proposals.send, memory.proposals.switch):
            with pytest.raises(RefusedError, match="is written to on that branch"):
                begin(name)
        with pytest.raises(RefusedError, match="invalid name for a proposal: 'branch'"):
            memory.proposals.send("branch")
        with pytest.raises(NotFoundError, match=r"there is no gitmem/branch/other"):
            memory.proposals.merge_branch("branch/other")
        assert memory.proposals.merge_branch(name) == BRANCH
        assert "RETRIES = 5" in fact(ours) and "RETRIES = 3" in fact(hub)
        memory.proposals.drop(name, remote=True)

    assert "gitmem/branch" not in git(hub, "for-each-ref")


def test_git_push_sends_the_companion_after_an_existing_hook(branch: Path, hub: Path) -> None:
    hook = branch / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho $1 >>seen\ncat >>seen\nexit $(cat status)\n", encoding="utf-8")
    hook.chmod(0o755)
    with opened(branch) as memory:
        slow_down(memory)
        git_hooks.install(memory.repository.git)

    def push(status: int) -> int:
        (branch / "status").write_text(f"{status}\n", encoding="utf-8")
        commit_files(branch, {f"other-{status}.txt": "more\n"})
        return run(["git", "push", "-q", "origin", BRANCH], branch, env=environment(GITMEM_BACKGROUND=None)).status

    assert (push(1), COMPANION in git(hub, "for-each-ref")) == (1, False)
    assert push(0) == 0
    assert wait_until(lambda: COMPANION in git(hub, "for-each-ref")), (
        branch / ".git/gitmem/background/log"
    ).read_text()
    name, row = (branch / "seen").read_text(encoding="utf-8").splitlines()[-2:]
    assert (name, row.split()[:2]) == ("origin", [f"refs/heads/{BRANCH}", git(branch, "rev-parse", BRANCH)])
    assert sync(branch) == []  # there is nothing left to push


@pytest.mark.parametrize("url", ["/nowhere/hub.git", "http://127.0.0.1:9/hub.git"])
def test_push_of_a_companion_to_an_unreachable_remote_is_silent(branch: Path, url: str) -> None:
    with opened(branch) as memory:
        slow_down(memory)
        git(branch, "remote", "set-url", "origin", url)
        pushed = {BRANCH: git(branch, "rev-parse", BRANCH)}

        assert send_companions(memory.repository, "origin", pushed) == []
        assert send_companions(memory.repository, url, pushed) == []


def test_companion_that_was_merged_is_not_published_again(ours: Path, hub: Path) -> None:
    pushed = {BRANCH: git(ours, "rev-parse", BRANCH)}
    land(hub, "merge")
    fetch(ours)
    other = clone(ours)
    sync(other)
    git(ours, "fetch", "-q", "origin", "+refs/heads/memory:refs/heads/memory")

    with opened(ours) as memory:
        assert send_companions(memory.repository, "origin", pushed) == []
    assert COMPANION not in git(hub, "for-each-ref")
