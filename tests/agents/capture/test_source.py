"""The source of a capture follows from the work tree and the task."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git
from support.agent_work import ran
from support.each import each

from gitmem.agents.capture.source import place_of, read_inside, role_of, source_fields, task_of
from gitmem.memory import Memory


def test_agent_of_the_main_work_tree_leads_and_one_of_another_was_sent(memory: Memory, repo: Path) -> None:
    sent = repo.parent / "sent"
    git(repo, "worktree", "add", "-q", str(sent), "-b", "bd-shop-12")

    with Memory(sent) as other:
        assert role_of(memory.repository, ran(repo, "x")) == "orchestrator"
        assert role_of(other.repository, ran(sent, "x")) == "worker"
        assert role_of(other.repository, ran(sent, "x", agent="a1", agent_type="py-supervisor")) == "supervisor"
        assert (task_of(memory.repository), task_of(other.repository)) == ("", "shop-12")


def test_agent_in_a_folder_of_work_trees_and_a_sub_agent_were_sent(memory: Memory, repo: Path) -> None:
    assert role_of(memory.repository, ran(repo / ".worktrees" / "bd-1", "x")) == "worker"
    assert role_of(memory.repository, ran(repo, "x", agent="a1", agent_type="Explore")) == "worker"


@each(
    ("branch", "task"),
    [
        ("bd-BD-001", "BD-001"),
        ("bd/shop-12", "shop-12"),
        ("task/fix-login", "fix-login"),
        ("feature/SHOP-12-retries", "SHOP-12"),
        ("SHOP-12", "SHOP-12"),
        ("fix/utf-8", ""),
        ("main", ""),
    ],
)
def test_branch_names_the_task(memory: Memory, repo: Path, branch: str, task: str) -> None:
    git(repo, "symbolic-ref", "HEAD", f"refs/heads/{branch}")

    assert task_of(memory.repository) == task


def test_who_captured_is_named_without_what_could_hide(memory: Memory, repo: Path) -> None:
    event = ran(repo, "x", session="s\x1b[31m\u202e1" + "x" * 500, agent="a1", agent_type="Explore")

    by = source_fields(memory.repository, event)

    assert {name: by[name] for name in ("agent", "role", "type")} == {
        "agent": "claude-code",
        "role": "worker",
        "type": "Explore",
    }
    assert by["session"].isprintable()
    assert len(by["session"]) == 80


def test_agent_that_the_settings_name_goes_before_the_client(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITMEM_AGENT", "scout")

    with Memory(repo) as opened:
        assert source_fields(opened.repository, ran(repo, "x"))["agent"] == "scout"


def test_only_plain_files_of_the_work_tree_are_read(memory: Memory, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("outside")
    (repo / "link.md").symlink_to(tmp_path / "outside.md")
    (repo / "big.md").write_text("x" * 2000)
    (repo / "odd.md").write_bytes(b"\xff")
    (repo / "sub").mkdir()
    event = ran(repo / "sub", "x")

    found = {
        name: read_inside(memory.repository, place_of(memory.repository, event, name), limit=1000)
        for name in (
            "../README.md",
            str(repo / "README.md"),
            "../link.md",
            "../big.md",
            "../odd.md",
            "..",
            "../.git/HEAD",
        )
    }

    assert [text is not None for text in found.values()] == [True, True, False, False, False, False, False]
    assert place_of(memory.repository, event, "/etc/passwd") == place_of(memory.repository, event, "a\0b") == ""


def test_file_named_from_the_top_is_found_in_a_folder_unless_that_folder_has_it(memory: Memory, repo: Path) -> None:
    for place in ("sub/a.md", "sub/sub/b.md", "sub/b.md"):
        (repo / place).parent.mkdir(parents=True, exist_ok=True)
        (repo / place).write_text("x")
    event = ran(repo / "sub", "x")

    found = [place_of(memory.repository, event, path) for path in ("sub/a.md", "sub/b.md", "b.md", "new.md")]

    assert found == ["sub/a.md", "sub/sub/b.md", "sub/b.md", "sub/new.md"]
