"""A memory branch whose tree holds 10^10 files: every command ends soon, and shows what was before."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from conftest import git
from support.console import GITMEM, Console, environment
from support.fork_server import run_forked
from support.hostile_branch import FILE, FOLDER, blob, tree
from support.payloads import payload

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")

# Seconds that a command may take on a busy machine; without a bound each of them takes days.
SOON_S = 120


def drop(repo: Path, folder: str) -> str:
    """Put a tree of 10^10 files at a folder of the memory branch, as one more commit, and return that."""
    bomb = tree(repo, [(FILE, f"f{n}.md".encode(), blob(repo, b"x")) for n in range(10)])
    for _ in range(9):
        bomb = tree(repo, [(FOLDER, f"d{n}".encode(), bomb) for n in range(10)])
    lines = [line for line in git(repo, "ls-tree", "memory").split("\n") if not line.endswith(f"\t{folder}")]
    whole = git(repo, "mktree", input="\n".join([*lines, f"040000 tree {bomb}\t{folder}\n"]).encode())
    who = ("-c", "user.name=Mallory", "-c", "user.email=m@example.org")
    made = git(repo, *who, "commit-tree", "-p", "memory", "-m", "bomb", whole)
    git(repo, "update-ref", "refs/heads/memory", made)
    return made


@pytest.fixture(scope="module")
def bombed(template: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a repository whose memory branch a bomb was pushed to, and that commit; never change it."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("bombed") / "service", symlinks=True))
    console = Console(folder, GITMEM_VIEW="off")
    console.ok("init")
    console.ok("fact", "The service is named", "--contains", "service", "--in", "README.md", "--key", "named")
    console.ok("remember", "Deploys need the VPN", "--key", "vpn")
    console.ok("verify")
    return folder, drop(folder, "learned")


def ended(folder: Path, *words: str, within_s: float = SOON_S, stdin_text: object = None) -> tuple[int, str]:
    """Return the status of a command, and all that it printed; it must end in time."""
    stdin = b"" if stdin_text is None else json.dumps(stdin_text).encode()
    env = environment(GITMEM_VIEW="off")
    status, out, err = run_forked([*words], str(folder), env, timeout=within_s, stdin=stdin)
    return status, (out + err).decode()


READS = {
    "recall vpn": 0, "status": 0, "list": 0, "show vpn": 0, "context": 0, "verify --dry-run": 0, "check --staged": 0,
    "hook check": 0, "hook doctor": 1, "doctor": 1, "log vpn": 0,
}  # fmt: skip


@pytest.mark.parametrize("command", READS)
def test_what_was_there_before_is_read(bombed: tuple[Path, str], tmp_path: Path, command: str) -> None:
    folder = Path(shutil.copytree(bombed[0], tmp_path / "service", symlinks=True))

    status, printed = ended(folder, *command.split())

    assert status == READS[command], printed
    if command in ("recall vpn", "show vpn", "list"):
        assert "Deploys need the VPN" in printed
    if "doctor" in command:
        assert f"the tree of {bombed[1][:12]} cannot be read (it has more than" in printed


@pytest.mark.parametrize("event", ["SessionStart.startup", "UserPromptSubmit", "PreCompact", "SessionEnd"])
def test_hook_of_an_agent_ends_within_its_time(bombed: tuple[Path, str], tmp_path: Path, event: str) -> None:
    folder = Path(shutil.copytree(bombed[0], tmp_path / "service", symlinks=True))

    status, printed = ended(folder, "hook", "claude-code", stdin_text=payload(f"claude-code/{event}", cwd=str(folder)))

    assert status == 0, printed


def test_view_and_review_are_refused_with_the_commit_that_is_to_blame(bombed: tuple[Path, str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bombed[0], tmp_path / "service", symlinks=True))

    for words in (("view", str(tmp_path / "view")), ("review", "memory~1..memory")):
        status, printed = ended(folder, *words)

        assert status != 0
        assert f"the tree of {bombed[1][:12]} cannot be listed" in printed
        assert f"git show --no-patch {bombed[1]}" in printed


def test_doctor_writes_the_last_good_tree_on_top_and_work_goes_on(bombed: tuple[Path, str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bombed[0], tmp_path / "service", symlinks=True))
    good = git(folder, "rev-parse", "memory~1^{tree}")

    status, printed = ended(folder, "doctor", "--fix")

    assert (status, git(folder, "rev-parse", "memory^{tree}")) == (0, good), printed
    assert git(folder, "rev-parse", "memory~1") == bombed[1]
    assert ended(folder, "remember", "Queues are drained at night")[0] == 0


def test_sync_does_not_take_a_bomb_over(bombed: tuple[Path, str], tmp_path: Path) -> None:
    folder = Path(shutil.copytree(bombed[0], tmp_path / "service", symlinks=True))
    git(tmp_path, "init", "-q", "--bare", "hub.git")
    git(folder, "push", "-q", str(tmp_path / "hub.git"), "memory")
    git(folder, "update-ref", "refs/heads/memory", "memory~1")
    git(folder, "remote", "add", "origin", str(tmp_path / "hub.git"))
    before = git(folder, "rev-parse", "memory")

    status, printed = ended(folder, "sync")

    assert (status, git(folder, "rev-parse", "memory")) == (3, before), printed
    assert f"the tree of {bombed[1][:12]} cannot be listed" in printed
