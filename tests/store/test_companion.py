"""A companion is named for its branch of the code, and nothing else is taken for one."""

from __future__ import annotations

from pathlib import Path

from conftest import git

from gitmem.config import Config
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.store.companion import companion_branch, companion_code, find_companion, head_branch, list_companions


def test_the_name_leads_there_and_back() -> None:
    assert companion_branch("feature/Slow") == "gitmem/branch/feature/Slow"
    assert companion_code("gitmem/branch/feature/Slow") == "feature/Slow"
    assert companion_code("gitmem/auth") == "" and companion_code("memory") == ""


def test_this_clones_own_comes_before_the_remotes_and_memory_has_none(repo: Path) -> None:
    opened = Git(discover(repo))
    git(repo, "update-ref", "refs/remotes/origin/gitmem/branch/topic", "HEAD")
    git(repo, "update-ref", "refs/heads/gitmem/branch/memory", "HEAD")

    assert head_branch(opened) == "main"
    found = find_companion(opened, Config(), "topic")
    assert found is not None and found.ref == "refs/remotes/origin/gitmem/branch/topic"
    git(repo, "update-ref", "refs/heads/gitmem/branch/topic", "HEAD")
    found = find_companion(opened, Config(), "topic")
    assert found is not None and found.ref == "refs/heads/gitmem/branch/topic"
    assert find_companion(opened, Config(), "memory") is None
    git(repo, "checkout", "-q", "--detach")
    assert head_branch(Git(discover(repo))) == ""


def test_a_companion_whose_commit_was_lost_is_listed_with_the_others(repo: Path) -> None:
    opened = Git(discover(repo))
    git(repo, "update-ref", "refs/heads/gitmem/branch/whole", "HEAD")
    lost = Path(opened.repository.common, "refs/heads/gitmem/branch/lost")
    lost.write_text("1" * 40 + "\n", encoding="ascii")

    assert list_companions(opened, "origin") == {"lost": ("1" * 40,), "whole": (git(repo, "rev-parse", "HEAD"),)}
