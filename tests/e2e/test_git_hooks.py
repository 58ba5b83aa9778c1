"""A person's day with the hooks installed: git behaves as ever, and what was learnt and changed is found at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from conftest import commit_files, git
from support.console import Console, at_rest, environment, run, wait_until

MINE = '#!/bin/sh\necho "mine: $*"\nexit {status}\n'


def git_as_person(folder: Path, *args: str) -> tuple[int, str, str]:
    """Run git with hooks, and gitmem's processes behind it, as on a person's machine."""
    done = run(["git", *args], folder, env=environment(GITMEM_BACKGROUND=None))
    return done.status, done.out, done.err


def indexed(state: Path) -> str:
    """Return the commit that the index shows."""
    with closing(sqlite3.connect(state / "catalog.sqlite")) as db, db:
        found = db.execute("SELECT value FROM meta WHERE name = 'commit'").fetchone()[0]
    db.close()
    return str(found)


def test_day_with_hooks_installed(repo: Path, tmp_path: Path) -> None:
    console, state = Console(repo), repo / ".git" / "gitmem"
    console.ok("init")
    hook = repo / ".git" / "hooks" / "post-checkout"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(MINE.format(status=0))
    hook.chmod(0o755)
    console.ok("install", "git-hooks")

    # A commit says what was learnt: it is found by the next command, and on the branch a moment later.
    (repo / "README.md").write_text("# A better service\n")
    status, _, said = git_as_person(repo, "commit", "-qam", "better\n\nLearned: the gateway drops idle connections")
    found = console.ok("recall", "gateway")
    assert (status, "1 learning captured" in said) == (0, True)
    assert "the-gateway-drops-idle-connections" in found
    assert wait_until(lambda: "Gitmem-Source: capture" in git(repo, "log", "-1", "--format=%B", "memory"))

    # A checkout calls the hook that was there before, and brings the index along behind git.
    console.ok("remember", "a memory of another process")
    git(repo, "update-ref", "refs/heads/memory", git(repo, "rev-parse", "memory~1"))
    status, _, said = git_as_person(repo, "checkout", "-q", "-b", "topic")
    assert (status, said.count("mine: "), said.count("\n")) == (0, 1, 1)
    assert wait_until(lambda: indexed(state) == git(repo, "rev-parse", "memory"))
    assert wait_until((state / "whoosh" / "stamp.json").exists)  # no question has needed it yet

    # A rebase of many commits, one of which says something that no hook had seen.
    for n in range(12):
        commit_files(repo, {f"f{n}": f"{n}"}, f"{n}\n\nLearned: twelve is enough" if n == 5 else str(n))
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"up": "stream"})
    git(repo, "checkout", "-q", "topic")
    status, _, said = git_as_person(repo, "rebase", "-q", "main")
    assert (status, [line for line in said.splitlines() if not line.startswith("mine: ")]) == (0, [])
    assert wait_until(lambda: "twelve-is-enough" in git(repo, "ls-tree", "-r", "--name-only", "memory"))

    # A linked work tree shares the hooks; nothing of the person's was touched, and nothing failed behind them.
    linked = tmp_path / "linked"
    git_as_person(repo, "worktree", "add", "-q", str(linked), "-b", "linked")
    assert wait_until(lambda: at_rest(state)), [
        (path.name, path.read_text()) for path in (state / "background").iterdir() if path.is_file()
    ]
    assert git(repo, "status", "--porcelain", "--ignored") == git(linked, "status", "--porcelain", "--ignored") == ""
    assert "error" not in (state / "background" / "log").read_text()

    # The person's own hook decides as before, and is back byte for byte afterwards.
    hook.with_name("post-checkout.before-gitmem").write_text(MINE.format(status=9))
    with_hooks = git_as_person(repo, "checkout", "-q", "main")
    console.ok("uninstall", "git-hooks")
    git(repo, "-c", "core.hooksPath=/dev/null", "checkout", "-q", "topic")
    without = git_as_person(repo, "checkout", "-q", "main")
    assert with_hooks[0] == without[0] != 0
    assert hook.read_text() == MINE.format(status=9)
    assert [path for path in hook.parent.iterdir() if b"gitmem" in path.name.encode() + path.read_bytes()] == []


def test_commit_that_makes_a_fact_false_is_stopped_where_that_was_asked_for(repo: Path, tmp_path: Path) -> None:
    console, linked = Console(repo), tmp_path / "linked"
    console.ok("init")
    console.ok(
        "fact", "Tokens are signed with RS256", "--contains", "RS256", "--in", "src/auth/*.py", "--key", "tokens"
    )
    console.ok("install", "git-hooks", "--check")
    git_as_person(repo, "worktree", "add", "-q", str(linked), "-b", "linked")
    (linked / "src/auth/jwt.py").write_text("EdDSA\n")
    (linked / "README.md").write_text("more\n")

    partial = git_as_person(linked, "commit", "-qm", "one file", "README.md")
    stopped = git_as_person(linked, "commit", "-qam", "all")
    forced = git_as_person(linked, "commit", "-qam", "all", "--no-verify")
    git_as_person(repo, "commit", "-q", "--allow-empty", "-m", "ours")
    merged = git_as_person(repo, "merge", "-q", "-m", "merged", "linked")

    assert partial == (0, "", "")
    assert (stopped[0], "tokens  becomes false" in stopped[1] + stopped[2]) == (1, True), stopped
    assert (forced[0], merged) == (0, (0, "", ""))  # what is merged was false before
