"""The workflow for Forgejo and Gitea, run as they do: no merge commit, old artifacts, a robot of another name."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW, PINNED, commit_files, git, put_files, tip
from support import forge_server
from support.console import GITMEM
from support.facts import approve_all, make_fact, put, verify
from support.forge_runner import Machine, load, loaded, verify_and_record

from gitmem.commands.install import ci
from gitmem.memory import Memory

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")
# An older runner says that it is Gitea's.
HERE = {"GITHUB_RUN_NUMBER": "99", "GITEA_ACTIONS": "true"}


@pytest.fixture(scope="module")
def project(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with facts, a reviewed list and the workflow of two shards; never change it."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("project") / "service", symlinks=True))
    with Memory(folder, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        put(
            folder,
            make_fact("builtin", {"contains": "service", "in": "README.md"}),
            make_fact("fails", "test ! -e src/broken", paths=["src/**"]),
        )
        approve_all(memory)
        verify(memory, "fails")  # it holds, until somebody breaks it below
        ci.install(memory.repository, "forgejo", {"every": "daily", "shards": 2, "package": PINNED})
        lines = [due.approved_line for due in memory.repository.commands()]
    commit_files(folder, {".forgejo/gitmem-approved": "".join(f"{line}\n" for line in lines), "src/broken": ""})
    return folder


@pytest.fixture
def hub(project: Path, tmp_path: Path) -> Path:
    """Return the bare repository of the forge."""
    git(tmp_path, "clone", "-q", "--bare", str(project), "hub.git")
    return tmp_path / "hub.git"


@pytest.fixture
def rest() -> Iterator[forge_server.Hub]:
    """Return what answers as Forgejo does, where a job's token may not ask whose it is."""
    with forge_server.serving() as hub:
        hub.is_gitea, hub.login, hub.viewer = True, "forgejo-actions", None
        yield hub


@pytest.mark.whole_system
def test_default_branch_is_verified_recorded_and_reported_once(
    project: Path, hub: Path, rest: forge_server.Hub, tmp_path: Path
) -> None:
    workflows = project / ".forgejo/workflows"
    for name, broken in (("first", 1), ("second", 0)):
        (tmp_path / name).mkdir()
        machines = verify_and_record(tmp_path / name, hub, workflows, rest.environment(**HERE))
        ended = [(step.name, step.status) for job in machines.values() for one in job for step in one.steps]
        assert [step for step in ended if step[1]] == [("Say how it ended", 1)] * broken, machines

    names = git(hub, "ls-tree", "-r", "--name-only", "memory").split("\n")
    assert sum(name.startswith("verdicts/") for name in names) == 2
    assert {"README.md", "facts.svg"} <= set(names)
    assert git(hub, "log", "-1", "--format=%an", "memory") == "forgejo-actions"
    assert len(rest.issues) == 1
    assert "fails" in rest.issues[0]["body"]
    assert "actions/runs/99" in rest.issues[0]["body"]


@pytest.mark.whole_system
def test_pull_request_is_checked_from_where_it_parted_and_reported_in_one_comment(
    project: Path, hub: Path, rest: forge_server.Hub, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "-c", "user.name=M", "-c", "user.email=m@example.org", str(hub), "clone")
    git(tmp_path / "clone", "checkout", "-q", "-b", "patch")
    commit_files(tmp_path / "clone", {"README.md": "# Changed\n"})
    commit_files(tmp_path / "clone", {"other.txt": "the change that breaks it is not the last one\n"})
    git(tmp_path / "clone", "push", "-q", "origin", "HEAD:refs/pull/12/head", "HEAD:refs/heads/patch")
    head = git(tmp_path / "clone", "rev-parse", "HEAD")
    rest.pulls.append(forge_server.pull(12, "patch", head))
    workflow = load(project / ".forgejo/workflows/gitmem.yml")
    jobs, values = workflow["jobs"], {"github.event.pull_request.head.sha": head}

    for name in ("first", "second"):
        artifacts = tmp_path / f"{name}-artifacts"
        check = Machine(
            tmp_path / f"{name}-check",
            hub,
            artifacts,
            "refs/pull/12/head",
            variables={"GITHUB_BASE_REF": "main", **HERE},
        ).run(jobs["check"], workflow=workflow)
        stdin = Machine(
            tmp_path / f"{name}-comment", hub, artifacts, values=values, variables=rest.environment(**HERE)
        ).run(jobs["comment"], workflow=workflow)
        assert (check.status, stdin.status) == (1, 0), (check, stdin)
        assert all(call.startswith("|") for call in check.calls)  # no token
        assert "error file=README.md,line=1,title=builtin becomes false" in check.printed()

    assert [(one["user"]["login"], "builtin" in one["body"]) for one in rest.comments] == [("forgejo-actions", True)]
    assert f"/src/commit/{head}/README.md" in rest.comments[0]["body"]
    assert "actions/runs/99" in rest.comments[0]["body"]


@pytest.mark.whole_system
def test_pull_request_to_the_memory_is_reviewed_in_a_comment(hub: Path, rest: forge_server.Hub, tmp_path: Path) -> None:
    before = tip(hub)
    put_files(hub, {"facts/evil.md": "---\nkind: fact\n---\n# Evil\u200b\n"})
    head = tip(hub)
    git(hub, "update-ref", "refs/pull/12/head", head)
    git(hub, "update-ref", "refs/heads/memory", before)
    rest.pulls.append(forge_server.pull(12, "notes", head, "memory"))
    workflow = loaded(git(hub, "show", "memory:.github/workflows/gitmem.yml"))
    jobs, values = workflow["jobs"], {"github.event.pull_request.head.sha": head}
    artifacts = tmp_path / "artifacts"

    review = Machine(
        tmp_path / "review", hub, artifacts, "refs/pull/12/head", variables={"GITHUB_BASE_REF": "memory", **HERE}
    ).run(jobs["review"], workflow=workflow)
    stdin = Machine(tmp_path / "comment", hub, artifacts, values=values, variables=rest.environment(**HERE))
    stdin.run(jobs["comment"], workflow=workflow)

    assert (review.status, stdin.status) == (1, 0), (review, stdin)
    assert "hidden-character" in rest.comments[0]["body"]
