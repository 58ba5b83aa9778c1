"""On a branch with a companion, what is read is the memory of that branch; elsewhere, and for writes, memory itself."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, tip
from support.companions import COMPANION, RETRIES, branched, forge, opened, shared_folder, slow_down, sync  # noqa: F401 - fixtures
from support.facts import verify


def title(folder: Path) -> tuple[str, str]:
    with opened(folder) as memory:
        found = memory.show("retries").document
        assert next(hit.title for hit in memory.recall("gateway retries").hits) == found["title"]
        return found["title"], found["status"]


def test_branch_and_main_read_their_own_memories(branch: Path) -> None:
    assert title(branch)[0] == "The gateway retries three times"
    with opened(branch) as memory:
        slow_down(memory)
        memory.fact("The limit is five", key="limit", contains="RETRIES = 5", within=RETRIES)
        verify(memory)

    assert title(branch) == ("The gateway retries 5 times", "verified")
    with opened(branch) as memory:
        assert memory.status().document["companion"] == {
            "branch": "gitmem/branch/feature/slow",
            "changed": ["limit", "retries"],
        }
        assert {hit.key for hit in memory.list().hits} == {"idle", "limit", "retries"}
    git(branch, "checkout", "-q", "main")
    assert title(branch) == ("The gateway retries three times", "verified")
    with opened(branch) as memory:
        assert memory.status().document["companion"] is None


def test_concurrent_writes_are_read_and_reading_moves_no_branch(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
        memory.remember("Written meanwhile", key="meanwhile")
        before = tip(branch), tip(branch, COMPANION)

        assert memory.show("meanwhile").document["title"] == "Written meanwhile"
        assert memory.show("retries").document["title"] == "The gateway retries 5 times"
        assert (tip(branch), tip(branch, COMPANION)) == before
        memory.remember("And again", key="again")

    assert "again" in git(branch, "ls-tree", "-r", "--name-only", "memory")


def test_branch_memory_of_the_remote_is_read(branch: Path) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    sync(branch)
    git(branch, "update-ref", "-d", COMPANION)

    assert title(branch)[0] == "The gateway retries 5 times"


@pytest.mark.parametrize("ref", ["main", "nothing"])
def test_a_branch_that_is_none_is_left_out_and_one_line_says_so(branch: Path, ref: str) -> None:
    tree = git(branch, "hash-object", "-t", "tree", "-w", "--stdin", input="")
    commit = git(branch, "rev-parse", "main") if ref == "main" else git(branch, "commit-tree", tree, "-m", "x")
    git(branch, "update-ref", COMPANION, commit)

    with opened(branch) as memory:
        assert memory.show("retries").document["title"] == "The gateway retries three times"
        assert memory.notices == [
            "the memory of this branch is not read: gitmem/branch/feature/slow has no history in common with the "
            "memory branch"
        ]
