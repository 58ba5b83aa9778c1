"""The workflow of docs/watch.md that draws a badge: its own script, in a clone as a forge checks it out."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from conftest import git
from proving import make_fact, put, verify

from gitmem.app import Memory

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "watch.md"


def script() -> str:
    """Return what the workflow's last step runs."""
    (text,) = re.findall(r"```yaml\n(# \.github/.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return yaml.safe_load(text)["jobs"]["badge"]["steps"][-1]["run"]


@pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")
def test_badge_is_drawn_onto_a_branch_of_its_own_and_pushed_when_it_changes(repo: Path, tmp_path: Path) -> None:
    forge, runner = tmp_path / "forge.git", tmp_path / "runner"
    with Memory(repo) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", {"exists": "README.md"}))
        verify(memory)
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(forge))

    def run() -> str:
        git(tmp_path, "clone", "-q", f"file://{forge}", str(runner))
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        env = {**os.environ, "RUNNER_TEMP": str(tmp_path), "PUSH_TOKEN": "none", "PATH": path}
        subprocess.run(["bash", "-e", "-c", script()], cwd=runner, env=env, check=True, capture_output=True)
        runner.rename(tmp_path / f"runner-{len(list(tmp_path.iterdir()))}")
        return git(forge, "rev-parse", "refs/heads/gitmem-badge")

    first = run()
    drawn = git(forge, "show", f"{first}:facts.svg")

    assert ElementTree.fromstring(drawn).get("aria-label") == "facts: 1 verified"
    assert run() == first
    put(repo, make_fact("b", {"exists": "none"}))
    with Memory(repo) as memory:
        verify(memory)
    git(repo, "push", "-q", str(forge), "memory")
    assert "1 failed" in git(forge, "show", f"{run()}:facts.svg")
    assert git(forge, "rev-list", "--count", "gitmem-badge") == "1"
