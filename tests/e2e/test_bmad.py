"""The module for the BMAD method, installed by BMAD's own installer from npm's registry; only where TEST_NPM is set.

TEST_NPM=1 python -m pytest tests/e2e/test_bmad.py
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import sys
from pathlib import Path

import pytest
from support.console import Console, environment, run

from gitmem.commands.install.client_files import BMAD_WORKFLOWS

VERSION = "6.12.0"

pytestmark = pytest.mark.skipif(
    not (os.environ.get("TEST_NPM") and shutil.which("npm")), reason="set TEST_NPM, and have node and npm"
)


@pytest.fixture(scope="module")
def bmad(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return BMAD's program, which ``npx bmad-method`` would run."""
    folder = tmp_path_factory.mktemp("bmad")
    argv = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder), f"bmad-method@{VERSION}"]
    done = run(argv, folder, env=environment(HOME=str(folder)))
    assert done.status == 0, done
    return str(folder / "node_modules/.bin/bmad-method")


def install(bmad: str, repo: Path, command: str, *options: str) -> None:
    """Type a command that gitmem printed."""
    npx, name, *words = shlex.split(command)
    assert (npx, name) == ("npx", "bmad-method")
    done = run([bmad, *words, *options], repo, env=environment(HOME=str(repo.parent)))
    assert done.status == 0, done


def find_command(text: str) -> str:
    found = re.search(r"npx bmad-method .*?(?=, then|$)", text, re.MULTILINE)
    assert found, text
    return found[0]


@pytest.mark.parametrize("is_there", [False, True], ids=["a new BMAD", "a BMAD with other modules"])
def test_the_printed_command_installs_the_module_and_workflows_use_its_skills(
    bmad: str, repo: Path, is_there: bool
) -> None:
    console = Console(repo)
    console.ok("init")
    if is_there:
        install(bmad, repo, "npx bmad-method install --directory . --modules bmm --tools claude-code --yes")
    first = console.ok("install", "bmad")
    assert not list(repo.glob("_bmad/custom/bmad-*.toml")), "no workflow uses skills that are not there"
    assert ("bmad-module-missing" in console("doctor").out) == is_there

    install(bmad, repo, find_command(first), *([] if is_there else ["--tools", "claude-code", "--yes"]))
    second = console.ok("install", "bmad")
    third = console.ok("install", "bmad")

    assert (repo / ".claude/skills/gitmem-pre-work/SKILL.md").is_file()
    assert "name: bmm" in (repo / "_bmad/_config/manifest.yaml").read_text()
    assert "next:" not in second + third
    assert "bmad" not in console("doctor").out
    for workflow, (before, after) in BMAD_WORKFLOWS.items():  # as the workflow itself reads its settings
        script = [sys.executable, "_bmad/scripts/resolve_customization.py", "--skill", f".claude/skills/{workflow}"]
        settings = json.loads(run([*script, "--key", "workflow"], repo).out)["workflow"]
        found = (settings["activation_steps_append"], settings["on_complete"])
        assert re.findall(r"gitmem-(\S+)", str(found)) == [skill for skill in (before, after) if skill], workflow
