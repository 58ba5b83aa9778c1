"""The workflow's own scripts, run as a forge runs them: in fresh clones; and results from a disk that is read-only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import commit_files, git
from console import environment, gitmem
from proving import make_fact, put

from gitmem.app import Memory
from gitmem.verify.schedule import WORKFLOW

BIN = Path(sys.executable).parent


@pytest.fixture
def hub(repo: Path, memory: Memory) -> Path:
    """Return a bare repository with code, memory, a reviewed list and the workflow of two shards."""
    put(
        repo,
        make_fact("builtin", {"exists": "README.md"}),
        make_fact("command", "echo ::warning::x; grep -q service README.md", paths=["README.md"]),
        make_fact("fails", "echo '::error::pwned'; exit 1", paths=["README.md"]),
    )
    memory.install_github(every="daily", shards=2)
    memory.close()
    specs = [due.row.spec for due in memory.commands()]
    commit_files(repo, {".github/gitmem-approved": "".join(f"{spec}\n" for spec in specs)})
    folder = repo.parent / "hub.git"
    git(repo.parent, "clone", "-q", "--bare", str(repo), str(folder))
    return folder


def run_step(script: str, cwd: Path, temp: Path, *wrap: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a step's script as the runner does."""
    env = environment(RUNNER_TEMP=str(temp), PATH=f"{BIN}{os.pathsep}{os.environ['PATH']}", **variables)
    argv = [*wrap, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script]
    return subprocess.run(argv, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.skipif(not (BIN / "gitmem").exists(), reason="the console script is not installed")
def test_both_jobs_bring_every_verdict_to_the_remote(repo: Path, hub: Path, tmp_path: Path) -> None:
    jobs = yaml.safe_load((repo / WORKFLOW).read_text(encoding="utf-8"))["jobs"]
    steps = {step["name"]: step["run"] for job in jobs.values() for step in job["steps"] if "name" in step}
    printed = ""
    for number in ("1", "2"):
        clone, temp = tmp_path / f"verify-{number}", tmp_path / "results" / f"gitmem-results-{number}"
        git(tmp_path, "clone", "-q", str(hub), str(clone))
        temp.mkdir(parents=True)

        done = run_step(steps["Verify"], clone, temp, SHARD=number)

        assert done.returncode == 0, done.stdout + done.stderr
        printed += done.stdout.split("::stop-commands::", 1)[1].split("\n", 1)[1].rsplit("\n::", 1)[0]
    assert not any(line.lstrip().startswith("::") for line in printed.split("\n"))
    assert "3 due" not in printed
    record = tmp_path / "record"
    git(tmp_path, "clone", "-q", str(hub), str(record))
    (tmp_path / "temp").mkdir()
    (tmp_path / "results").rename(tmp_path / "temp" / "gitmem-results")

    done = run_step(steps["Record and push"], record, tmp_path / "temp", PUSH_TOKEN="t")

    assert done.returncode == 1, done.stdout + done.stderr  # a fact failed, and the run is red
    assert "3 taken; recorded as" in done.stdout
    assert "::" not in done.stdout + done.stderr
    assert git(hub, "ls-tree", "-r", "--name-only", "memory", "--", "verdicts").count("\n") == 2
    git(tmp_path, "clone", "-q", str(hub), "reader")
    told = json.loads(gitmem(tmp_path / "reader", "status", "--json").out)
    assert (told["statuses"]["verified"], told["statuses"]["failed"]) == (2, 1)


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap, which makes a folder read-only, is not installed")
def test_results_are_written_where_the_repository_is_read_only(repo: Path, memory: Memory, tmp_path: Path) -> None:
    put(repo, make_fact("builtin", {"exists": "README.md"}), make_fact("waits", "make"))
    memory.close()
    wrap = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(repo), str(repo), "--"]

    done = run_step(f"{sys.executable} -m gitmem verify --results '{tmp_path}/part'", repo, tmp_path, *wrap)

    rows = [json.loads(line) for line in (tmp_path / "part").read_text(encoding="utf-8").splitlines()]
    assert done.returncode == 3, done.stdout + done.stderr
    assert [(row["key"], row["outcome"]) for row in rows[1:]] == [("builtin", "holds"), ("waits", "skipped")]
    with Memory(repo) as again:
        assert again.record_results([str(tmp_path / "part")]).taken == ("builtin",)
