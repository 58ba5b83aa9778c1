"""``git diff`` and ``git log -p`` of the memory, with the driver that is installed and without it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import NOW, git
from support.facts import verify
from support.reviews import commit, fact, text

from gitmem.commands.install import git_diff
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory

RS256 = "{contains: RS256, in: src/auth/*.py}"


@pytest.fixture(autouse=True)
def _on_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let git find the gitmem of this environment."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def here(repo: Path) -> Git:
    with Memory(repo, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        commit(repo, {"facts/alg.md": fact("Signed", RS256), "gotchas/hidden.md": text("Hidden", "a\u202eb\n")})
        verify(memory)
    return Git(discover(repo))


def test_diffs_of_memories_are_readable_and_those_of_code_unchanged(here: Git, repo: Path) -> None:
    plain = git(repo, "log", "-p", "main")
    assert "\u202e" in git(repo, "log", "-p", "memory")

    steps = git_diff.install(here)

    message = git(repo, "log", "-p", "memory")
    assert [step.what for step in steps] == ["add", "add"]
    assert "+a\\u{202e}b" in message
    assert "\u202e" not in message
    assert "+alg holds at " in message
    assert git(repo, "log", "-p", "main") == plain


def test_driver_is_installed_once_and_uninstall_restores_everything(here: Git, repo: Path) -> None:
    attributes = repo / ".git" / "info" / "attributes"
    attributes.parent.mkdir(exist_ok=True)
    attributes.write_bytes(b"*.png binary\n")
    before = (repo / ".git" / "config").read_bytes()
    git_diff.install(here)
    once = attributes.read_bytes()

    assert [step.what for step in git_diff.install(here)] == ["keep", "keep"]
    assert attributes.read_bytes() == once
    assert [step.what for step in git_diff.uninstall(here)] == ["remove", "remove"]
    assert attributes.read_bytes() == b"*.png binary\n"
    assert (repo / ".git" / "config").read_bytes() == before
    assert git_diff.uninstall(here) == ()


def test_foreign_driver_is_left_alone(here: Git, repo: Path) -> None:
    git(repo, "config", git_diff.NAME, "mine")

    assert [step.what for step in git_diff.uninstall(here)] == ["leave"]
    assert git(repo, "config", git_diff.NAME) == "mine"


def test_files_are_shown_unchanged_without_gitmem(here: Git, repo: Path, monkeypatch) -> None:
    git_diff.install(here)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    assert "a\u202eb" in git(repo, "log", "-p", "memory")


def test_folder_of_the_code_is_left_out(here: Git, repo: Path) -> None:
    (repo / "docs").mkdir()
    (repo / "docs" / "a.md").write_text("a\u200bb\n")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "docs")

    git_diff.install(here)

    assert "a\u200bb" in git(repo, "log", "-p", "main")


def test_command_prints_its_plan_and_applies_it(run_cli, here: Git, repo: Path) -> None:
    plan = run_cli("install", "git-diff", "--print")
    assert "+" + git_diff.COMMAND in plan.out
    assert git(repo, "config", git_diff.NAME, check=False) == ""

    assert run_cli("install", "git-diff").status == 0
    assert git(repo, "config", git_diff.NAME) == git_diff.COMMAND
    assert run_cli("uninstall", "git-diff").status == 0
    assert git(repo, "config", git_diff.NAME, check=False) == ""
