"""`gitmem sync` says what came in and what is to be settled, for people and as JSON."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from conftest import git, memory_text, put_files, tip
from support.ids import id_of


@pytest.fixture
def other(repo: Path) -> Path:
    """Return a second clone that has pushed a memory that the first one, *repo*, has changed too."""
    git(repo.parent, "init", "-q", "--bare", "hub.git")
    git(repo, "remote", "add", "origin", str(repo.parent / "hub.git"))
    put_files(repo, {"learned/a.md": memory_text("A")})
    git(repo, "push", "-q", "origin", "memory")
    folder = Path(shutil.copytree(repo, repo.parent / "other", symlinks=True))
    put_files(folder, {"learned/a.md": memory_text("Theirs\x1b]0;x\x07"), "learned/b.md": memory_text("B")})
    git(folder, "push", "-q", "origin", "memory")
    put_files(repo, {"learned/a.md": memory_text("Ours"), "learned/c.md": memory_text("C")})
    return folder


def test_it_says_what_came_in_and_what_is_to_be_settled(run_cli: Any, other: Path) -> None:
    done = run_cli("sync")

    assert done.status == 0, done
    assert done.out == (
        "↑ 2 memories to origin  ↓ 1 memory, merged with yours\n"
        "  to settle: a  unreadable\n"
        "  the unreadable version is in the history: git log -p memory -- learned/a.md\n"
    )


def test_json_is_one_document(run_cli: Any, repo: Path, other: Path) -> None:
    put_files(other, {"learned/a.md": memory_text("Theirs")})
    git(other, "push", "-q", "origin", "memory")

    done = run_cli("sync", "--json")

    found = json.loads(done.out)
    assert found == {
        "remote": "origin",
        "fetched": tip(other),
        "merged": "merged",
        "commit": tip(repo),
        "pushed": True,
        "instead": "",
        "added": ["b"],
        "changed": ["a"],
        "retired": [],
        "verdicts": 0,
        "conflicts": [{"key": "a", "short_id": id_of("a"), "path": "learned/a.md", "fields": ["title"]}],
        "companions": [],
        "dry_run": False,
    }


def test_dry_run_and_no_push_report_that_the_remote_does_not_have_it(run_cli: Any, other: Path) -> None:
    foreseen, kept = run_cli("sync", "--dry-run"), run_cli("sync", "--no-push")

    lacks = "origin does not have all memories of this clone"
    assert foreseen.out.startswith("↓ would receive 1 memory, merged with yours\n")
    assert foreseen.out.endswith(f"\n{lacks}; they would be pushed\n")
    assert kept.out.endswith(f"not pushed: {lacks}\n")
    assert [run_cli("sync").out[:1], run_cli("sync").out] == ["↑", "up to date with origin\n"]


def test_protected_branch_is_reported_and_what_is_here_is_sent_to_another_one(
    run_cli: Any, repo: Path, other: Path
) -> None:
    hub = repo.parent / "hub.git"
    before = git(hub, "rev-parse", "memory")
    hook = hub / "hooks" / "pre-receive"
    message = "GH006: Protected branch update failed for refs/heads/memory."
    hook.write_text(
        f"#!/bin/sh\nif grep -q 'refs/heads/memory$'; then echo '{message}'; exit 1; fi\n", encoding="utf-8"
    )
    hook.chmod(0o755)

    refused = run_cli("sync")
    done = run_cli("sync", "--instead", "for-review")
    again = run_cli("sync", "--instead", "for-review", "--json")

    assert (refused.status, done.status, again.status) == (3, 1, 1)
    assert "refs/heads/memory: [remote rejected] (pre-receive hook declined)" in refused.err
    assert "gitmem propose NAME" in refused.err
    assert done.out.splitlines()[-1] == (
        "the memory branch of origin is protected; everything is on its branch for-review, for a pull request"
    )
    message = json.loads(again.out)
    assert (message["pushed"], message["instead"]) == (False, "for-review")
    assert git(hub, "rev-parse", "memory") == before
    assert git(hub, "rev-parse", "for-review") == tip(repo) == message["commit"]


def test_instead_does_not_push_to_a_branch_of_the_code(run_cli: Any, repo: Path, other: Path) -> None:
    hub = repo.parent / "hub.git"
    run_cli("sync")
    git(repo, "push", "-q", "origin", "HEAD:refs/heads/code")
    hook = hub / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nif grep -q 'refs/heads/memory$'; then echo 'GH006'; exit 1; fi\n", encoding="utf-8")
    hook.chmod(0o755)
    run_cli("remember", "Deploys need the VPN")
    before, mine = git(hub, "for-each-ref"), tip(repo)

    refused = run_cli("sync", "--instead", "code")
    wrong = [run_cli("sync", "--instead", name) for name in ("HEAD", "refs/heads/code", "a..b", "x y")]

    assert refused.status == 3 and "code of origin is not a memory store" in refused.err and "--instead" in refused.err
    assert [done.status for done in wrong] == [2] * 4
    assert (git(hub, "for-each-ref"), tip(repo)) == (before, mine)


def test_the_first_sync_says_that_the_remote_had_no_memory(run_cli: Any, repo: Path, other: Path) -> None:
    git(repo, "init", "-q", "--bare", "../new.git")
    git(repo, "remote", "add", "new", "../new.git")

    lines = [run_cli("sync", "new").out.splitlines()[-1] for _ in range(2)]

    assert lines == ["↑ 2 memories to new", "up to date with new"]


def test_of_many_conflicts_some_are_named_and_all_are_counted(run_cli: Any, repo: Path, other: Path) -> None:
    names = [f"learned/m{number}.md" for number in range(25)]
    put_files(other, {name: memory_text("Theirs") for name in names})
    git(other, "push", "-q", "origin", "memory")
    put_files(repo, {name: memory_text("Ours") for name in names})

    lines = run_cli("sync").out.split("\n")

    assert len([line for line in lines if "  title" in line]) >= 19
    assert "  to settle: 6 more: gitmem doctor" in lines
    assert any(line.endswith("has both versions: gitmem show m0, gitmem edit m0") for line in lines)


def test_without_a_remote_it_says_what_to_do(run_cli: Any) -> None:
    done = run_cli("sync")

    assert done.status == 3
    assert done.err == (
        "gitmem: error: there is no remote origin to sync with\n  hint: add one: git remote add origin URL\n"
    )
