"""A forge's jobs are installed and removed; changed files stay, in the work tree and on the memory branch."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from conftest import PINNED, commit_files, git, put_files, tip

from gitmem.commands.install import ci
from gitmem.errors import GitmemError, UsageError
from gitmem.memory import Memory
from gitmem.system.origin import InstallOrigin
from gitmem.verify.jobs.schedule import WORKFLOW

PROJECT = Path(__file__).resolve().parents[3]
OTHER = f"https://git.example.org/gitmem-9.tar.gz#sha256={'0' * 64}"
WRITE = ".github/workflows/gitmem-write.yml"
REVIEW = WORKFLOW  # on the memory branch, another file
FORMER = ".github/workflows/gitmem-comment.yml"


def whats(steps) -> list[str]:
    return [step.what for step in steps]


@pytest.fixture
def written(memory: Memory, repo: Path) -> Path:
    ci.install(memory.repository, "github", {"every": "daily", "shards": 3, "package": PINNED})
    return repo / WORKFLOW


def test_workflows_of_this_repository_are_the_generated_ones(memory: Memory, repo: Path) -> None:
    shutil.copytree(PROJECT / ".github", repo / ".github")

    steps = ci.plan_install(memory.repository, "github").steps

    wrong = [step.path for step in steps if step.what != "keep" and not step.path.startswith("memory:")]
    assert wrong == [], "run: gitmem install github"
    assert len(steps) == 3


def test_second_install_changes_nothing_and_other_options_rewrite_the_file(
    memory: Memory, written: Path, repo: Path
) -> None:
    before = tip(repo)

    again = ci.install(memory.repository, "github", {"every": "daily", "shards": 3, "package": PINNED})
    other = ci.install(memory.repository, "github", {"every": "6h", "shards": 3, "package": OTHER})

    assert (whats(again), tip(repo, "memory~1")) == (["keep"] * 3, before)
    assert whats(other) == ["update"] * 3
    assert OTHER in git(repo, "show", f"memory:{REVIEW}")
    assert [one.every for one in memory.jobs.schedules()] == ["6h"]


def test_workflows_use_the_options_file_and_typed_options_win(memory: Memory, repo: Path, run_cli) -> None:
    text = 'schedule = "6h"\nshards = 9\npython = "3.13"\nrunner = ["self-hosted", "linux"]\nadopt = true\n'
    text += f'package = "{PINNED}"\n'
    (repo / ".github").mkdir()
    (repo / ".github/gitmem.toml").write_text(text, encoding="utf-8")

    done = run_cli("install", "github", "--shards", "4")

    written = (repo / WORKFLOW).read_text(encoding="utf-8")
    assert done.status == 0, done
    assert written.startswith("# gitmem-verify every 6h\n")
    assert "runs-on: [self-hosted, linux]\n" in written
    assert 'python-version: "3.13"\n' in written
    assert "--plan 4\n" in written
    assert "gitmem adopt --json" in written


def test_newer_pins_are_kept(memory: Memory, written: Path, repo: Path) -> None:
    newer = f"actions/checkout@{'1' * 40} # v99.0.0"
    bumped = re.sub(r"actions/checkout@\w+ # \S+", newer, written.read_text(encoding="utf-8"))
    written.write_text(bumped, encoding="utf-8")

    steps = ci.install(memory.repository, "github", {"every": "daily", "shards": 3, "package": PINNED})

    assert written.read_text(encoding="utf-8") == bumped
    assert newer in (repo / WRITE).read_text(encoding="utf-8")
    assert steps[0].what == "keep"


def test_unchanged_files_of_an_earlier_version_are_removed(memory: Memory, written: Path, repo: Path) -> None:
    ours = written.read_text(encoding="utf-8")
    (repo / FORMER).write_text(ours, encoding="utf-8")
    (repo / ".github/workflows/gitmem-check.yml").write_text(f"{ours}# mine\n", encoding="utf-8")

    steps = ci.install(memory.repository, "github", {"every": "daily", "shards": 3, "package": PINNED})

    assert whats(steps) == ["keep", "keep", "leave", "remove", "keep"]
    assert not (repo / FORMER).exists()


def test_clones_write_the_same_time(memory: Memory, written: Path, repo: Path) -> None:
    commit_files(repo, {})
    git(repo.parent, "clone", "-q", str(repo), "elsewhere")

    with Memory(repo.parent / "elsewhere") as clone:
        steps = ci.install(clone.repository, "github", {"every": "daily", "shards": 3, "package": PINNED})

    assert whats(steps) == ["keep"] * 3


def test_file_on_the_memory_branch_is_one_machine_commit(memory: Memory, repo: Path) -> None:
    ci.install(memory.repository, "github", {"every": "daily", "package": PINNED})
    ci.install(memory.repository, "gitlab", {"every": "daily", "package": PINNED})

    output = git(repo, "log", "-2", "--format=%an|%s", "--name-only", "memory").split("\n")
    assert [line for line in output if line] == [
        "gitmem|gitlab: a job reviews pull requests to this branch", ".gitlab-ci.yml",
        "gitmem|github: a job reviews pull requests to this branch", REVIEW,
    ]  # fmt: skip
    assert memory.doctor(fix=False).problems == ()


def test_doctor_reports_foreign_workflows_on_the_memory_branch(memory: Memory, written: Path, repo: Path) -> None:
    put_files(repo, {".github/workflows/evil.yml": "on: push\n", ".gitlab-ci.yml": "a: {script: [evil]}\n"})

    found = memory.doctor(fix=False).problems

    assert [(one.code, one.path) for one in found] == [
        ("forge-file", ".github/workflows/evil.yml"), ("forge-file", ".gitlab-ci.yml"),
    ]  # fmt: skip


def test_changed_file_is_left_and_the_difference_shown(written: Path, repo: Path, run_cli) -> None:
    changed = written.read_text(encoding="utf-8").replace("timeout-minutes: 60", "timeout-minutes: 90")
    written.write_text(changed, encoding="utf-8")
    put_files(repo, {REVIEW: "mine\n"})

    kept, left = run_cli("install", "github", "--package", PINNED, "--shards", "3"), run_cli("uninstall", "github")

    assert (kept.status, left.status) == (1, 1)
    assert "-    timeout-minutes: 90\n+    timeout-minutes: 60\n" in kept.out
    assert "leave   memory:.github/workflows/gitmem.yml  was changed" in kept.out
    assert (written.read_text(encoding="utf-8"), git(repo, "show", f"memory:{REVIEW}")) == (changed, "mine")
    assert run_cli("install", "github", "--package", PINNED, "--force").status == 0
    assert "timeout-minutes: 60" in written.read_text(encoding="utf-8")
    assert git(repo, "show", f"memory:{REVIEW}").startswith("# gitmem-review\n")


def test_print_shows_all_and_writes_nothing(memory: Memory, repo: Path, run_cli) -> None:
    before = tip(repo)

    (repo / "vercel.json").touch()

    done = run_cli("install", "github", "gitlab", "--package", PINNED, "--print")

    assert done.status == 0
    assert done.err.count("vercel.json: Vercel deploys every branch") == 2
    assert "+++ memory:.github/workflows/gitmem.yml\n" in done.out
    assert "+++ memory:.gitlab-ci.yml\n" in done.out
    assert (tip(repo), (repo / ".github").exists(), (repo / ".gitlab").exists()) == (before, False, False)


def test_option_names_the_other_forge_for_both_ways(memory: Memory, repo: Path, run_cli) -> None:
    shown = [
        run_cli("install", *words, "--package", PINNED, "--print").out
        for words in (("github", "--gitlab"), ("gitlab",))
    ]
    run_cli("install", "github", "--package", PINNED, "--gitlab")
    there = (repo / ".gitlab" / "gitmem.yml").exists()
    gone = run_cli("uninstall", "github", "--gitlab")
    refused = run_cli("install", "git-hooks", "--gitlab")

    assert shown[0] == shown[1]
    assert there
    assert (gone.out.count("remove "), (repo / ".gitlab").exists()) == (2, False)
    assert refused.status == 2


def test_uninstall_restores_work_tree_and_branch(memory: Memory, written: Path, repo: Path, run_cli) -> None:
    tree = git(repo, "rev-parse", "memory~1^{tree}")

    done = run_cli("uninstall", "github")

    assert done.out.count("remove ") == 3
    assert not (repo / ".github").exists()
    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "rev-parse", "memory^{tree}") == tree


def test_link_or_giant_on_the_branch_is_not_ours(memory: Memory, repo: Path) -> None:
    put_files(repo, {REVIEW: b"#" * 70_000})

    steps = ci.install(memory.repository, "github", {"every": "daily", "package": PINNED})

    assert steps[-1].what == "leave"
    assert git(repo, "cat-file", "-s", f"memory:{REVIEW}") == "70000"


def test_nothing_is_written_through_a_link_or_with_an_invalid_interval(memory: Memory, repo: Path) -> None:
    (repo.parent / "elsewhere").mkdir()
    (repo / ".github").symlink_to(repo.parent / "elsewhere")
    before = tip(repo)

    with pytest.raises(GitmemError, match="through a link"):
        ci.install(memory.repository, "github", {"every": "daily", "package": PINNED})
    (repo / ".github").unlink()
    with pytest.raises(UsageError):
        ci.install(memory.repository, "github", {"every": "never", "package": PINNED})

    assert (list((repo.parent / "elsewhere").iterdir()), tip(repo)) == ([], before)


def test_missing_memory_branch_is_reported(repo: Path, run_cli) -> None:
    done = run_cli("install", "github", "--package", PINNED)

    assert done.status == 0
    assert "memory:" not in done.out
    assert "there is no memory branch here yet" in done.err
    assert git(repo, "for-each-ref", "refs/heads/memory") == ""


def test_jobs_install_the_running_gitmem_by_default(
    memory: Memory, repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.commands.install.ci.find_origin", lambda: InstallOrigin(PINNED))

    done = run_cli("install", "github", "--print")

    assert done.status == 0
    assert f'+          PACKAGE: "{PINNED}"\n' in done.out


def test_gitmem_of_unknown_origin_needs_an_explicit_package(
    memory: Memory, repo: Path, run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "gitmem.commands.install.ci.find_origin", lambda: InstallOrigin(reason="this gitmem runs from a folder")
    )

    done = run_cli("install", "github")

    assert (done.status, (repo / ".github").exists()) == (2, False)
    assert "this gitmem runs from a folder; choose the gitmem that the jobs install" in done.err
    assert "--package git+https://HOST/PATH@FULL_COMMIT" in done.err


def test_gitea_s_one_workflow_comes_keeps_its_time_and_goes(memory: Memory, repo: Path) -> None:
    asked = {"every": "6h", "package": PINNED}
    steps = ci.install(memory.repository, "gitea", asked)
    again = ci.install(memory.repository, "gitea", asked)
    schedules = [(one.what, one.every, one.is_forge) for one in memory.jobs.schedules()]
    gone = ci.uninstall(memory.repository, "gitea")

    assert [step.path.rpartition(f"{repo}/")[2] for step in steps] == [
        ".gitea/workflows/gitmem.yml", "memory:.github/workflows/gitmem.yml",
    ]  # fmt: skip
    assert (whats(steps), whats(again), whats(gone)) == (["add"] * 2, ["keep"] * 2, ["remove"] * 2)
    assert schedules == [("gitea", "6h", True)]
    assert not (repo / ".gitea").exists()
