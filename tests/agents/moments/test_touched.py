"""The files that a tool touched, as paths in the work tree: of a script, those that changed since the last event."""

from __future__ import annotations

import os
from pathlib import Path

from conftest import commit_files
from support.agent_work import edited, ran

from gitmem.agents import on_event
from gitmem.agents.moments.touched import named_in, touched_by
from gitmem.memory import Memory

SCRIPT = "python3 - <<'EOF'\nimport tool\ntool.run()\nEOF"


def test_script_changed_what_is_newer_than_the_event_before(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"old.py": "1\n", "new.py": "1\n", "same.py": "1\n"})
    (repo / "old.py").write_text("2\n", encoding="utf-8")
    os.utime(repo / "old.py", (1_000_000_000, 1_000_000_000))
    on_event.tool_used(memory, ran(repo, "ls"))
    (repo / "new.py").write_text("2\n", encoding="utf-8")

    assert touched_by(memory.repository, ran(repo, SCRIPT)) == ([], ["new.py"])


def test_without_an_event_before_nothing_is_known_to_have_changed(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"new.py": "1\n"})
    (repo / "new.py").write_text("2\n", encoding="utf-8")

    assert touched_by(memory.repository, ran(repo, SCRIPT)) == ([], [])


def test_folders_and_files_elsewhere_do_not_count(memory: Memory, repo: Path) -> None:
    (repo / "src").mkdir(exist_ok=True)

    assert touched_by(memory.repository, ran(repo, "grep -rn TODO src; cat /etc/hostname ../x")) == ([], [])
    assert touched_by(memory.repository, edited(repo, "src/a.py")) == ([], ["src/a.py"])


def test_command_names_files_and_folders_by_their_paths(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"srv/billing/a_test.go": "1\n", "tests/unit/test_a.py": "1\n"})
    lines = {
        "cd srv && go test ./billing/... -run=X": ["srv/billing/"],
        "pytest -q tests/unit/test_a.py::test_b | tail": ["tests/unit/test_a.py"],
        "make -C srv; ls /etc/hosts ../x no/such": [],
    }

    assert {line: named_in(memory.repository, ran(repo, line)) for line in lines} == lines
