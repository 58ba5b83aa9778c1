"""Doctor leaves a foreign branch alone, restores none, and deletes from a store only what a person names."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, memory_text, put_files, tip

from gitmem.errors import NotFoundError
from gitmem.memory import Memory

REF = "refs/heads/memory"


def codes(memory: Memory, **how: object) -> list[str]:
    return [problem.code for problem in memory.doctor(**{"fix": True} | how).problems if problem.severity == "error"]


def test_store_with_code_files_is_reported_and_left_unchanged(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need VPN", key="vpn")
    put_files(repo, {"src/main.c": "int main;", "learned/b.md": memory_text("B")})
    before = tip(repo)

    assert sorted(codes(memory)) == ["bad-name", "stray-entries"]
    assert tip(repo) == before
    assert memory.show("vpn").document["title"] == "Deploys need VPN"


def test_branch_replaced_by_code_is_left_unchanged(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need VPN", key="vpn")
    code = tip(repo, "refs/heads/main")
    git(repo, "update-ref", REF, code)

    found = memory.doctor(fix=True)

    assert [problem.code for problem in found.problems if problem.severity == "error"] == ["foreign-branch"]
    assert tip(repo) == code


def test_broken_ref_is_reset_to_the_last_commit_of_a_store(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need VPN", key="vpn")
    store = tip(repo)
    git(repo, "update-ref", REF, tip(repo, "refs/heads/main"))
    (repo / ".git" / REF).write_bytes(b"")

    assert codes(memory) == []
    assert tip(repo) == store


def test_only_entries_outside_the_store_can_be_deleted(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need VPN", key="vpn")
    put_files(repo, {"src/main.c": "int main;", "src/lib/a.c": "int a;", "notes.txt": "x"})
    before = tip(repo)

    for name in ("STATUS.md", "learned/vpn.md", "learned", "", "src/ma"):
        with pytest.raises(NotFoundError, match=": the branch has no entry of this name outside its store"):
            memory.doctor(fix=False, delete=[name])
    assert tip(repo) == before
    assert codes(memory, fix=False, delete=["src/", "notes.txt"]) == []

    assert git(repo, "rev-parse", f"{REF}~1") == before
    assert git(repo, "ls-tree", "-r", "--name-only", REF, "src", "notes.txt") == ""
    assert memory.show("vpn").document["title"] == "Deploys need VPN"


def test_memory_with_a_reserved_name_is_renamed(memory: Memory, repo: Path) -> None:
    memory.remember("Deploys need VPN", key="vpn")
    put_files(repo, {"learned/nul.md": memory_text("About nothing"), "archive/learned/aux.md": memory_text("Gone")})

    found = memory.doctor(fix=True)

    assert [problem.code for problem in found.problems if problem.severity == "error"] == []
    assert [line for line in found.fixed if line.startswith("renamed")] == [
        "renamed archive/learned/aux.md to archive/learned/key-aux.md on the branch",
        "renamed learned/nul.md to learned/key-nul.md on the branch",
    ]
    assert memory.show("key-nul").document["title"] == "About nothing"
