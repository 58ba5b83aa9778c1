"""How many git processes a typical command starts: each takes milliseconds, and far more on some systems."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files
from support.facts import approve_all, make_fact

from gitmem.memory import Memory
from gitmem.verify.sandbox import sandbox

JWT = "src/auth/jwt.py"
FACTS = (
    make_fact("builtin", {"contains": "RS256", "in": "src/auth/*.py"}),
    make_fact("program", ["grep", "-q", "RS256", JWT], paths=[JWT]),
    make_fact("other", ["test", "-f", "README.md"], paths=["README.md"]),
)
# git itself starts others, which do not go through PATH: what counts is what gitmem starts.
COUNTING = '#!/bin/sh\nprintf "%s\\n" "$*" >>"{log}"\nexec "{git}" "$@"\n'


@pytest.fixture
def started(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Return a function that runs a command of gitmem in a verified store, and returns what git was asked."""
    hub, log, real = tmp_path / "hub.git", tmp_path / "log", shutil.which("git")
    git(tmp_path, "init", "-q", "--bare", str(hub))
    git(repo, "remote", "add", "origin", str(hub))
    git(repo, "push", "-q", "origin", "main")
    git(repo, "branch", "change")
    put_files(repo, {"gitmem.toml": "format = 2\n"} | {path: text for one in FACTS for path, text in one.items()})
    with Memory(repo) as memory:
        approve_all(memory)
    folder = tmp_path / "counting"
    folder.mkdir()
    (folder / "git").write_text(COUNTING.format(log=log, git=real))
    (folder / "git").chmod(0o755)

    def run(*argv: str, status: int = 0) -> list[str]:
        log.write_text("")
        env = os.environ | {"PATH": f"{folder}:{os.environ['PATH']}", "GITMEM_TRACE": "auto"}
        done = subprocess.run(
            [sys.executable, "-m", "gitmem", *argv], cwd=repo, env=env, capture_output=True, text=True, check=False
        )
        assert done.returncode == status, done.stderr + done.stdout
        lines = log.read_text().splitlines()
        return [line.partition("core.quotePath=false ")[2] or line for line in lines]

    run("verify", "--all")
    run("sync")
    return run


def has_overlays(repo: Path) -> bool:
    """Return whether one scratch clone serves all checks of a commit here."""
    path = os.environ["PATH"]
    return sandbox.probe_overlay(path, repo / ".git" / "gitmem" / "ground", sandbox.probe(path))


# What a command may start after a commit on a branch, and its exit status; those that write nothing first.
MOST = (
    ("main", ("sync",), 0, 4),
    ("main", ("status",), 0, 4),
    ("main", ("verify",), 1, 22),
    ("change", ("check",), 1, 18),
    ("main", ("remember", "The gateway drops idle connections"), 0, 2),
)


@pytest.mark.whole_system
def test_commands_after_a_commit_start_few_git_processes(started: Callable[..., list[str]], repo: Path) -> None:
    spare = 0 if has_overlays(repo) else 2  # a second scratch clone, which is checked out as well

    for number, (branch, argv, status, most) in enumerate(MOST):
        git(repo, "checkout", "-q", branch)
        commit_files(repo, {JWT: f'ALGORITHM = "HS{number}"\n'})

        found = started(*argv, status=status)

        assert len(found) <= most + spare * (argv[0] in ("verify", "check")), f"{argv}:\n" + "\n".join(found)
