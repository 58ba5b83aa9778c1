"""The jobs for GitLab, run as its runner runs them: a checkout of one commit, and what they fetch themselves."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
import yaml
from conftest import PINNED, commit_files, git, memory_text, put_files, tip
from support.console import GITMEM, SCRIPTS, environment, run
from support.facts import make_fact, put

from gitmem.commands.install import ci
from gitmem.memory import Memory

pytestmark = pytest.mark.skipif(not GITMEM.exists(), reason="the console script is not installed")

PROTECT = """\
#!/bin/sh
if grep -q "refs/heads/memory$"; then
  echo "You are not allowed to push code to protected branches on this project."
  exit 1
fi
env | grep ^GIT_PUSH_OPTION_ | sort >options
"""


@pytest.fixture
def hub(repo: Path, memory: Memory, tmp_path: Path) -> Path:
    """Return the bare repository of a forge with facts, a reviewed list and the jobs, its memory branch protected."""
    put(
        repo,
        make_fact("command", "grep -q service README.md", paths=["README.md"]),
        make_fact("builtin", {"contains": "service", "in": "README.md"}),
    )
    ci.install(memory.repository, "gitlab", {"every": "daily", "package": PINNED})
    commit_files(
        repo, {".gitlab/gitmem-approved": "".join(f"{due.approved_line}\n" for due in memory.repository.commands())}
    )
    memory.close()
    git(tmp_path, "clone", "-q", "--bare", str(repo), "hub.git")
    hub = tmp_path / "hub.git"
    git(hub, "config", "receive.advertisePushOptions", "true")
    (hub / "hooks" / "pre-receive").write_text(PROTECT, encoding="utf-8")
    (hub / "hooks" / "pre-receive").chmod(0o755)
    return hub


def job(name: str, hub: Path, work: Path, *, head: str = "main", **variables: str):
    """Run a job's lines in a checkout of one commit; nothing is installed, which would ask the network."""
    table = yaml.safe_load(git(hub, "show", "main:.gitlab/gitmem.yml"))
    git(work.parent, "init", "-q", work.name)
    git(work, "remote", "add", "origin", str(hub))
    git(work, "fetch", "-q", "--no-tags", "origin", f"refs/heads/{head}:refs/pipelines/1")
    git(work, "checkout", "-q", "--detach", "refs/pipelines/1")
    stubs = work.parent / "stubs"
    stubs.mkdir(exist_ok=True)
    for program in ("python", "apt-get"):
        (stubs / program).write_text("#!/bin/sh\n", encoding="utf-8")
        (stubs / program).chmod(0o755)
    (stubs / "gitmem").unlink(missing_ok=True)
    (stubs / "gitmem").symlink_to(SCRIPTS / "gitmem")
    env = environment(
        PATH=f"{stubs}{os.pathsep}{os.environ['PATH']}",
        CI_DEFAULT_BRANCH="main",
        CI_COMMIT_SHA=git(work, "rev-parse", "HEAD"),
        CI_PROJECT_URL=str(hub).removesuffix(".git"),
        **{**table[".gitmem"]["variables"], "PACKAGE": "."},
        **variables,
    )
    lines = [*table[".gitmem"]["before_script"], *table[name]["script"]]
    return run(["bash", "-eo", "pipefail", "-c", "\n".join(lines)], work, env=env)


@pytest.mark.whole_system
def test_verdicts_come_to_a_protected_branch_by_a_merge_request(hub: Path, tmp_path: Path) -> None:
    before = tip(hub)
    verify, record = tmp_path / "verify", tmp_path / "record"
    judged = job("gitmem-verify", hub, verify)
    shutil.copy(verify / "gitmem-results-1.jsonl", tmp_path)
    git(tmp_path, "init", "-q", "record")
    shutil.copy(tmp_path / "gitmem-results-1.jsonl", record)

    done = job("gitmem-record", hub, record, PUSH_TOKEN="t0k3n")

    assert (judged.status, done.status) == (0, 0), (judged, done)
    assert "2 accepted" in done.out
    assert tip(hub) == before
    names = git(hub, "ls-tree", "-r", "--name-only", "gitmem/verify").split("\n")
    assert sum(name.startswith("verdicts/") for name in names) == 2
    assert (hub / "options").read_text(encoding="utf-8").splitlines() == [
        "GIT_PUSH_OPTION_0=merge_request.create",
        "GIT_PUSH_OPTION_1=merge_request.target=memory",
        "GIT_PUSH_OPTION_COUNT=2",
    ]
    assert "t0k3n" not in (record / ".git/config").read_text(encoding="utf-8")


@pytest.mark.whole_system
def test_conflicting_merge_requests_to_memory_are_merged_by_meaning(hub: Path, tmp_path: Path) -> None:
    put_files(hub, {"learned/a.md": memory_text("A")})
    for name in ("notes", "old", "branch/code"):
        git(hub, "branch", f"gitmem/{name}", "memory")
    for name in ("notes", "branch/code"):
        put_files(hub, {"learned/a.md": memory_text("A", tags=["theirs"])}, ref=f"refs/heads/gitmem/{name}")
    put_files(hub, {"learned/a.md": memory_text("A", tags=["ours"])})
    others = [tip(hub, f"refs/heads/gitmem/{name}") for name in ("old", "branch/code")]
    job("gitmem-verify", hub, tmp_path / "verify")
    git(tmp_path, "init", "-q", "record")
    shutil.copy(tmp_path / "verify" / "gitmem-results-1.jsonl", tmp_path / "record")

    done = job("gitmem-record", hub, tmp_path / "record", PUSH_TOKEN="t0k3n")

    mended = git(hub, "show", "gitmem/notes:learned/a.md")
    assert done.status == 0, done
    assert "ours" in mended and "theirs" in mended
    assert git(hub, "merge-base", "memory", "gitmem/notes") == tip(hub)
    assert [tip(hub, f"refs/heads/gitmem/{name}") for name in ("old", "branch/code")] == others
    assert "merge_request" not in (hub / "options").read_text(encoding="utf-8")  # none is opened for it


@pytest.mark.whole_system
def test_memory_of_a_merged_branch_is_merged_too_and_that_of_others_waits(
    repo: Path, hub: Path, tmp_path: Path
) -> None:
    (hub / "hooks" / "pre-receive").unlink()
    git(repo, "remote", "add", "origin", str(hub))
    git(repo, "fetch", "-q")
    git(repo, "remote", "set-head", "origin", "main")
    for name in ("patch", "open"):
        git(repo, "checkout", "-q", "-b", name, "main")
        commit_files(repo, {f"{name}.txt": "five\n"})
        with Memory(repo) as memory:
            memory.fact(f"It is {name}", key=name, contains="five", within=f"{name}.txt")
        git(repo, "push", "-q", "origin", name, f"gitmem/branch/{name}")
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "merge", "patch")
    git(repo, "push", "-q", "origin", "main", ":patch")
    job("gitmem-verify", hub, tmp_path / "verify")
    git(tmp_path, "init", "-q", "record")
    shutil.copy(tmp_path / "verify" / "gitmem-results-1.jsonl", tmp_path / "record")

    done = job("gitmem-record", hub, tmp_path / "record", PUSH_TOKEN="t0k3n")

    assert done.status == 0, done
    names = git(hub, "ls-tree", "-r", "--name-only", "memory").split("\n")
    assert ("facts/patch.md" in names, "facts/open.md" in names) == (True, False)
    assert git(hub, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads/gitmem") == "gitmem/branch/open"


@pytest.mark.whole_system
def test_merge_request_is_told_what_it_breaks(repo: Path, hub: Path, tmp_path: Path) -> None:
    git(repo, "checkout", "-q", "-b", "patch")
    commit_files(repo, {"README.md": "# Changed\n"})
    git(repo, "push", "-q", str(hub), "patch")

    done = job("gitmem-check", hub, tmp_path / "check", head="patch", CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main")

    assert done.status == 1, done
    report = (tmp_path / "check" / "gitmem.xml").read_text(encoding="utf-8")
    assert report.count("<failure ") == 2
    rows = json.loads((tmp_path / "check" / "gitmem-quality.json").read_text(encoding="utf-8"))
    assert [(row["check_name"], row["location"]["path"]) for row in rows] == [("gitmem/newly-false", "README.md")] * 2
    found = json.loads((tmp_path / "check" / "check.json").read_text(encoding="utf-8"))
    assert len(found["newly_false"]) == 2


@pytest.mark.whole_system
def test_merge_request_of_a_fork_is_compared_with_the_project_that_it_is_for(
    repo: Path, hub: Path, tmp_path: Path
) -> None:
    git(tmp_path, "clone", "-q", "--bare", str(hub), "fork.git")
    git(tmp_path / "fork.git", "branch", "-D", "memory")  # a fork need not have it
    git(repo, "checkout", "-q", "-b", "patch")
    commit_files(repo, {"README.md": "# Changed\n"})
    git(repo, "push", "-q", str(tmp_path / "fork.git"), "patch")
    variables = {
        "CI_MERGE_REQUEST_PROJECT_ID": "1", "CI_PROJECT_ID": "2",
        "CI_MERGE_REQUEST_PROJECT_URL": str(hub).removesuffix(".git"), "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    }  # fmt: skip

    done = job("gitmem-check", tmp_path / "fork.git", tmp_path / "check", head="patch", **variables)

    assert done.status == 1, done
    assert (tmp_path / "check" / "gitmem.xml").read_text(encoding="utf-8").count("<failure ") == 2


@pytest.mark.parametrize(
    ("own", "rule"),
    [
        ("test: {script: [make]}\n", '$CI_PIPELINE_SOURCE == "push" && $CI_COMMIT_BRANCH'),
        ("workflow: {rules: [{if: '$CI_PIPELINE_SOURCE == \"merge_request_event\"'}]}\n", '"merge_request_event" && '),
    ],
)
def test_check_runs_in_the_pipelines_in_which_the_project_s_own_jobs_do(
    repo: Path, memory: Memory, own: str, rule: str
) -> None:
    (repo / ".gitlab-ci.yml").write_text(own, encoding="utf-8")

    ci.install(memory.repository, "gitlab", {"package": PINNED})

    table = yaml.safe_load((repo / ".gitlab" / "gitmem.yml").read_text(encoding="utf-8"))
    assert rule in table["gitmem-check"]["rules"][0]["if"]
    assert table["gitmem-note"]["rules"][0]["if"] == table["gitmem-check"]["rules"][0]["if"]
