"""The optional jobs about documents need no memory: a comment on a pull request, an issue on the default branch."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import PINNED, commit_files, git
from support import forge_server
from support.console import GITMEM
from support.forge_runner import Machine, load

from gitmem.commands.install.ci_files import GITHUB, WRITE, texts
from gitmem.commands.install.ci_options import CiOptions
from gitmem.verify.jobs.schedule import WORKFLOW

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")


@pytest.mark.whole_system
def test_false_statement_is_in_the_comment_and_then_in_the_issue(repo: Path, tmp_path: Path) -> None:
    commit_files(
        repo, {**texts(GITHUB, CiOptions(package=PINNED, adopt=True)), "AGENTS.md": "See `src/auth/jwt.py`.\n"}
    )
    git(tmp_path, "clone", "-q", "--bare", str(repo), "hub.git")
    hub = tmp_path / "hub.git"
    git(repo, "mv", "src/auth/jwt.py", "src/auth/token.py")
    git(repo, "commit", "-qm", "move")
    git(repo, "push", "-q", str(hub), "HEAD:refs/pull/12/merge")
    reading, writing = load(repo / WORKFLOW), load(repo / WRITE)

    def run(name: str, job: str, workflow: dict, **options: dict[str, str]) -> Machine:
        machine = Machine(
            tmp_path / name, hub, tmp_path / f"artifacts-{name[0]}", options.pop("head", "main"), **options
        )
        machine.run(workflow["jobs"][job], workflow=workflow)
        assert machine.status == 0, machine
        return machine

    with forge_server.serving() as rest:
        rest.pulls.append(forge_server.pull(12))
        run("1", "adopt", reading, head="refs/pull/12/merge")
        values = {"github.event.workflow_run.head_sha": forge_server.COMMIT}
        run("1-comment", "comment", writing, values=values, variables=rest.environment())
        git(repo, "push", "-q", str(hub), "HEAD:main")
        plan = run("2-plan", "plan", reading)
        run("2", "adopt", reading, values={"github.event_name == 'pull_request'": "false"})
        run("2-issue", "statements", writing, variables=rest.environment())

    assert "This change makes 1 statement of documents false" in rest.comments[0]["body"]
    assert "src/auth/jwt.py does not exist" in rest.comments[0]["body"]
    assert plan.outputs["plan"]["shards"] == "[]"
    assert "1 statement of documents is false" in rest.issues[0]["body"]
