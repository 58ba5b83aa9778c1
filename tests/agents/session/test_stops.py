"""A sub-agent is reminded once before it stops, and only if the policy says so."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.embedded_store import choose
from support.facts import put

from gitmem.agents import on_event
from gitmem.agents.event import SUBAGENT_STOP, Event
from gitmem.frozen import replace
from gitmem.memory import Memory

EVENT = Event("claude-code", SUBAGENT_STOP, session="s1", agent="a1", agent_type="worker")
ALL = "[stops]\nworktree = true\npush = true\ntask = true\n"


@pytest.fixture
def tree(repo: Path, memory: Memory, tmp_path: Path) -> Path:
    """Return a linked work tree of a repository whose policy and settings ask for everything, its branch pushed."""
    put(repo, {"gitmem.toml": ALL})
    git(tmp_path, "init", "-q", "--bare", "remote.git")
    git(repo, "remote", "add", "origin", str(tmp_path / "remote.git"))
    git(repo, "push", "-q", "origin", "main")
    choose(repo, "true", "stopPush")
    git(repo, "worktree", "add", "-q", "-b", "work", str(tmp_path / "tree"))
    return tmp_path / "tree"


def messages(folder: Path, event: Event = EVENT) -> str:
    with Memory(folder) as opened:
        return on_event.subagent_stopped(opened, event)


def test_a_work_tree_that_is_clean_and_pushed_is_asked_nothing(tree: Path) -> None:
    assert messages(tree) == ""


def test_what_is_left_is_asked_once(tree: Path) -> None:
    commit_files(tree, {"a.py": "a"})
    (tree / "b\u202e.py").write_text("b")
    (tree / "README.md").write_text("changed")
    with Memory(tree) as opened:
        key = opened.tasks.add("Write b").key
        opened.tasks.claim(key)

    assert messages(tree).splitlines() == [
        "Before you stop, please finish this in your work tree:",
        "- 2 files are uncommitted: README.md, b\\u{202e}.py. Commit them, or undo them.",
        "- 1 commit is not pushed: work. Push the branch.",
        f"- the task {key} is still yours: gitmem task close {key}, or gitmem task release {key}.",
    ]
    assert messages(tree) == ""
    assert messages(tree, replace(EVENT, agent="a2")) != ""


@pytest.mark.parametrize(
    "event",
    [replace(EVENT, is_again=True), replace(EVENT, agent_type="worker-supervisor")],
    ids=["kept going by a hook", "exempt"],
)
def test_second_stops_and_exempt_workers_get_no_reminder(tree: Path, event: Event) -> None:
    (tree / "a.py").write_text("a")

    assert messages(tree, event) == ""


def test_agent_in_the_main_work_tree_gets_no_reminder(tree: Path, repo: Path) -> None:
    (repo / "a.py").write_text("a")

    assert messages(repo) == ""


def test_nothing_is_asked_unless_the_policy_says_so(tree: Path, repo: Path) -> None:
    put(repo, {"gitmem.toml": "[stops]\ntask = true\n"})
    (tree / "a.py").write_text("a")

    assert messages(tree) == ""


def test_policy_of_the_branch_never_asks_for_a_push(tree: Path, repo: Path) -> None:
    git(repo, "config", "--unset", "gitmem.stopPush")
    commit_files(tree, {"a.py": "a"})

    assert messages(tree) == ""


def test_what_cannot_be_noted_is_not_asked(tree: Path, repo: Path) -> None:
    (tree / "a.py").write_text("a")
    (repo / ".git" / "gitmem").mkdir(exist_ok=True)
    (repo / ".git" / "gitmem" / "stops").write_text("in the way")

    assert messages(tree) == ""


@pytest.mark.parametrize(
    ("status", "asked"),
    [
        ("in_progress", "the bead BD-7 is still in_progress: bd close BD-7 --reason WHY, or say"),
        ("closed", ""),
        ("", ""),
    ],
)
def test_bead_that_the_branch_is_named_for_is_asked_about_until_it_is_closed(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: str, asked: str
) -> None:
    git(tree, "checkout", "-q", "-b", "bd-BD-7")
    (tree.parent / "service" / ".beads").mkdir()
    program = tmp_path / "bin" / "bd"
    program.parent.mkdir()
    answer = f'[{{"id": "BD-7", "status": "{status}"}}]' if status else "no such issue"
    program.write_text(f"#!/bin/sh\n[ \"$1 $2\" = 'show BD-7' ] && echo '{answer}'\necho a warning >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    text = messages(tree)

    assert (asked in text) if asked else (text == "")
