"""No ref is moved that stands for another one, that a work tree is on, or whose tip is not a store's."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, put_files, tip

from gitmem.errors import ConflictError, ForeignBranchError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.store.commit.guard import need_own, refuse_checked_out, refuse_symbolic

REF = "refs/heads/memory"


def test_symbolic_ref_is_refused(memory: Memory, repo: Path) -> None:
    git(repo, "symbolic-ref", REF, "refs/heads/main")

    with pytest.raises(ConflictError, match="is a symbolic ref to refs/heads/main"):
        refuse_symbolic(memory.repository.git, REF)


def test_the_branch_of_another_work_tree_is_refused(memory: Memory, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../elsewhere", "memory")

    with pytest.raises(ConflictError, match="elsewhere") as refused:
        refuse_checked_out(memory.repository.git, REF)

    assert "switch --detach" in refused.value.hint


def test_code_is_refused_and_strays_are_accepted_only_by_a_repair(repo: Path) -> None:
    strays = put_files(repo, {"src/main.c": "int main;"})
    door, code = Git(discover(repo)), tip(repo, "refs/heads/main")

    need_own(door, REF, None)
    need_own(door, REF, strays, repairs=True)
    with pytest.raises(ForeignBranchError, match="src"):
        need_own(door, REF, strays)
    with pytest.raises(ForeignBranchError, match="memory is not a memory store"):
        need_own(door, REF, code, repairs=True)
