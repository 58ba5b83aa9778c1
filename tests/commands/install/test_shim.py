"""The shims: what they call, that they never disturb git, and that hooks/ has the same texts."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from conftest import git
from support.each import each

from gitmem.commands.install import shim

HOOKS = Path(__file__).resolve().parents[3] / "hooks"
# Notes what it was called with, where, and that nothing of git's is left; then waits while a file is there.
FAKE = """#!/bin/sh
echo "$*|$PWD|$(env | grep -c '^GIT_\\(DIR\\|INDEX_FILE\\|WORK_TREE\\)')" >> "{calls}"
echo said-by-gitmem
while [ -e "{calls}.hold" ]; do sleep 0.05; done
"""
SHELLS = [shell for shell in ("dash", "bash", "busybox") if shutil.which(shell)]


@pytest.fixture
def calls(tmp_path: Path) -> Path:
    """Return the file that the fake Python notes its calls in."""
    return tmp_path / "calls"


def set_shims(repo: Path, calls: Path) -> Path:
    """Set shims that call a fake Python, and return the hooks' folder."""
    fake = calls.with_name("python")
    fake.write_text(FAKE.format(calls=calls))
    fake.chmod(0o755)
    (repo / ".git" / "gitmem").mkdir(exist_ok=True)
    for event in shim.EVENTS:
        hook = repo / ".git" / "hooks" / event
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(shim.text_of(event, python=str(fake)))
        hook.chmod(0o755)
    return repo / ".git" / "hooks"


def run_git(repo: Path, *args: str, **variables: str) -> subprocess.CompletedProcess[bytes]:
    """Run git with its hooks, as a person does."""
    env = {name: value for name, value in os.environ.items() if name != "GITMEM_BACKGROUND"} | variables
    return subprocess.run(["git", *args], cwd=repo, env=env, capture_output=True, timeout=60, check=False)


def lines(calls: Path, *, at_least: int = 1) -> list[str]:
    """Return what was called, once it is so many."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        found = calls.read_text().splitlines() if calls.exists() else []
        if len(found) >= at_least:
            return found
        time.sleep(0.01)
    return found


@each("event", [*shim.EVENTS, *shim.CHECKS])
def test_folder_of_the_project_holds_the_same_shims(event: str) -> None:
    path = HOOKS / event

    assert path.read_text() == shim.text_of(event), "run: python hooks/make.py"
    assert os.access(path, os.X_OK)


@each("shell", SHELLS)
@each("event", [*shim.EVENTS, *shim.CHECKS])
def test_shim_is_right_for_every_shell(event: str, shell: str) -> None:
    words = [shell, "sh"] if shell == "busybox" else [shell]

    text = shim.text_of(event, python="/a b'c").encode()
    done = subprocess.run([*words, "-n"], input=text, capture_output=True, check=False)

    assert (done.returncode, done.stderr) == (0, b"")


def test_git_and_its_readers_do_not_wait_for_the_shim(repo: Path, calls: Path) -> None:
    set_shims(repo, calls)
    hold = calls.with_name("calls.hold")
    hold.touch()

    done = run_git(repo, "checkout", "-q", "-b", "other")

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert lines(calls) == [f"-P -m gitmem background checkout|{repo}|0"]
    hold.unlink()


def test_many_checkouts_start_one_process(repo: Path, calls: Path) -> None:
    hook = set_shims(repo, calls) / "post-checkout"

    for _ in range(10):
        subprocess.run([hook, "a", "b", "1"], cwd=repo, check=True, env={"PATH": os.environ["PATH"]})

    time.sleep(0.3)
    assert len(lines(calls)) == 1  # the fake one never takes the list


def test_request_is_never_lost_with_an_ending_process(repo: Path, calls: Path, tmp_path: Path) -> None:
    set_shims(repo, calls)
    folder = repo / ".git" / "gitmem" / "background"
    folder.mkdir()
    asked, mark = folder / "checkout.asked", folder / "checkout.started"
    asked.write_bytes(b"/earlier\0")
    mark.write_text("")
    programs = tmp_path / "programs"
    programs.mkdir()
    # While the shim asks how old the mark is, a process takes what is wanted, does it, and ends.
    find = programs / "find"
    find.write_text(f'#!/bin/sh\ncat "{asked}" >> "{calls}"\nrm -f "{mark}" "{asked}"\necho "{mark}"\n')
    find.chmod(0o755)

    run_git(repo, "checkout", "-q", "-b", "topic", PATH=f"{programs}:{os.environ['PATH']}")

    assert not asked.exists()
    assert calls.read_bytes() == b"/earlier\0" + os.fsencode(repo) + b"\0"


def test_checkout_of_single_files_is_ignored(repo: Path, calls: Path) -> None:
    set_shims(repo, calls)

    run_git(repo, "checkout", "--", "README.md")

    assert not (repo / ".git" / "gitmem" / "background").exists()


@pytest.mark.parametrize("off", ["no-state", "switched-off", "no-gitmem"])
def test_shim_is_silent_without_gitmem(repo: Path, calls: Path, off: str) -> None:
    set_shims(repo, calls)
    variables = {}
    if off == "no-state":
        (repo / ".git" / "gitmem").rmdir()
    elif off == "switched-off":
        variables = {"GITMEM_BACKGROUND": "off"}
    else:
        calls.with_name("python").unlink()
        variables = {"PATH": "/usr/bin:/bin"}
        assert shutil.which("gitmem", path=variables["PATH"]) is None

    ran = [
        run_git(repo, "checkout", "-q", "-b", "other", **variables),
        run_git(repo, "commit", "-q", "--allow-empty", "-m", "x\n\nLearned: a thing", **variables),
        run_git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "y", **variables),
    ]

    assert [(done.returncode, done.stdout, done.stderr) for done in ran] == [(0, b"", b"")] * 3
    assert not calls.exists()


def test_commit_starts_python_only_for_a_message_with_learnings(repo: Path, calls: Path) -> None:
    set_shims(repo, calls)

    run_git(repo, "commit", "-q", "--allow-empty", "-m", "nothing of note")
    done = run_git(repo, "commit", "-q", "--allow-empty", "-m", "x\n\nLEARNED: a thing")

    assert lines(calls) == [f"-P -m gitmem hook post-commit|{repo}|0"]
    assert done.stderr == b"said-by-gitmem\n"


def test_rebase_reports_its_new_commits_once(repo: Path, calls: Path) -> None:
    git(repo, "checkout", "-q", "-b", "topic")
    for n in range(3):
        git(repo, "commit", "-q", "--allow-empty", "-m", f"{n}\n\nLearned: thing number {n}")
    git(repo, "checkout", "-q", "main")
    git(repo, "commit", "-q", "--allow-empty", "-m", "upstream")
    git(repo, "checkout", "-q", "topic")
    set_shims(repo, calls)

    done = run_git(repo, "rebase", "-q", "main")

    assert done.returncode == 0, done.stderr
    new = git(repo, "rev-list", "--reverse", "main..topic").replace("\n", " ")
    found = lines(calls, at_least=2)
    assert sorted(line.split("|")[0] for line in found) == [
        "-P -m gitmem background checkout",
        f"-P -m gitmem hook post-rewrite {new}",
    ]


def test_request_names_the_work_tree_that_git_ran_in(repo: Path, calls: Path, tmp_path: Path) -> None:
    set_shims(repo, calls)
    linked = tmp_path / "linked tree"

    run_git(repo, "worktree", "add", "-q", str(linked), "-b", "linked")

    assert lines(calls) == [f"-P -m gitmem background checkout|{linked}|0"]


def test_separate_git_directory_is_found(repo: Path, calls: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere.git"
    set_shims(repo, calls)
    (repo / ".git").rename(elsewhere)
    other = tmp_path / "tree"
    other.mkdir()
    git(other, "init", "-q")  # whose own repository is another one

    run_git(other, f"--git-dir={elsewhere}", f"--work-tree={other}", "checkout", "-q", "-f", "-b", "more")

    assert lines(calls) == [f"-P -m gitmem background checkout|{elsewhere}|0"]


@pytest.mark.parametrize("event", shim.CHECKS)
def test_commit_is_checked_in_the_foreground_even_if_nothing_may_run_in_the_background(
    repo: Path, calls: Path, event: str
) -> None:
    hook = set_shims(repo, calls) / event
    hook.write_text(shim.text_of(event, python=str(calls.with_name("python"))))
    hook.chmod(0o755)

    subprocess.run([hook], cwd=repo, check=True, env=os.environ | {"GITMEM_BACKGROUND": "off"})

    assert "-m gitmem hook check|" in lines(calls)[-1]


@each("event", [*shim.EVENTS, *shim.CHECKS])
@each("python", ["", "/nowhere/python", "WITHOUT"])
def test_git_continues_silently_after_gitmem_was_uninstalled(
    repo: Path, tmp_path: Path, event: str, python: str
) -> None:
    without = tmp_path / "python"  # what Python says, and its status, where it has no such module
    if not without.exists():  # a hook of the case before may still be starting it
        without.write_text('#!/bin/sh\necho "$0: No module named gitmem" >&2\nexit 1\n')
        without.chmod(0o755)
    (repo / ".git" / "gitmem").mkdir(exist_ok=True)
    hook = tmp_path / event
    hook.write_text(shim.text_of(event, python=python.replace("WITHOUT", str(without))))
    hook.chmod(0o755)

    git(repo, "commit", "-q", "--allow-empty", "-m", "Learned: git goes on")
    done = subprocess.run(
        [hook, "a", "b", "1"], cwd=repo, input=b"", capture_output=True, check=False, env={"PATH": "/usr/bin:/bin"}
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


@pytest.mark.parametrize("event", [*shim.EVENTS, *shim.CHECKS])
def test_line_for_a_person_s_own_hook_does_nothing_without_gitmem(event: str, tmp_path: Path) -> None:
    script = f"{shim.line_of(event)}\necho went on"

    done = subprocess.run(["/bin/sh", "-ec", script], capture_output=True, check=False, env={"PATH": str(tmp_path)})

    assert (done.returncode, done.stdout, done.stderr) == (0, b"went on\n", b"")


def test_line_for_a_person_s_own_hook_stops_a_commit_with_gitmem_s_status(tmp_path: Path) -> None:
    program = tmp_path / "gitmem"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)

    script = f"{shim.line_of('pre-commit')}\necho went on"
    done = subprocess.run(["/bin/sh", "-c", script], capture_output=True, check=False, env={"PATH": str(tmp_path)})

    assert (done.returncode, done.stdout) == (1, b"")
