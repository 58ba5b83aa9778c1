"""``gitmem sources add``: what was typed becomes a source of this clone."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import git


def test_github_repository_defaults_to_the_remote(run_cli, repo: Path) -> None:
    git(repo, "remote", "add", "origin", "git@github.com:acme/shop.git")

    done = run_cli("sources", "add", "github", "--include", "issues,comments", "--since", "2026-01-31")

    assert (done.status, done.out) == (0, "github\n")
    assert "gitmem pull github" in done.err
    (listed,) = json.loads(run_cli("sources", "list", "--json").out)["sources"]
    assert (listed["address"], listed["ref"]) == ("acme/shop", "refs/gitmem/sources/github")


def test_folder_is_relative_to_the_current_folder(run_cli, repo: Path, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()

    inside = run_cli("sources", "add", "docs", "--path", "auth", cwd=repo / "src")
    outside = run_cli("sources", "add", "docs", "--path", "../../notes", "--name", "notes", cwd=repo / "src")

    assert (inside.status, outside.status) == (0, 0)
    sources = repo / ".git/gitmem/sources"
    assert json.loads((sources / "docs.json").read_text())["paths"] == ["src/auth"]
    assert json.loads((sources / "notes.json").read_text())["paths"] == [str(tmp_path / "notes")]


def test_invalid_source_is_an_error_with_a_hint(run_cli, repo: Path) -> None:
    done = run_cli("sources", "add", "jira", "--project", "SHOP")

    assert done.status == 2
    assert "gitmem sources add jira https://acme.atlassian.net --project SHOP" in done.err
