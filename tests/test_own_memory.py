"""What this project says of itself in ``.memory/`` is true: proved as a user's clone would prove it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from conftest import git
from support.facts import Clock, approve_all, outcomes, statuses

from gitmem.memory import Memory
from gitmem.system.environment import search_path
from gitmem.verify.options import Options
from gitmem.verify.sandbox import sandbox

PROJECT = Path(__file__).resolve().parent.parent
APPROVED = ".github/gitmem-approved"
PARTS = (APPROVED, ".memory", "gitmem", "pyproject.toml", "LICENSE")


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository of the files that the facts speak of, as they lie here, committed or not."""
    folder = tmp_path_factory.mktemp("own") / "gitmem"
    for part in PARTS:
        source, target = PROJECT / part, folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "config", "user.name", "Ana")
    git(folder, "config", "user.email", "ana@example.org")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "all")
    return folder


def test_every_fact_of_this_project_holds_and_none_is_weak(clone: Path) -> None:
    with Memory(clone, clock=Clock()) as memory:
        approved = [line for line in (clone / APPROVED).read_text().splitlines() if line[0] != "#"]
        assert approved == [due.approved_line for due in memory.repository.commands()], (
            f"run: gitmem trust --print > {APPROVED}"
        )
        approve_all(memory)
        no_sandbox = sandbox.probe(search_path()) == "none"
        run = memory.verify(options=Options(everything=True, no_sandbox=no_sandbox), report=lambda *_: None)

        assert {key: outcome for key, outcome in outcomes(run).items() if outcome != "holds"} == {}
        assert [r.due.row.key for r in run.results if r.verdict.weak] == []
        assert {r.due.spec.check.form for r in run.results} == {"builtin", "shell", "program"}
        assert set(statuses(memory).values()) == {"verified", ""}
        assert memory.doctor(fix=False).problems == ()
