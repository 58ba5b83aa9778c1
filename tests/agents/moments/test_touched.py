"""The files that a tool touched, as paths in the work tree: of a script, those that changed since the last event."""

from __future__ import annotations

import os
from pathlib import Path

from conftest import commit_files, git
from support.agent_work import edited, ran

from gitmem.agents import on_event
from gitmem.agents.moments.touched import committed_by, named_in, touched_by
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


def test_commit_takes_what_is_staged_and_named_or_else_all_that_was_changed(memory: Memory, repo: Path) -> None:
    commit_files(repo, {"src/a.py": "1\n", "c.py": "1\n", "done.py": "1\n"})
    (repo / "books").mkdir()
    for name in ("src/a.py", "c.py", "books/a.ipynb"):
        (repo / name).write_text("2\n", encoding="utf-8")
    every = ["books/a.ipynb", "c.py", "src/a.py"]
    lines = {
        "git commit -m x": every,
        'git add -A && git commit -m "Fix rounding in src/a.py"': every,
        "git add . && git commit -m x": every,
        "git commit -qam src/a.py": every,
        'git commit -m"Say 12 mm" c.py': ["c.py"],
        "git commit -mfix c.py": ["c.py"],
        "sed -i s/1/2/ done.py && git commit -qam x": sorted([*every, "done.py"]),
        "git add '*.py' && git commit -m x": every,
        "git add books/ && git commit -m x": ["books/a.ipynb"],
        "git add c.py src/a.py && git commit -m x": ["c.py", "src/a.py"],
        "cd src && git add a.py; git commit -m c.py 2>log": ["src/a.py"],
        "git add done.py && git commit -m x": ["done.py"],
        "git -C books commit -am x": [],
        "SKIP=mypy git commit -qam x": every,
        "env A=1 git add c.py && sudo git commit -m x": ["c.py"],
        "git add 'my file.md' c.py && git commit -m x": every,
        "git commit --amend -m x": [],
        "git add c.py no.py && git commit -m x": [],
        "git ls-files -m | xargs git add && git add c.py && git commit -m x": [],
        "(cd src && make); git add c.py && git commit -m x": [],
        "cd ../elsewhere && git commit -am x": [],
        "GIT_DIR=../o/.git git commit -am x": [],
        "cd $OTHER && git commit -am x": [],
        "cd ~/other && git commit -am x": [],
        "a=$(cd src && pwd); git add a.py && git commit -m x": [],
        "cd src && git add a.py && git commit -m 'fix(a): round'": ["src/a.py"],
    }

    assert {line: sorted(committed_by(memory.repository, ran(repo, line))) for line in lines} == lines
    git(repo, "add", "c.py")
    assert committed_by(memory.repository, ran(repo, "git commit -m x")) == ["c.py"]
    assert committed_by(memory.repository, ran(repo, "git add src && git commit -m x")) == ["c.py", "src/a.py"]


def test_files_of_a_commit_are_unknown_if_git_takes_too_long(memory: Memory, repo: Path, monkeypatch) -> None:
    monkeypatch.setattr("gitmem.agents.moments.touched.GIT_S", 0.0)

    assert committed_by(memory.repository, ran(repo, "git commit -m x")) == []
