"""In a forge's job the event names the branch: its repository's companion counts, a fork's is fetched from there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files, tip
from support.companions import (  # noqa: F401 - fixtures
    BRANCH,
    COMPANION,
    branched,
    forge,
    opened,
    shared_folder,
    slow_down,
    sync,
)
from support.facts import make_fact

from gitmem.repository.branch_memory import JobBranch, find_job_branch


def event(monkeypatch: pytest.MonkeyPatch, folder: Path, repository: str, url: str) -> None:
    head = {"repo": {"full_name": repository, "clone_url": url}}
    (folder / "event.json").write_text(json.dumps({"pull_request": {"head": head}}), encoding="utf-8")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(folder / "event.json"))
    monkeypatch.setenv("GITHUB_REPOSITORY", "acme/service")
    monkeypatch.setenv("GITHUB_HEAD_REF", BRANCH)


def job(hub: Path) -> Path:
    """Return a checkout as a forge's job has it: detached at the merge of both branches, with a memory to read."""
    work = hub.parent / "job"
    git(hub.parent, "clone", "-q", str(hub), str(work))
    git(work, "config", "user.name", "CI")
    git(work, "config", "user.email", "ci@example.org")
    git(work, "checkout", "-q", "--detach", "origin/main")
    git(work, "merge", "-q", "--no-ff", "-m", "merge", f"origin/{BRANCH}")
    return work


def kinds(folder: Path) -> tuple[dict[str, str], list[str]]:
    with opened(folder) as memory:
        found = memory.check(base="origin/main")
        return {f.key: f.kind for f in found.findings}, [*memory.notices]


@pytest.fixture(name="pushed")
def with_pushed_companion(branch: Path) -> Path:
    with opened(branch) as memory:
        slow_down(memory)
    sync(branch)
    return branch


def test_the_companion_of_the_pull_requests_branch_counts(
    pushed: Path, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = job(hub)
    assert kinds(work)[0] == {"retries": "newly_false"}
    event(monkeypatch, tmp_path, "acme/service", "")

    assert kinds(work) == ({"retries": "holds"}, [])
    git(work, "update-ref", "-d", "refs/remotes/origin/gitmem/branch/feature/slow")  # as a shallow checkout has it
    assert kinds(work) == ({"retries": "holds"}, [])


def test_that_of_a_fork_is_read_from_the_fork_and_runs_nothing(
    pushed: Path, hub: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The branch of the same name in our own repository is another one."""
    fork = tmp_path / "fork.git"
    git(tmp_path, "clone", "-q", "--bare", str(hub), str(fork))
    hostile = make_fact("retries", "touch stolen; true", title="Stolen")
    put_files(fork, hostile, ref=COMPANION)
    event(monkeypatch, tmp_path, "mallory/service", str(fork))

    work = job(hub)
    with opened(work) as memory:
        found = memory.check(base="origin/main")

    assert [finding.kind for finding in found.findings] == ["newly_false", "silenced"]
    assert not list(work.rglob("stolen"))
    git(fork, "update-ref", COMPANION, tip(hub, COMPANION))
    with opened(work) as memory:
        honest = memory.check(base="origin/main")
    assert honest.branch is not None and honest.branch.is_fork
    assert {f.key: f.kind for f in honest.findings} == {"retries": "holds"}
    git(fork, "update-ref", "-d", COMPANION)
    assert kinds(work)[0] == {"retries": "newly_false"}


def test_merge_queue_reads_the_memory_of_each_branch(pushed: Path, hub: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work = job(hub)
    commit_files(work, {"later.txt": "of another pull request\n"}, "another")
    monkeypatch.setenv("GITHUB_EVENT_NAME", "merge_group")

    assert kinds(work)[0] == {"retries": "holds"}


@pytest.mark.parametrize(
    ("variables", "found"),
    [
        ({}, None),
        ({"GITHUB_HEAD_REF": "topic"}, None),
        (
            {
                "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1",
                "CI_PROJECT_ID": "1",
            },
            JobBranch("topic"),
        ),
        (
            {
                "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2",
                "CI_PROJECT_ID": "1",
                "CI_MERGE_REQUEST_SOURCE_PROJECT_URL": "https://git.example.org/fork",
            },
            JobBranch("topic", "https://git.example.org/fork"),
        ),
    ],
)
def test_the_forges_variables_say_whose_branch_it_is(variables, found, monkeypatch: pytest.MonkeyPatch) -> None:  # type: ignore[no-untyped-def]
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    assert find_job_branch() == found
