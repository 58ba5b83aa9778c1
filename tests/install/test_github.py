"""The workflow for GitHub: least rights, pinned actions, well formed, and what somebody changed is never lost."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from conftest import git

from gitmem.app import Memory
from gitmem.errors import GitmemError, UsageError
from gitmem.verify.schedule import WORKFLOW


@pytest.fixture
def written(memory: Memory, repo: Path) -> Path:
    memory.install_github(every="daily", shards=3)
    return repo / WORKFLOW


def loaded(path: Path) -> dict:
    # `on` is a truth value in YAML 1.1, which is what the loader reads.
    return yaml.safe_load(path.read_text(encoding="utf-8").replace("\non:", '\n"on":'))


def test_rights_are_the_least_and_apart(written: Path) -> None:
    table = loaded(written)

    verify, record = table["jobs"]["verify"], table["jobs"]["record"]
    assert table["permissions"] == {}
    assert (verify["permissions"], record["permissions"]) == ({"contents": "read"}, {"contents": "write"})
    assert set(table["on"]) == {"schedule", "workflow_dispatch"}
    assert "token" not in str(verify["steps"][:3]).lower().replace("stop-commands", "")
    assert not any("secrets." in str(step) or "github.token" in str(step) for step in verify["steps"])
    assert "--record-results" in record["steps"][-1]["run"]
    assert not re.search(r"gitmem (verify --a|verify --s|check|why)", str(record))
    minute = int(table["on"]["schedule"][0]["cron"].split()[0])
    assert minute % 30 != 0
    assert verify["strategy"]["matrix"]["shard"] == [1, 2, 3]
    assert '"$SHARD/3"' in str(verify["steps"][-2]["run"])


def test_actions_are_pinned_and_leave_no_credentials(written: Path) -> None:
    steps = [step for job in loaded(written)["jobs"].values() for step in job["steps"]]
    uses = [step for step in steps if "uses" in step]

    assert len(uses) == 6
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", step["uses"]) for step in uses)
    checkouts = [step["with"] for step in uses if "checkout" in step["uses"]]
    assert checkouts == [{"fetch-depth": 0, "persist-credentials": False}] * 2
    assert all("${{" not in step.get("run", "") for step in steps)


LINTERS = {
    "zizmor": ["--offline", "--quiet"],
    "check-jsonschema": ["--builtin-schema", "vendor.github-workflows"],
}


@pytest.mark.parametrize("name", LINTERS)
def test_linters_find_nothing(written: Path, name: str) -> None:
    program = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if program is None:
        pytest.skip(f"{name} is not installed")

    done = subprocess.run([program, *LINTERS[name], str(written)], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_scripts_are_sound_shell_and_the_token_is_in_no_file(written: Path, repo: Path) -> None:
    steps = [step for job in loaded(written)["jobs"].values() for step in job["steps"] if "run" in step]
    for step in steps:
        subprocess.run(["bash", "-n"], input=step["run"], text=True, check=True)
    helper = next(line for line in steps[-1]["run"].split("\n") if "credential.helper" in line)

    subprocess.run(["bash", "-ec", helper], cwd=repo, check=True)
    env = {**os.environ, "PUSH_TOKEN": "t0k3n", "GIT_TERMINAL_PROMPT": "0"}
    filled = subprocess.run(
        ["git", "credential", "fill"], cwd=repo, env=env, input="url=https://github.com/a/b\n\n", text=True,
        capture_output=True, check=True,
    )  # fmt: skip

    assert "username=x-access-token\npassword=t0k3n\n" in filled.stdout
    assert "t0k3n" not in (repo / ".git/config").read_text(encoding="utf-8")


def test_again_changes_nothing_and_other_options_write_it_anew(memory: Memory, written: Path) -> None:
    assert [step.what for step in memory.install_github(every="daily", shards=3)] == ["keep"]
    assert [step.what for step in memory.install_github(every="6h", package="git-memory-store==9")] == ["update"]
    assert "git-memory-store==9" in written.read_text(encoding="utf-8")
    assert [one.every for one in memory.schedules()] == ["6h"]


def test_file_that_somebody_changed_stays_and_the_difference_is_shown(written: Path, run_cli) -> None:
    changed = written.read_text(encoding="utf-8").replace("timeout-minutes: 60", "timeout-minutes: 90")
    written.write_text(changed, encoding="utf-8")

    kept, left = run_cli("install", "github"), run_cli("uninstall", "github")

    assert (kept.status, left.status) == (1, 1)
    assert "-    timeout-minutes: 90\n+    timeout-minutes: 60\n" in kept.out
    assert written.read_text(encoding="utf-8") == changed
    assert run_cli("install", "github", "--force").status == 0
    assert "timeout-minutes: 60" in written.read_text(encoding="utf-8")


def test_taking_it_away_leaves_the_work_tree_as_it_was(memory: Memory, written: Path, repo: Path) -> None:
    memory.uninstall_github()

    assert not (repo / ".github").exists()
    assert git(repo, "status", "--porcelain") == ""


def test_nothing_is_written_through_a_link_or_into_a_bare_repository(memory: Memory, repo: Path) -> None:
    (repo.parent / "elsewhere").mkdir()
    (repo / ".github").symlink_to(repo.parent / "elsewhere")

    with pytest.raises(GitmemError, match="through a link"):
        memory.install_github(every="daily")
    with pytest.raises(UsageError):
        memory.install_github(every="daily", shards=1000)
    with pytest.raises(UsageError):
        memory.install_github(every="daily", package='x"; curl evil')

    assert list((repo.parent / "elsewhere").iterdir()) == []
