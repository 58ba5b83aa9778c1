"""Checks of what files state: recorded, broken by a commit, reported, traced to it, and moved with their file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git

FACTS = {
    "python": ("--value", "pyproject.toml#project.requires-python", "--at-least", "3.11"),
    "same-node": ("--agree", ".nvmrc", "package.json#engines.node"),
    "has-lint": ("--script", "lint"),
    "has-vite": ("--depends", "vite", "--at", "^5"),
    "signs": ("--symbol", "Signer.sign", "--in", "src/**"),
}
GOOD = {
    "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.11"\n',
    ".nvmrc": "20\n",
    "package.json": (
        '{"engines": {"node": "20"},\n"scripts": {"lint": "eslint"},\n"devDependencies": {"vite": "^5.1.0"}}\n'
    ),
    "src/sign.py": "class Signer:\n    def sign(self):\n        return 1\n",
}
BREAKS = {
    "python": {"pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.10"\n'},
    "same-node": {".nvmrc": "22\n"},
    "has-lint": {"package.json": GOOD["package.json"].replace("lint", "check")},
    "has-vite": {"package.json": GOOD["package.json"].replace("^5.1.0", "^6.0.0")},
    "signs": {"src/sign.py": GOOD["src/sign.py"].replace("def sign", "def sign_token")},
}
REASONS = {
    "python": "pyproject.toml:3 states >=3.10, not at least 3.11",
    "same-node": ".nvmrc:1 states 22, and package.json:1 20",
    "has-lint": "no target lint in package.json, pyproject.toml",
    "has-vite": "package.json:3 states ^6.0.0, not vite ^5",
    "signs": "no file of src/** defines Signer.sign",
}


@pytest.mark.parametrize("key", FACTS)
def test_commit_that_makes_a_statement_false_is_caught_and_found(key: str, run_cli, repo: Path) -> None:
    commit_files(repo, GOOD)
    run_cli("init")
    assert run_cli("fact", f"Fact {key}", *FACTS[key], "--key", key).status == 0
    good = git(repo, "rev-parse", "HEAD")
    commit_files(repo, BREAKS[key], "break it")
    bad = git(repo, "rev-parse", "HEAD")
    commit_files(repo, {"notes.txt": "later\n"}, "later")

    checked = json.loads(run_cli("check", "--base", good, "--json").out)
    verified = json.loads(run_cli("verify", "--json").out)
    why = json.loads(run_cli("why", key, "--json").out)

    assert [(one["key"], one["because"]) for one in checked["newly_false"]] == [(key, REASONS[key])]
    assert [(one["outcome"], one["because"]) for one in verified["results"]] == [("fails", REASONS[key])]
    assert why["culprit"]["commit"] == bad


def test_value_follows_its_file_when_git_renames_it(run_cli, repo: Path) -> None:
    commit_files(repo, {"config/limits.toml": "[retry]\nmost = 3\n# enough text for git to see that it was moved\n"})
    run_cli("init")
    run_cli("fact", "Retries are capped", "--value", "config/limits.toml#retry.most", "--is", "3", "--key", "cap")
    git(repo, "mv", "config/limits.toml", "config/retry.toml")
    git(repo, "commit", "-qm", "rename it")

    verified = json.loads(run_cli("verify", "--json").out)

    assert [(one["outcome"], one["because"]) for one in verified["results"]] == [
        ("holds", "config/retry.toml:2 states 3; moved from config/limits.toml")
    ]
