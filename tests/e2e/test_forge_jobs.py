"""The workflows' own steps, run as a forge runs them: on fresh machines, against bare remotes, beside strangers."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import NOW, PINNED, commit_files, git, memory_text, put_files, tip
from support import forge_server
from support.console import GITMEM, run
from support.facts import make_fact, put, tracked
from support.forge_runner import Machine, load, loaded
from support.terminal import gitmem

from gitmem.commands.install import ci
from gitmem.commands.install.ci_files import CiOptions
from gitmem.memory.memory import Memory

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")

DEFAULT = {
    "github.event.repository.default_branch": "main",
    "github.event.repository.default_branch || github.ref_name": "main",
}
EVIL = "::add-mask::e %0A::error::pwned ##[error]pwned"


@pytest.fixture(scope="module")
def project(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with facts, a reviewed list and the workflows of two shards; never change it."""
    folder = Path(shutil.copytree(template, tmp_path_factory.mktemp("project") / "service", symlinks=True))
    with Memory(folder, clock=lambda: float(NOW)) as memory:
        memory.init(offline=True)
        put(
            folder,
            make_fact("builtin", {"contains": "service", "in": "README.md"}),
            make_fact("command", "echo ::warning::x; grep -q service README.md", paths=["README.md"]),
            make_fact("fails", "echo '::error::pwned'; exit 1", paths=["src/**"]),
        )
        ci.install(memory.repository, "github", CiOptions(every="daily", shards=2, package=PINNED))
        lines = [due.listed for due in memory.repository.commands()]
    commit_files(folder, {".github/gitmem-approved": "".join(f"{line}\n" for line in lines)})
    return folder


@pytest.fixture(scope="module")
def verified(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Machine]]:
    """Return the artifacts of both shards and their machines."""
    folder = tmp_path_factory.mktemp("verified")
    hub = hub_of(project, folder)
    workflow = load(project / ".github/workflows/gitmem-verify.yml")
    job = workflow["jobs"]["verify"]
    machines = [
        Machine(folder / shard, hub, folder / "artifacts", values={**DEFAULT, "matrix.shard": shard})
        for shard in map(str, job["strategy"]["matrix"]["shard"])
    ]
    return folder / "artifacts", [machine.run(job, workflow=workflow) for machine in machines]


@pytest.fixture
def rest() -> Iterator[forge_server.Hub]:
    """Return what answers REST calls of the forge."""
    with forge_server.serving() as hub:
        yield hub


def hub_of(project: Path, folder: Path) -> Path:
    """Return the bare repository of a forge."""
    git(folder, "clone", "-q", "--bare", str(project), "hub.git")
    return folder / "hub.git"


@pytest.fixture(scope="module")
def recorded(
    project: Path, verified: tuple[Path, list[Machine]], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Machine, dict, dict]:
    """Return a machine that recorded results and has not pushed yet, its job and its workflow; run a copy of it."""
    folder = tmp_path_factory.mktemp("recorded")
    workflow = load(project / ".github/workflows/gitmem-verify.yml")
    job = workflow["jobs"]["record"]
    machine = Machine(folder / "machine", hub_of(project, folder), verified[0], values=dict(DEFAULT))
    return machine.run(job, workflow=workflow, until="Record"), job, workflow


def test_shards_run_without_a_token_and_nothing_they_print_is_a_command(
    verified: tuple[Path, list[Machine]],
) -> None:
    artifacts, machines = verified

    assert [machine.status for machine in machines] == [0, 0], machines
    assert all("::" not in machine.printed() for machine in machines)
    assert all(call.startswith("|verify") for machine in machines for call in machine.calls)
    files = sorted(artifacts.glob("*/*.jsonl"))
    assert [file.name for file in files] == ["gitmem-results-1.jsonl", "gitmem-results-2.jsonl"]
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    outcomes = {row["key"]: row["outcome"] for row in rows if "key" in row}
    assert outcomes == {"builtin": "holds", "command": "holds", "fails": "fails"}


def test_without_a_memory_branch_the_step_that_fails_is_the_one_that_says_why(project: Path, tmp_path: Path) -> None:
    hub = hub_of(project, tmp_path)
    git(hub, "update-ref", "-d", "refs/heads/memory")
    workflow = load(project / ".github/workflows/gitmem-verify.yml")
    machine = Machine(tmp_path / "1", hub, tmp_path / "artifacts", values={**DEFAULT, "matrix.shard": "1"})

    machine.run(workflow["jobs"]["verify"], workflow=workflow, until="Verify")

    assert machine.status == 3
    assert "this repository has no memory yet" in machine.printed()


def test_two_jobs_record_at_once_while_the_branch_moves_and_nothing_is_lost(
    project: Path, recorded: tuple[Machine, dict, dict], rest: forge_server.Hub, tmp_path: Path
) -> None:
    hub = hub_of(project, tmp_path)
    ready, job, workflow = recorded
    machines = [ready.copied(tmp_path / name, hub, rest.environment()) for name in ("one", "two")]
    put_files(hub, {"learned/meanwhile.md": memory_text("Meanwhile")})

    jobs = [
        threading.Thread(target=machine.run, args=(job,), kwargs={"workflow": workflow, "since": "Push"})
        for machine in machines
    ]
    for one in jobs:
        one.start()
    for one in jobs:
        one.join()

    # A fact failed, and the run is red: by its last step, when all is said.
    ended = [[(step.name, step.status) for step in machine.steps if step.status] for machine in machines]
    assert ended == [[("Say how it ended", 1)]] * 2, machines
    names = git(hub, "ls-tree", "-r", "--name-only", "memory").split("\n")
    assert "learned/meanwhile.md" in names
    assert sum(name.startswith("verdicts/") for name in names) == 3
    for machine in machines:
        assert machine.calls == [
            f"|verify --fail-on news --record-results {ready.temp}/gitmem-results/gitmem-results-1.jsonl"
            f" {ready.temp}/gitmem-results/gitmem-results-2.jsonl",
            f"{forge_server.TOKEN}|sync origin --instead gitmem/verify",
            f"{forge_server.TOKEN}|forge issue",
        ]
        assert "::" not in machine.printed()
        assert forge_server.TOKEN not in (machine.work / ".git/config").read_text(encoding="utf-8")
    assert "fails" in rest.issues[0]["body"]
    git(tmp_path, "clone", "-q", str(hub), "reader")
    told = json.loads(gitmem(tmp_path / "reader", "status", "--json").out)
    assert (told["statuses"]["verified"], told["statuses"]["failed"]) == (2, 1)


def test_protected_memory_branch_is_asked_by_a_pull_request_that_the_next_run_brings_up_to_date(
    project: Path, recorded: tuple[Machine, dict, dict], rest: forge_server.Hub, tmp_path: Path
) -> None:
    hub = hub_of(project, tmp_path)
    before = tip(hub)
    hook = hub / "hooks" / "pre-receive"
    hook.write_text(
        '#!/bin/sh\nif grep -q refs/heads/memory$; then echo "GH006: Protected branch update failed"; exit 1; fi\n',
        encoding="utf-8",
    )
    hook.chmod(0o755)
    ready, job, workflow = recorded
    for name in ("first", "second"):
        machine = ready.copied(tmp_path / name, hub, rest.environment())
        if name == "second":
            put_files(machine.work, {"learned/later.md": memory_text("Later")})

        machine.run(job, workflow=workflow, since="Push")

        assert f"{forge_server.TOKEN}|forge pull --head gitmem/verify --base memory" in machine.calls, machine
        assert [step.name for step in machine.steps if step.status] == ["Say how it ended"]
        assert tip(hub) == before
        offered = tip(hub, "refs/heads/gitmem/verify")
        assert git(hub, "merge-base", before, offered) == before
    assert [(one["head"]["ref"], one["base"]["ref"]) for one in rest.pulls] == [("gitmem/verify", "memory")]
    names = git(hub, "ls-tree", "-r", "--name-only", offered).split("\n")
    assert "learned/later.md" in names
    assert sum(name.startswith("verdicts/") for name in names) == 3


def test_pull_request_of_a_fork_runs_nothing_of_its_own_and_is_told_what_it_breaks(
    project: Path, tmp_path: Path
) -> None:
    hub, fork, ran = hub_of(project, tmp_path), tmp_path / "fork", tmp_path / "ran"
    git(tmp_path, "clone", "-q", str(hub), str(fork))
    git(fork, "checkout", "-q", "-b", "patch")
    command = f"touch {ran}; echo '::error::pwned'; exit 1"
    evil = tracked(make_fact("evil", command, title=EVIL))
    for name, value in (("name", "Mallory"), ("email", "m@example.org")):
        git(fork, "config", f"user.{name}", value)
    commit_files(fork, {**evil, "README.md": "# Changed\n"})
    with Memory(fork) as memory:  # it approves its own command, and on its own branch
        lines = {due.row.key: due.listed for due in memory.repository.commands()}
    commit_files(fork, {".github/gitmem-approved": f"{lines['evil']}\n"})
    git(fork, "checkout", "-q", "--detach", "origin/main")
    git(fork, "merge", "-q", "--no-ff", "-m", "merge", "patch")
    git(fork, "push", "-q", str(hub), "HEAD:refs/pull/7/merge")
    workflow = load(project / ".github/workflows/gitmem-check.yml")

    machine = Machine(
        tmp_path / "machine", hub, tmp_path / "artifacts", "refs/pull/7/merge",
        values=dict(DEFAULT), variables={"GITHUB_BASE_REF": "main"},
    )  # fmt: skip
    machine.run(workflow["jobs"]["check"], workflow=workflow)

    assert machine.status == 1, machine
    assert not ran.exists()
    commands = [line for line in machine.printed().splitlines() if line.startswith("::") or "##[" in line]
    assert [line[2:].partition("::")[0] for line in commands] == [
        "error file=README.md,line=1,title=builtin becomes false",
        "error file=README.md,line=1,title=command becomes false",
        "warning file=.github/gitmem-approved,title=approved-list",
        "warning file=.memory/facts/evil.md,title=evil command",
    ]
    assert "##[error]" not in machine.printed()
    report = tmp_path / "artifacts/gitmem-report/comment.md"
    assert "builtin" in report.read_text(encoding="utf-8")
    assert json.loads((report.parent / "check.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert machine.calls[0].startswith("|check --base origin/main --format github --report markdown=")


@pytest.mark.parametrize(
    ("readme", "kind", "heading"),
    [
        ("# Changed\n", "error", "### Silenced by this change (1)"),
        ("# Another service\n", "warning", "### Silenced by this change (1)"),
        ("", "", "### Silenced, although the change touches nothing that they read (1)"),
    ],
)
def test_report_of_a_pull_request_that_silences_a_fact_is_not_emptied(
    project: Path, tmp_path: Path, readme: str, kind: str, heading: str
) -> None:
    hub, fork = hub_of(project, tmp_path), tmp_path / "fork"
    git(tmp_path, "clone", "-q", "-c", "user.name=M", "-c", "user.email=m@example.org", str(hub), str(fork))
    code = {"README.md": readme} if readme else {}
    commit_files(fork, {**tracked(make_fact("builtin", {"exists": "README.md"})), **code})
    git(fork, "push", "-q", str(hub), "HEAD:refs/pull/7/merge")
    workflow = load(project / ".github/workflows/gitmem-check.yml")
    machine = Machine(
        tmp_path / "machine", hub, tmp_path / "artifacts", "refs/pull/7/merge",
        values=dict(DEFAULT), variables={"GITHUB_BASE_REF": "main"},
    )  # fmt: skip

    machine.run(workflow["jobs"]["check"], workflow=workflow)

    assert ("title=builtin becomes false" in machine.printed()) == (kind == "error"), machine
    report = (tmp_path / "artifacts/gitmem-report/comment.md").read_text(encoding="utf-8")
    assert heading in report
    assert ("title=builtin is silenced" in machine.printed()) == bool(kind)


def test_pull_request_to_memory_is_reviewed_by_its_own_workflow_and_runs_nothing(project: Path, tmp_path: Path) -> None:
    hub, ran = hub_of(project, tmp_path), tmp_path / "ran"
    git(hub, "branch", "proposal", "memory")
    put_files(
        hub, make_fact("evil", f"touch {ran}; grep -q ::error::pwned README.md", title=EVIL), ref="refs/heads/proposal"
    )
    # The forge merges it to test it.
    who = ("-c", "user.name=Forge", "-c", "user.email=forge@example.org")
    made = git(hub, *who, "commit-tree", "proposal^{tree}", "-p", "memory", "-p", "proposal", "-m", "merge")
    git(hub, "update-ref", "refs/pull/8/merge", made)
    names = git(hub, "ls-tree", "-r", "--name-only", made, ".github").split("\n")
    workflow = loaded(git(hub, "show", f"{made}:{names[0]}"))

    machine = Machine(
        tmp_path / "machine", hub, tmp_path / "artifacts", "refs/pull/8/merge",
        values=dict(DEFAULT), variables={"GITHUB_BASE_REF": "memory"},
    )  # fmt: skip
    machine.run(workflow["jobs"]["review"], workflow=workflow)

    assert names == [".github/workflows/gitmem-review.yml"]
    assert machine.status == 0, machine
    assert not ran.exists()
    report = tmp_path / "artifacts/gitmem-report/comment.md"
    assert f"touch {ran}" in report.read_text(encoding="utf-8")
    lines = [line for line in machine.printed().splitlines() if line.startswith("::") or "##[" in line]
    assert [line.split("::a ")[0] for line in lines] == ["::warning file=facts/evil.md,title=evil command"]


@pytest.mark.parametrize(("kind", "status"), [("check", 0), ("review", 0), ("link", 3), ("none", 0)])
def test_comment_is_made_of_a_report_and_of_nothing_that_a_link_leads_to(
    project: Path, rest: forge_server.Hub, tmp_path: Path, kind: str, status: int
) -> None:
    artifact = tmp_path / "artifacts" / "gitmem-report"
    if kind != "none":
        artifact.mkdir(parents=True)
    if kind == "link":
        (artifact / "comment.md").symlink_to("/proc/self/environ")
    elif kind != "none":
        (artifact / "comment.md").write_text("What it breaks, @everybody\n", encoding="utf-8")
    rest.pulls.append(forge_server.pull(12, repo="mallory/shop"))
    workflow = load(project / ".github/workflows/gitmem-comment.yml")
    values = {
        "github.event.workflow_run.name": f"gitmem {kind if kind == 'review' else 'check'}",
        "github.event.workflow_run.head_sha": forge_server.COMMIT,
        "github.event.workflow_run.id": "99",
    }
    folder, artifacts = tmp_path / "machine", tmp_path / "artifacts"
    machine = Machine(folder, tmp_path, artifacts, values=values, variables=rest.environment())

    machine.run(workflow["jobs"]["comment"], workflow=workflow)

    assert machine.status == status, machine
    lines = [one["body"] for one in rest.comments]
    assert len(lines) == (kind in ("check", "review"))
    assert all("What it breaks" in body and "runs/99" in body and "@everybody" not in body for body in lines)
    assert "::" not in machine.printed()
    assert list(machine.work.iterdir()) == []


@pytest.mark.skipif(not shutil.which("bwrap"), reason="bubblewrap, which makes a folder read-only, is not installed")
def test_results_are_written_where_the_repository_is_read_only(repo: Path, memory: Memory, tmp_path: Path) -> None:
    put(repo, make_fact("builtin", {"exists": "README.md"}), make_fact("waits", "make"))
    memory.close()
    wrap = ["bwrap", "--dev-bind", "/", "/", "--ro-bind", str(repo), str(repo), "--"]

    done = run([*wrap, str(GITMEM), "verify", "--results", str(tmp_path / "part")], repo)

    rows = [json.loads(line) for line in (tmp_path / "part").read_text(encoding="utf-8").splitlines()]
    assert done.status == 3, done
    assert [(row["key"], row["outcome"]) for row in rows[1:]] == [("builtin", "holds"), ("waits", "skipped")]
    with Memory(repo) as again:
        assert again.jobs.import_results([str(tmp_path / "part")]).taken == ("builtin",)
