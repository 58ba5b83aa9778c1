"""The hooks that are offered to pre-commit: the manifest is one, and pre-commit runs its entries.

Here they are hooks of the system: pre-commit would build an environment for each run else, from a package index.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from conftest import commit_files, git, put_files
from support.code_changes import RS256
from support.console import SCRIPTS, Ran, environment, run
from support.facts import make_fact, put

from gitmem.recall.query import Query

MANIFEST = Path(__file__).resolve().parents[2] / ".pre-commit-hooks.yaml"
PRE_COMMIT = SCRIPTS / "pre-commit"
HOOKS = yaml.safe_load(MANIFEST.read_text())
TOKEN = "ghp_x7Qa2LmP9vRt4KsW8nZc3BfY6HdJ1GuE5oTi"
EDDSA = 'ALGORITHM = "EdDSA"\n'


@pytest.fixture(scope="session")
def offered(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository that offers the hooks of the manifest, to be run with what is installed."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("offered") / "gitmem"))
    as_system = [{**hook, "language": "system"} for hook in HOOKS]
    commit_files(folder, {".pre-commit-hooks.yaml": yaml.safe_dump(as_system)})
    return folder


@pytest.fixture(scope="session")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment, with one place for all that pre-commit keeps."""
    return environment(PRE_COMMIT_HOME=str(tmp_path_factory.mktemp("pre-commit")))


def test_manifest_is_one_for_pre_commit(tmp_path: Path) -> None:
    done = run([str(PRE_COMMIT), "validate-manifest", str(MANIFEST)], tmp_path)

    assert (done.status, done.err) == (0, ""), done
    assert all(hook["entry"].startswith("gitmem hook ") and hook["language"] == "python" for hook in HOOKS)


# Of each hook: a stage, what else it is told, and what its run that must fail is told, or None.
STAGES = {
    "gitmem-check": ("pre-merge-commit", [], "tokens  becomes false"),
    "gitmem-doctor": ("pre-commit", [], "learned/b.md"),
    "gitmem-index": ("post-rewrite", ["--rewrite-command", "rebase"], None),
    "gitmem-learned": ("commit-msg", ["--commit-msg-filename", ".git/MESSAGE"], "github-token in line 1"),
}


@pytest.mark.parametrize("hook", [hook["id"] for hook in HOOKS])
def test_every_hook_can_be_tried(memory, repo: Path, offered: Path, env: dict[str, str], hook: str) -> None:
    stage, words, stdin = STAGES[hook]
    put(repo, make_fact("tokens", RS256))
    (repo / ".git" / "MESSAGE").write_text(f"x\n\nLearned: the key is {TOKEN}\n" if stdin else "")
    if hook == "gitmem-check":
        (repo / "src/auth/jwt.py").write_text(EDDSA)
        git(repo, "add", "-A")
    elif hook == "gitmem-doctor":
        put_files(repo, {"learned/b.md": "---\ntitle: [\n---\n"})

    argv = [str(PRE_COMMIT), "try-repo", str(offered), hook, "--hook-stage", stage, *words]
    done = run(argv, repo, env=env)

    assert (done.status, stdin or "Passed") == (int(stdin is not None), stdin or "Passed"), done
    assert (stdin or "Passed") in done.out
    assert TOKEN not in done.out
    # The same as behind the hooks of `gitmem install git-hooks`: both engines.
    state = repo / ".git" / "gitmem"
    assert hook != "gitmem-index" or ((state / "catalog.sqlite").exists() and (state / "whoosh").is_dir())


@pytest.mark.whole_system
def test_day_with_the_hooks_of_pre_commit(memory, repo: Path, offered: Path, env: dict[str, str]) -> None:
    put(repo, make_fact("tokens", RS256))
    wanted = [{"id": "gitmem-check"}, {"id": "gitmem-learned"}]
    offer = {"repo": str(offered), "rev": git(offered, "rev-parse", "HEAD"), "hooks": wanted}
    commit_files(repo, {".pre-commit-config.yaml": yaml.safe_dump({"repos": [offer]}), "notes": "1"})
    stages = [word for stage in ("pre-commit", "commit-msg", "post-commit") for word in ("-t", stage)]
    assert run([str(PRE_COMMIT), "install", *stages], repo, env=env).status == 0

    def commit(*args: str) -> Ran:
        return run(["git", "commit", *args], repo, env=env)

    # One file is committed while another one, staged, would make a fact false: git uses an index of its own for it.
    (repo / "src/auth/jwt.py").write_text(EDDSA)
    git(repo, "add", "-A")
    (repo / "notes").write_text("2")
    partial = commit("-m", "notes\n\nLearned: the gateway drops idle connections", "notes")
    stopped = commit("-m", "EdDSA")

    assert partial.status == 0, partial
    assert "the gateway drops idle connections" in [hit.title for hit in memory.list(Query()).hits]
    assert (stopped.status, "tokens  becomes false" in stopped.out + stopped.err) == (1, True), stopped
    assert git(repo, "status", "--porcelain") == "M  src/auth/jwt.py"
