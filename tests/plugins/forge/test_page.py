"""The memory branch's page and badge: written when something changes, and never over somebody's own README."""

from __future__ import annotations

from pathlib import Path

from conftest import git, put_files, tip
from support.facts import make_fact, put, verify
from support.github_markdown import rendered

from gitmem.memory import Memory
from gitmem.plugins.forge.page import page, write

BADGE = "<svg/>"


def test_page_lists_failures_and_changes_only_with_them(repo: Path, memory: Memory) -> None:
    put(repo, make_fact("holds", {"exists": "README.md"}), make_fact("breaks", {"exists": "nowhere"}, title="@bob <b>"))
    verify(memory)

    commits = [write(memory.repository, memory.status().document, BADGE) for _ in range(2)]

    shown = git(repo, "show", "memory:README.md")
    assert (commits[0], commits[1]) == (tip(repo), "")
    assert git(repo, "log", "-1", "--format=%an", "memory") == "gitmem"
    assert "### ❌ 1 fact does not hold\n" in shown
    assert "![facts: 1 failed, 1 verified](facts.svg)" in shown
    assert "| fact | 2 |" in shown
    assert "@bob" not in shown and list(rendered(shown).iter("b")) == []
    assert git(repo, "show", "memory:facts.svg") == BADGE
    assert memory.doctor(fix=False).problems == ()


def test_readme_of_a_person_stays(repo: Path, memory: Memory) -> None:
    put_files(repo, {"README.md": "# Ours\n"})

    write(memory.repository, memory.status().document, BADGE)

    assert git(repo, "show", "memory:README.md") == "# Ours"
    assert git(repo, "show", "memory:facts.svg") == BADGE


def test_empty_store_has_a_page(memory: Memory) -> None:
    assert "### ✅ No fact fails" in page(memory.status().document)
