"""The files for GitLab read by gitlab-ci-local, and those for GitHub by act: skipped where these are not installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from conftest import PINNED, commit_files, git

from gitmem.commands.install.ci_files import GITHUB, GITLAB, texts
from gitmem.commands.install.ci_options import FORGEJO, CiOptions

OWN = "include:\n  - local: .gitlab/gitmem.yml\ntest:\n  script: [make]\n"


def program(name: str) -> str:
    """Return a program that works here, or skip the test."""
    found = shutil.which(name) or ""
    if not found or subprocess.run([found, "--version"], capture_output=True, check=False).returncode:
        pytest.skip(f"{name} is not installed, or does not start")
    return found


@pytest.mark.parametrize(("branch", "runs"), [("main", ["test"]), ("patch", ["gitmem-check", "gitmem-note", "test"])])
def test_gitlab_runs_the_check_beside_the_project_s_own_jobs(repo: Path, branch: str, runs: list[str]) -> None:
    runner = program("gitlab-ci-local")
    wanted = CiOptions(package=PINNED, has_merge_pipelines=False)
    commit_files(repo, {".gitlab-ci.yml": OWN, **texts(GITLAB, wanted)})
    git(repo, "remote", "add", "origin", "git@gitlab.example.org:acme/shop.git")
    git(repo, "checkout", "-q", "-B", branch)

    env = {**os.environ, "GCL_STATE_DIR": ".gitlab-ci-local"}
    done = subprocess.run([runner, "--list-json"], cwd=repo, env=env, capture_output=True, text=True, check=True)

    jobs = {job["name"]: job["when"] for job in json.loads(done.stdout)}
    assert sorted(name for name, when in jobs.items() if when != "never") == runs


@pytest.mark.parametrize("forge", [GITHUB, FORGEJO])
def test_workflows_are_read_by_act(repo: Path, forge: str) -> None:
    runner = program("act")
    commit_files(repo, texts(forge, CiOptions(package=PINNED, adopt=True)))

    words = [runner, "--list", "-W", f".{forge}/workflows"]
    done = subprocess.run(words, cwd=repo, capture_output=True, text=True, check=True)

    assert {"check", "plan", "verify", "record", "write", "comment", "adopt"} <= set(done.stdout.split())
