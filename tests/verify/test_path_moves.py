"""``exists``, ``absent`` and checks with ``exactly`` are about the path; the others follow the content and say so."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git
from support.each import each
from support.facts import outcomes, result_of, statuses, verify

from gitmem.document.fields import check_fields
from gitmem.errors import FormatError
from gitmem.memory import Memory
from gitmem.model import PROGRAM, SHELL, Check
from gitmem.verify.moves import list_paths

DEPLOY = "".join(f"echo step {number}\n" for number in range(9))


@pytest.fixture
def scripts(memory: Memory, repo: Path) -> Path:
    """Return the repository with scripts and a folder, and facts about their paths and content."""
    commit_files(
        repo, {"deploy.sh": DEPLOY, "ops/a.sh": f"{DEPLOY}a\n", "ops/b.sh": f"{DEPLOY}b\n" * 2, "ops/c.sh": "c\n"}
    )
    memory.fact("CI calls deploy.sh", key="ci", exists="deploy.sh")
    memory.fact("There is no ship.sh", key="no-ship", absent="ship.sh")
    memory.fact("It has step 3", key="steps", contains="step 3", within="deploy.sh")
    memory.fact("deploy.sh has step 4", key="exact", contains="step 4", within="deploy.sh", exactly=True)
    for name in "abc":
        memory.fact(f"ops has {name}", key=f"ops-{name}", exists=f"ops/{name}.sh")
    return repo


def move(repo: Path, *pairs: tuple[str, str]) -> str:
    """Rename files or folders in one commit."""
    for old, new in pairs:
        git(repo, "mv", old, new)
    git(repo, "commit", "-q", "-m", "move")
    return git(repo, "rev-parse", "HEAD")


def test_path_that_moved_makes_its_facts_false_by_the_commit_that_moved_it(memory: Memory, scripts: Path) -> None:
    commit = move(scripts, ("deploy.sh", "ship.sh"))

    run = verify(memory)

    assert outcomes(run) == {"ci": "fails", "exact": "fails", "no-ship": "fails", "steps": "holds"}
    assert result_of(run, "ci").because == "deploy.sh moved to ship.sh"
    assert result_of(run, "exact").because == "deploy.sh moved to ship.sh"
    assert result_of(run, "no-ship").because == "ship.sh exists"
    assert result_of(run, "steps").because.endswith("; moved from deploy.sh")
    shown = [memory.show(key).document["verdict"]["culprit"] for key in ("ci", "exact", "no-ship")]
    assert set(shown) == {commit}
    assert {memory.why(key).found.culprit for key in ("ci", "no-ship")} == {commit}


def test_facts_that_one_move_makes_false_are_one_line_everywhere(memory, scripts, run_cli) -> None:
    base = git(scripts, "rev-parse", "HEAD")
    move(scripts, ("ops", "tools"))

    checked = run_cli("check", "--base", base)
    verified = run_cli("verify")
    status = run_cli("status")

    assert (checked.status, verified.status) == (1, 1)
    for shown in (checked.out, verified.out, status.out):
        lines = [line for line in shown.splitlines() if "ops" in line]
        assert len(lines) == 1, shown
        assert "3 facts" in lines[0]
        assert "ops moved to tools" in lines[0]
        assert "ops moved to tools, broken by" in lines[0] or shown is checked.out
        assert "gitmem settle --moved" in lines[0]
        assert "ops-a, ops-b, ops-c" in lines[0]


def test_moves_are_accepted_together_in_one_commit(memory, scripts, run_cli) -> None:
    move(scripts, ("ops", "tools"), ("deploy.sh", "ship.sh"))
    verify(memory)
    before = git(scripts, "rev-parse", "memory")

    preview = run_cli("settle", "--moved", "--dry-run")
    assert git(scripts, "rev-parse", "memory") == before
    done = run_cli("settle", "--moved")

    assert "ci  {exists: deploy.sh} → {exists: ship.sh}" in preview.out
    assert done.status == 0, done.err
    assert git(scripts, "log", "--format=%s", f"{before}..memory").count("follow moved files") == 1
    shown = git(scripts, "show", "memory:facts/exact.md")
    assert "verify: {contains: step 4, in: ship.sh, exactly: true}" in shown
    found = statuses(memory)
    assert found.pop("no-ship") == "failed"
    assert set(found.values()) == {"verified"}


def test_file_that_came_back_makes_its_fact_true_again(memory: Memory, scripts: Path) -> None:
    move(scripts, ("deploy.sh", "ship.sh"))
    verify(memory)

    move(scripts, ("ship.sh", "deploy.sh"))

    verify(memory)
    assert set(statuses(memory).values()) == {"verified"}


def test_file_that_was_deleted_after_its_move_has_no_new_place(memory: Memory, scripts: Path) -> None:
    move(scripts, ("deploy.sh", "ship.sh"))
    verify(memory)
    git(scripts, "rm", "-q", "ship.sh")
    git(scripts, "commit", "-q", "-m", "remove")

    run = verify(memory, everything=True)

    assert result_of(run, "ci").because == "deploy.sh does not exist"


def test_another_clone_sees_the_same(memory, scripts, run_cli, tmp_path) -> None:
    move(scripts, ("deploy.sh", "ship.sh"))
    verify(memory)
    git(tmp_path, "clone", "-q", str(scripts), "other")
    with Memory(tmp_path / "other", clock=lambda: float(NOW)) as other:
        found = {hit.key: hit.status for hit in other.list().hits}

    assert found["ci"] == "failed"
    assert found["steps"] == "verified"


@each(("value", "is_valid"), [(True, True), ("true", True), ("yes", False), (False, False), (1, False)])
def test_exactly_is_true_or_left_out(value: object, is_valid: bool) -> None:
    with pytest.raises(FormatError) if not is_valid else nullcontext():
        check_fields({"title": "t", "verify": {"contains": "x", "in": "a", "exactly": value}})


@each(
    ("check", "followed"),
    [
        (Check(SHELL, ("test -f deploy.sh",)), set()),
        (Check(SHELL, ("[ -e 'deploy.sh' ]",)), set()),
        (Check(SHELL, ("test -f deploy.sh && grep -q x lib/a.py",)), {"deploy.sh", "lib/a.py"}),
        (Check(SHELL, ("sh deploy.sh -f x.sh",)), {"deploy.sh", "x.sh"}),
        (Check(PROGRAM, ("cat", "deploy.sh")), {"deploy.sh"}),
    ],
)
def test_path_whose_existence_a_command_only_tests_is_not_followed(check: Check, followed: set[str]) -> None:
    assert {path for path in list_paths(check) if "." in path} == followed
