"""The workflow of docs/watch.md that draws a badge: its own script, in a clone as a forge checks it out."""

from __future__ import annotations

import os
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from conftest import git
from support.facts import make_fact, put, verify
from support.forge_runner import Machine, loaded

from gitmem.memory.memory import Memory

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "watch.md"


def workflow() -> dict:
    """Return the workflow of the page."""
    (text,) = re.findall(r"```yaml\n(# \.github/.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    return loaded(text)


def test_job_that_may_write_installs_nothing() -> None:
    push = workflow()["jobs"]["push"]

    assert push["permissions"] == {"contents": "write"}
    assert [step.get("uses", "").partition("@")[0] for step in push["steps"]] == [
        "actions/checkout",
        "actions/download-artifact",
        "",
    ]
    assert not re.search(r"\bpip\b|\bgitmem badge", push["steps"][-1]["run"])


@pytest.mark.skipif(os.name == "nt", reason="the workflow runs on Linux")
def test_badge_is_drawn_onto_a_branch_of_its_own_and_pushed_when_it_changes(repo: Path, tmp_path: Path) -> None:
    forge = tmp_path / "forge.git"
    with Memory(repo) as memory:
        memory.init(offline=True)
        put(repo, make_fact("a", {"exists": "README.md"}))
        verify(memory)
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(forge))

    def run() -> str:
        folder = tmp_path / f"run-{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, job in workflow()["jobs"].items():
            machine = Machine(folder / name, forge, folder / "artifacts").run(job, workflow=workflow())
            assert machine.status == 0, machine
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
