"""A pull request as a CI checks it: a clone of its own, the branch's history and the default branch's, no approvals."""

from __future__ import annotations

from pathlib import Path

from conftest import commit_files, git
from support.code_changes import RS256
from support.facts import make_fact, put
from support.terminal import environment, gitmem


def test_ci_tells_a_pull_request_what_it_breaks(repo: Path, tmp_path: Path) -> None:
    remote, clone = tmp_path / "remote.git", tmp_path / "ci"
    put(
        repo,
        make_fact("tokens-rs256", RS256, title="Tokens are signed with RS256"),
        make_fact("readme", "touch /tmp/ran-in-ci; test -f README.md", paths=["README.md"]),
    )
    git(repo, "clone", "-q", "--bare", str(repo), str(remote))
    git(repo, "checkout", "-q", "-b", "eddsa")
    commit_files(repo, {"src/auth/jwt.py": 'import jwt\n\nALGORITHM = "EdDSA"\n', "README.md": "# Changed\n"})
    git(repo, "push", "-q", str(remote), "eddsa")
    git(tmp_path, "clone", "-q", "-b", "eddsa", str(remote), str(clone))
    summary = tmp_path / "summary.md"
    env = environment(GITHUB_STEP_SUMMARY=str(summary), GITHUB_ACTIONS="true")

    done = gitmem(clone, "check", "--base", "origin/main", "--format", "github", env=env)

    assert done.status == 1
    assert done.out.splitlines()[1:] == [
        "::error file=src/auth/jwt.py,line=1,title=tokens-rs256 becomes false::“Tokens are signed with RS256” becomes"
        " false: no file of src/auth/*.py contains 'RS256'. To decide what to do: gitmem settle wxlq",
        "gitmem check: not checked until they are approved: readme",
    ]
    assert "### Becomes false (1)" in summary.read_text(encoding="utf-8")
    assert git(clone, "for-each-ref", "--format=%(refname)", "refs/heads") == "refs/heads/eddsa"
    assert git(clone, "status", "--porcelain") == ""
