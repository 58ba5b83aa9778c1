"""gitmem beside real managers of git hooks, from npm's registry; only where TEST_NPM is set, since it takes a network.

TEST_NPM=1 python -m pytest tests/e2e/test_hook_managers.py
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import commit_files, git
from support.console import Console, environment, run

pytestmark = pytest.mark.skipif(
    not (os.environ.get("TEST_NPM") and shutil.which("npm")), reason="set TEST_NPM, and have node and npm"
)
BREAKS = "EdDSA\n"


def commit(folder: Path, message: str, **env: str) -> tuple[int, str]:
    """Commit everything as a person does, with hooks; return the status and what was said."""
    git(folder, "add", "-A")
    done = run(["git", "commit", "-qm", message], folder, env=environment(GITMEM_BACKGROUND=None, **env))
    return done.status, done.out + done.err


def npm(folder: Path, *words: str) -> None:
    """Run npm or what it installed; it must do its work."""
    done = run([*words], folder, env=environment(HOME=str(folder.parent)))
    assert done.status == 0, done


@pytest.fixture
def project(repo: Path) -> Path:
    """Return a repository with a memory, a fact, and a package.json."""
    console = Console(repo)
    console.ok("init")
    console.ok(
        "fact", "Tokens are signed with RS256", "--contains", "RS256", "--in", "src/auth/*.py", "--key", "tokens"
    )
    package = '{"name": "x", "version": "1.0.0", "private": true}\n'
    commit_files(repo, {"package.json": package, ".gitignore": "node_modules\n"})
    return repo


def test_husky_s_own_hooks_and_gitmem_s_are_called(project: Path) -> None:
    console = Console(project)
    npm(project, "npm", "install", "-s", "-D", "husky@9")
    npm(project, "npx", "husky", "init")
    (project / ".husky" / "pre-commit").write_text("! command -v gitmem >/dev/null || gitmem hook check\n")
    (project / ".husky" / "post-commit").write_text("echo of-the-project\n")
    console.ok("install", "git-hooks")
    jwt = project / "src/auth/jwt.py"
    fine = jwt.read_text()

    good = commit(project, "good\n\nLearned: husky and gitmem live together")
    jwt.write_text(BREAKS)
    bad = commit(project, "bad")

    assert (good[0], "of-the-project" in good[1], "1 learning captured" in good[1]) == (0, True, True), good
    assert (bad[0], "tokens  becomes false" in bad[1]) == (1, True), bad
    jwt.write_text(fine)
    npm(project, "npx", "husky")  # as each `npm install` does: it writes its hooks again
    assert "hook-replaced" in console("doctor").out
    console.ok("install", "git-hooks")
    (project / "README.md").write_text("# Again\n")
    assert "1 learning captured" in commit(project, "again\n\nLearned: it can be set again", HUSKY="0")[1]


def test_lefthook_s_hooks_and_gitmem_s_are_called(project: Path) -> None:
    console = Console(project)
    npm(project, "npm", "install", "-s", "-D", "lefthook@2")
    (project / "lefthook.yml").write_text(
        "pre-commit:\n  commands:\n    facts:\n      run: command -v gitmem >/dev/null || exit 0; gitmem hook check\n"
        "post-commit:\n  commands:\n    hello:\n      run: echo of-the-project\n"
    )
    npm(project, "npx", "lefthook", "install")
    console.ok("install", "git-hooks")

    good = commit(project, "good\n\nLearned: lefthook and gitmem live together")
    (project / "src/auth/jwt.py").write_text(BREAKS)
    bad = commit(project, "bad")

    assert (good[0], "of-the-project" in good[1], "1 learning captured" in good[1]) == (0, True, True), good
    assert (bad[0], "tokens  becomes false" in bad[1]) == (1, True), bad
    npm(project, "npx", "lefthook", "install")
    assert "hook-replaced" in console("doctor").out
