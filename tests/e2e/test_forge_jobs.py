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
from support.facts import approve_all, make_fact, put, tracked, verify
from support.forge_runner import Machine, load, loaded, verify_and_record
from support.terminal import gitmem

from gitmem.commands.install import ci
from gitmem.commands.sync.bundle import write_bundle
from gitmem.memory import Memory
from gitmem.verify.overview.notice.document import LISTS, parse_check
from gitmem.verify.overview.notice.notice import render
from gitmem.verify.overview.notice.permalinks import Links

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")

# Fails once somebody has added src/broken.
FAILS = "test ! -e src/broken || { echo '::error::pwned'; exit 1; }"
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
            make_fact("fails", FAILS, paths=["src/**"]),
        )
        approve_all(memory)
        verify(memory, "fails")  # it holds, until somebody breaks it below
        ci.install(memory.repository, "github", {"every": "daily", "shards": 2, "package": PINNED})
        lines = [due.approved_line for due in memory.repository.commands()]
    commit_files(folder, {".github/gitmem-approved": "".join(f"{line}\n" for line in lines), "src/broken": ""})
    return folder


@pytest.fixture(scope="module")
def ran(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, list[Machine]]]:
    """Return the folder of a run of both workflows on the default branch, up to what is pushed, and its machines."""
    folder = tmp_path_factory.mktemp("ran")
    hub = hub_of(project, folder)
    with forge_server.serving() as rest:
        workflows = project / ".github/workflows"
        return folder, verify_and_record(folder, hub, workflows, rest.environment(), until="Install gitmem")


@pytest.fixture
def rest() -> Iterator[forge_server.Hub]:
    """Return what answers REST calls of the forge."""
    with forge_server.serving() as hub:
        yield hub


def hub_of(project: Path, folder: Path) -> Path:
    """Return the bare repository of a forge."""
    git(folder, "clone", "-q", "--bare", str(project), "hub.git")
    return folder / "hub.git"


def pushing(ran: tuple[Path, dict[str, list[Machine]]], folder: Path, hub: Path, rest: forge_server.Hub) -> Machine:
    """Return a machine that is to push what a run recorded to a forge."""
    machine = Machine(folder, hub, ran[0] / "artifacts", variables=rest.environment())
    machine.outputs["record"] = ran[1]["record"][0].outputs["record"]
    return machine


def remove(hub: Path, *names: str) -> None:
    """Take files from the memory branch of a forge."""
    git(hub.parent, "clone", "-q", "-b", "memory", str(hub), "removing")
    git(hub.parent / "removing", "rm", "-q", *names)
    who = ("-c", "user.name=Ana", "-c", "user.email=ana@example.org")
    git(hub.parent / "removing", *who, "commit", "-qm", "remove")
    git(hub.parent / "removing", "push", "-q", "origin", "memory")
    shutil.rmtree(hub.parent / "removing")


def writing(project: Path) -> dict:
    return load(project / ".github/workflows/gitmem-write.yml")


@pytest.mark.whole_system
def test_shards_run_without_a_token_and_nothing_they_print_is_a_command(
    ran: tuple[Path, dict[str, list[Machine]]],
) -> None:
    folder, machines = ran

    assert [one.status for name in ("plan", "verify", "record") for one in machines[name]] == [0, 0, 0, 0], machines
    assert all("::" not in one.printed() for name in ("plan", "verify", "record") for one in machines[name])
    calls = [call for name in ("plan", "verify", "record") for one in machines[name] for call in one.calls]
    asking = [call.partition("|")[2] for call in calls if not call.startswith("|")]
    assert [call.partition(" --")[0] for call in asking] == ["forge branches"]  # which reads what the forge says
    files = sorted((folder / "artifacts").glob("*/gitmem-results-*.jsonl"))
    assert [file.name for file in files] == ["gitmem-results-1.jsonl", "gitmem-results-2.jsonl"]
    rows = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    outcomes = {row["key"]: row["outcome"] for row in rows if "key" in row}
    assert outcomes == {"builtin": "holds", "command": "holds", "fails": "fails"}


@pytest.mark.whole_system
def test_nothing_is_planned_where_nothing_is_due_and_no_sandbox_where_no_command_runs(
    project: Path, tmp_path: Path
) -> None:
    hub = hub_of(project, tmp_path)
    workflow = load(project / ".github/workflows/gitmem.yml")
    files = git(hub, "ls-tree", "-r", "--name-only", "memory", "facts").split("\n")

    def plan(name: str) -> dict[str, str]:
        machine = Machine(tmp_path / name, hub, tmp_path / "artifacts").run(workflow["jobs"]["plan"], workflow=workflow)
        assert machine.status == 0, machine
        return machine.outputs["plan"]

    everything = plan("all")
    remove(hub, *(name for name in files if "builtin" not in name))
    builtin = plan("builtin")
    remove(hub, "facts/builtin.md")

    assert everything == {"shards": "[1, 2]", "count": "2", "sandbox": "true"}
    assert builtin == {"shards": "[1]", "count": "1", "sandbox": "false"}
    assert plan("none") == {"shards": "[]", "count": "0", "sandbox": "false"}


def test_without_a_memory_branch_the_step_that_fails_is_the_one_that_says_why(project: Path, tmp_path: Path) -> None:
    hub = hub_of(project, tmp_path)
    git(hub, "update-ref", "-d", "refs/heads/memory")
    workflow = load(project / ".github/workflows/gitmem.yml")
    machine = Machine(tmp_path / "1", hub, tmp_path / "artifacts")

    machine.run(workflow["jobs"]["plan"], workflow=workflow)

    assert [(step.name, step.status) for step in machine.steps if step.status] == [("Plan", 3)]
    assert "this repository has no memory yet" in machine.printed()


@pytest.mark.whole_system
def test_two_jobs_push_at_once_while_the_branch_moves_and_nothing_is_lost(
    project: Path, ran: tuple[Path, dict[str, list[Machine]]], rest: forge_server.Hub, tmp_path: Path
) -> None:
    hub = hub_of(project, tmp_path)
    workflow = writing(project)
    machines = [pushing(ran, tmp_path / name, hub, rest) for name in ("one", "two")]
    put_files(hub, {"learned/meanwhile.md": memory_text("Meanwhile")})

    jobs = [
        threading.Thread(target=one.run, args=(workflow["jobs"]["write"],), kwargs={"workflow": workflow})
        for one in machines
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
    assert {"README.md", "facts.svg"} <= set(names)
    for machine in machines:
        assert [call.split("|")[1].split(" ")[:2] for call in machine.calls] == [["forge", "issue"]]
        assert "::" not in machine.printed()
        assert forge_server.TOKEN not in (machine.temp / "push/.git/config").read_text(encoding="utf-8")
    assert "fails" in rest.issues[0]["body"]
    git(tmp_path, "clone", "-q", str(hub), "reader")
    document = json.loads(gitmem(tmp_path / "reader", "status", "--json").out)
    assert (document["statuses"]["verified"], document["statuses"]["failed"]) == (2, 1)
    assert json.loads(gitmem(tmp_path / "reader", "doctor", "--json").out)["problems"] == []


def test_memory_that_others_changed_meanwhile_is_never_overwritten(
    project: Path, ran: tuple[Path, dict[str, list[Machine]]], rest: forge_server.Hub, tmp_path: Path
) -> None:
    hub = hub_of(project, tmp_path)
    put_files(
        hub, {"facts.svg": "<svg/>\n"}
    )  # gitmem's own page: theirs is as good, and is drawn again by the next run

    machine = pushing(ran, tmp_path / "one", hub, rest)
    machine.run(writing(project)["jobs"]["write"], workflow=writing(project), until="Push")

    assert machine.outputs["push"] == {"pushed": "memory"}, machine
    assert git(hub, "show", "memory:facts.svg") == "<svg/>"
    assert (
        sum(name.startswith("verdicts/") for name in git(hub, "ls-tree", "-r", "--name-only", "memory").split("\n"))
        == 3
    )


def test_job_that_writes_deletes_the_memory_of_ended_branches_and_pushes_mended_proposals(
    project: Path, rest: forge_server.Hub, tmp_path: Path
) -> None:
    hub, artifact = hub_of(project, tmp_path), tmp_path / "artifacts/gitmem-memory"
    artifact.mkdir(parents=True)
    put_files(hub, {"learned/a.md": memory_text("A")})
    for name in ("branch/closed", "branch/moved", "branch/merged", "notes"):
        git(hub, "branch", f"gitmem/{name}", "memory")
    dropped = f"{tip(hub)} moved\n"  # as it was when the forge was asked
    for name in ("branch/closed", "branch/moved", "notes"):
        put_files(hub, {"learned/a.md": memory_text("A", tags=["theirs"])}, ref=f"refs/heads/gitmem/{name}")
    (artifact / "dropped").write_text(f"{dropped}{tip(hub, 'refs/heads/gitmem/branch/closed')} closed\n", "utf-8")
    put_files(hub, {"learned/a.md": memory_text("A", tags=["ours"])})
    git(tmp_path, "clone", "-q", str(hub), "job")
    with Memory(tmp_path / "job", clock=lambda: float(NOW)) as memory:
        memory.remember("Something new")
        write_bundle(memory.repository, "origin", str(artifact / "memory.bundle"), instead="gitmem/verify")
    machine = Machine(tmp_path / "machine", hub, artifact.parent, variables=rest.environment())
    workflow = writing(project)

    machine.run(workflow["jobs"]["write"], workflow=workflow, until="Push")

    assert machine.outputs["push"] == {"pushed": "memory"}, machine
    left = git(hub, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/gitmem").split()
    assert left == ["gitmem/branch/moved", "gitmem/notes"]
    mended = git(hub, "show", "gitmem/notes:learned/a.md")
    assert "ours" in mended and "theirs" in mended


@pytest.mark.whole_system
def test_protected_memory_branch_is_asked_by_a_pull_request_that_the_next_run_brings_up_to_date(
    project: Path, ran: tuple[Path, dict[str, list[Machine]]], rest: forge_server.Hub, tmp_path: Path
) -> None:
    hub = hub_of(project, tmp_path)
    before = tip(hub)
    hook = hub / "hooks" / "pre-receive"
    hook.write_text(
        '#!/bin/sh\nif grep -q refs/heads/memory$; then echo "GH006: Protected branch update failed"; exit 1; fi\n',
        encoding="utf-8",
    )
    hook.chmod(0o755)
    workflow = writing(project)

    def offered(done: Machine) -> str:
        assert f"{forge_server.TOKEN}|forge pull --head gitmem/verify --base memory" in done.calls, done
        assert [step.name for step in done.steps if step.status] == ["Say how it ended"]
        assert tip(hub) == before
        return tip(hub, "refs/heads/gitmem/verify")

    first = offered(pushing(ran, tmp_path / "first", hub, rest).run(workflow["jobs"]["write"], workflow=workflow))
    # A pull request that conflicts with its base is brought up to date by meaning.
    put_files(hub, {"STATUS.md": "others\n", "README.md": "others\n"}, ref="refs/heads/gitmem/verify")
    (tmp_path / "next").mkdir()
    jobs = verify_and_record(tmp_path / "next", hub, project / ".github/workflows", rest.environment())
    second = offered(jobs["write"][0])

    assert git(hub, "merge-base", before, second) == before
    assert git(hub, "merge-base", first, second) == first
    assert [(one["head"]["ref"], one["base"]["ref"]) for one in rest.pulls] == [("gitmem/verify", "memory")]
    names = git(hub, "ls-tree", "-r", "--name-only", second).split("\n")
    assert sum(name.startswith("verdicts/") for name in names) == 3


@pytest.mark.whole_system
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
        lines = {due.row.key: due.approved_line for due in memory.repository.commands()}
    commit_files(fork, {".github/gitmem-approved": f"{lines['evil']}\n"})
    git(fork, "checkout", "-q", "--detach", "origin/main")
    git(fork, "merge", "-q", "--no-ff", "-m", "merge", "patch")
    git(fork, "push", "-q", str(hub), "HEAD:refs/pull/7/merge")
    workflow = load(project / ".github/workflows/gitmem.yml")

    machine = Machine(
        tmp_path / "machine", hub, tmp_path / "artifacts", "refs/pull/7/merge", variables={"GITHUB_BASE_REF": "main"},
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
    report = tmp_path / "artifacts/gitmem-report/check.json"
    assert [row["key"] for row in json.loads(report.read_text(encoding="utf-8"))["newly_false"]] == [
        "builtin",
        "command",
    ]
    assert json.loads((report.parent / "check.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    assert [call.split(" --report")[0] for call in machine.calls] == [
        "|check --base HEAD^1 --fail-on never", "|check --base HEAD^1 --format github",
    ]  # fmt: skip


@pytest.mark.whole_system
@pytest.mark.parametrize(
    ("readme", "kind", "heading"),
    [
        ("# Changed\n", "error", "#### Silenced by this change (1)"),
        ("# Another service\n", "warning", "#### Silenced by this change (1)"),
        ("", "", "#### Silenced, although the change touches nothing that they read (1)"),
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
    workflow = load(project / ".github/workflows/gitmem.yml")
    machine = Machine(
        tmp_path / "machine", hub, tmp_path / "artifacts", "refs/pull/7/merge", variables={"GITHUB_BASE_REF": "main"},
    )  # fmt: skip

    machine.run(workflow["jobs"]["check"], workflow=workflow)

    assert ("title=builtin becomes false" in machine.printed()) == (kind == "error"), machine
    found = parse_check((tmp_path / "artifacts/gitmem-report/check.json").read_text(encoding="utf-8"))
    assert found is not None
    assert heading in render(found, Links(), 60_000)
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
        tmp_path / "machine", hub, tmp_path / "artifacts", "refs/pull/8/merge", variables={"GITHUB_BASE_REF": "memory"},
    )  # fmt: skip
    machine.run(workflow["jobs"]["review"], workflow=workflow)

    assert names == [".github/workflows/gitmem.yml"]
    assert machine.status == 0, machine
    assert not ran.exists()
    report = tmp_path / "artifacts/gitmem-report/review.md"
    assert f"touch {ran}" in report.read_text(encoding="utf-8")
    lines = [line for line in machine.printed().splitlines() if line.startswith("::") or "##[" in line]
    assert [line.split("::a ")[0] for line in lines] == ["::warning file=facts/evil.md,title=evil command"]


@pytest.mark.parametrize(("kind", "status"), [("check", 0), ("review", 0), ("link", 3), ("none", 0)])
def test_comment_is_made_of_a_report_and_of_nothing_that_a_link_leads_to(
    project: Path, rest: forge_server.Hub, tmp_path: Path, kind: str, status: int
) -> None:
    artifact = tmp_path / "artifacts" / "gitmem-report"
    broken = {"newly_false": [{"key": "port", "title": "What it breaks, @everybody"}]}
    if kind != "none":
        artifact.mkdir(parents=True)
    if kind == "link":
        (artifact / "check.json").symlink_to("/proc/self/environ")
    elif kind == "review":
        (artifact / "review.md").write_text("What it breaks, @everybody\n", encoding="utf-8")
    elif kind == "check":
        text = json.dumps({name: [] for name in LISTS} | broken)
        (artifact / "check.json").write_text(text, encoding="utf-8")
    rest.pulls.append(forge_server.pull(12, repo="mallory/shop"))
    workflow = writing(project)
    values = {"github.event.workflow_run.head_sha": forge_server.COMMIT}
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
