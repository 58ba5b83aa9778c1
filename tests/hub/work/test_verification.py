"""One job on a real repository: what it judges, what it refuses to run, and what reaches the remote."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.facts import make_fact, put
from support.fork_server import run_forked
from support.hubs import add_to, synced
from support.planted_secrets import make_secrets
from support.postgres import HubDatabase, run_sql

from gitmem.hub.database import connected
from gitmem.hub.registry import Entry, add
from gitmem.hub.work import checkout, verification
from gitmem.hub.work.checkout import Checkout
from gitmem.hub.work.jobs import add_due
from gitmem.hub.work.verification import Job, Verified
from gitmem.system import process
from gitmem.system.process import ProcessResult


@pytest.fixture(autouse=True)
def _forked(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fork what a job runs of gitmem from a process that has loaded it; test_worker starts it as a worker does."""

    def run(argv: list[str], *, env: dict[str, str], timeout_s: float, **options) -> ProcessResult:
        if "gitmem" in argv[1:4]:
            return ProcessResult(*run_forked(argv[4:], os.getcwd(), env, timeout=timeout_s))
        return process.run(argv, env=env, timeout_s=timeout_s, **options)

    monkeypatch.setattr(checkout, "run", run)


@pytest.fixture
def remote(hub: HubDatabase, repo: Path, tmp_path: Path) -> Path:
    """A bare repository of the hub, whose clone is `repo`, with a fact that holds and was never verified."""
    put(repo, make_fact("readme", {"exists": "README.md"}))
    folder = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(repo), str(folder))
    git(repo, "remote", "add", "origin", str(folder))
    add_to(hub, folder)
    return folder


def verify(hub: HubDatabase, tmp_path: Path, *, limit_s: float = 300, is_ours: bool = True) -> Verified:
    return verification.verify(hub.url, tmp_path / "work", Job(1, limit_s, lambda: is_ours))


def state(hub: HubDatabase, columns: str) -> tuple:
    with connected(hub.url) as connection:
        return connection.execute(f"SELECT {columns} FROM hub.verification").fetchone()


def statuses(hub: HubDatabase, tmp_path: Path) -> dict[str, str]:
    """Return what the hub says of each memory after a sync."""
    synced(hub, tmp_path)
    with connected(hub.url) as connection:
        return dict(connection.execute("SELECT key, status FROM hub.memory WHERE NOT deleted"))


def commits_of(remote: Path) -> int:
    return int(git(remote, "rev-list", "--count", "memory"))


def push(repo: Path, files: dict[str, str | None]) -> None:
    commit_files(repo, {name: text for name, text in files.items() if text is not None}, "a change")
    git(repo, "push", "-q", "origin", "main")


def test_verdicts_are_pushed_and_the_next_sync_sees_them(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    before = statuses(hub, tmp_path)
    done = verify(hub, tmp_path)

    assert before == {"readme": "unproven"}
    assert (done.problem, done.judged, done.failed, done.unapproved) == ("", 1, 0, 0)
    assert done.pushed == tip(remote) == done.memory
    assert done.code == git(remote, "rev-parse", "main")
    assert statuses(hub, tmp_path) == {"readme": "verified"}
    assert state(hub, "memory, code, judged, problem") == (done.pushed, done.code, 1, "")


def test_second_job_of_the_same_code_adds_nothing(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    verify(hub, tmp_path)
    before = tip(remote)

    again = verify(hub, tmp_path)
    shutil.rmtree(tmp_path / "work")
    elsewhere = verify(hub, tmp_path)

    assert (again.judged, again.pushed) == (elsewhere.judged, elsewhere.pushed) == (0, "")
    assert tip(remote) == before


def test_break_is_found_with_the_commit_that_caused_it(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path
) -> None:
    verify(hub, tmp_path)
    git(repo, "rm", "-q", "README.md")
    git(repo, "commit", "-qm", "remove the readme")
    culprit = git(repo, "rev-parse", "HEAD")
    for number in range(3):
        commit_files(repo, {f"more{number}.py": "x = 1\n"}, "more")
    git(repo, "push", "-q", "origin", "main")

    done = verify(hub, tmp_path)

    assert (done.problem, done.judged, done.failed) == ("", 1, 1)
    assert statuses(hub, tmp_path) == {"readme": "failed"}
    paths = git(remote, "ls-tree", "-r", "--name-only", "memory").splitlines()
    verdicts = "".join(git(remote, "show", f"memory:{path}") for path in paths if path.startswith("verdicts/"))
    assert culprit in verdicts


def test_command_runs_only_if_the_reviewed_list_approves_it(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path, run_cli
) -> None:
    put(repo, make_fact("command", "test -e README.md"))
    git(repo, "push", "-q", "origin", "memory")
    refused = verify(hub, tmp_path)
    before = statuses(hub, tmp_path)
    lines = run_cli("trust", "--print", cwd=repo).out
    assert "command" in lines
    push(repo, {".github/gitmem-approved": lines})
    allowed = verify(hub, tmp_path)

    assert (refused.problem, refused.judged, refused.unapproved) == ("", 1, 1)
    assert before["command"] == "unproven"
    assert (allowed.problem, allowed.judged, allowed.unapproved) == ("", 1, 0)
    assert statuses(hub, tmp_path)["command"] == "verified"


def test_list_of_another_forge_approves_nothing(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path, run_cli
) -> None:
    put(repo, make_fact("command", "test -e README.md"))
    git(repo, "push", "-q", "origin", "memory")
    lines = run_cli("trust", "--print", cwd=repo).out
    push(repo, {".github/gitmem-approved": lines, ".gitlab/gitmem-approved": ""})

    assert verify(hub, tmp_path).unapproved == 1


def test_checks_see_neither_the_settings_nor_the_secrets_of_the_worker(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path, run_cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_HUB_DATABASE", "postgresql://hub:pass@example.org/hub")
    monkeypatch.setenv("SECRET", "x")
    seen = []

    def note(argv, *, env, **options):
        seen.append(env)
        return run(argv, env=env, **options)

    run = checkout.run
    monkeypatch.setattr(checkout, "run", note)

    assert verify(hub, tmp_path).problem == ""
    assert seen
    assert all(not {"GITMEM_HUB_DATABASE", "SECRET"} & env.keys() for env in seen)
    assert {env["HOME"] for env in seen} == {str(tmp_path / "work" / "1" / "home")}


def test_push_of_another_is_merged_and_both_stay(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_new = Checkout.find_new
    others = iter([{"other": make_fact("other", {"exists": "README.md"})}])

    def slow(self: Checkout) -> str:
        found = find_new(self)
        for made in others:
            put(repo, made["other"])
            git(repo, "push", "-q", "origin", "memory")
        return found

    monkeypatch.setattr(Checkout, "find_new", slow)
    done = verify(hub, tmp_path)

    assert (done.problem, done.pushed) == ("", tip(remote))
    assert statuses(hub, tmp_path) == {"readme": "verified", "other": "unproven"}


def test_commit_that_was_not_pushed_is_pushed_by_the_next_job(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    lost = verify(hub, tmp_path, is_ours=False)
    before = commits_of(remote)
    done = verify(hub, tmp_path)

    assert "another worker took the job over" in lost.problem
    assert (done.judged, done.pushed) == (0, tip(remote))
    assert commits_of(remote) == before + 1
    assert statuses(hub, tmp_path) == {"readme": "verified"}
    assert state(hub, "problem") == ("",)


def test_rewritten_memory_branch_leaves_nothing_in_the_clone(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path
) -> None:
    purged = put(repo, make_fact("purged", {"exists": "README.md"}))
    git(repo, "push", "-q", "origin", "memory")
    verify(hub, tmp_path)
    git(repo, "update-ref", "refs/heads/memory", f"{purged}~1")
    git(repo, "push", "-q", "--force", "origin", "memory")

    done = verify(hub, tmp_path)

    assert (done.problem, done.judged) == ("", 1)
    for name in ("mirror.git", "work"):
        assert git(tmp_path / "work" / "1" / name, "cat-file", "-t", purged, check=False) == ""


@pytest.mark.parametrize(
    ("breaks", "says"),
    [
        (shutil.rmtree, "remote.git"),
        (lambda remote: git(remote, "update-ref", "-d", "refs/heads/memory"), "it has no branch memory"),
        (lambda remote: git(remote, "symbolic-ref", "HEAD", "refs/heads/memory"), "it has no code"),
        (lambda remote: (remote / "hooks" / "pre-receive").symlink_to("/bin/false"), "could not be pushed to"),
    ],
)
def test_problem_is_one_line_in_the_database(hub: HubDatabase, remote: Path, tmp_path: Path, breaks, says: str) -> None:
    breaks(remote)

    done = verify(hub, tmp_path)

    assert says in done.problem
    assert "\n" not in done.problem
    assert state(hub, "problem, at") == (done.problem, None)


def test_time_limit_ends_a_job_and_is_its_problem(
    hub: HubDatabase, remote: Path, repo: Path, tmp_path: Path, run_cli, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checkout, "run", process.run)
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # what is killed leaves its folder to the next check, which is not ours
    put(repo, make_fact("slow", f"sleep {mark}"))
    lines = run_cli("trust", "--print", cwd=repo).out
    push(repo, {".github/gitmem-approved": lines})
    git(repo, "push", "-q", "origin", "memory")

    done = verify(hub, tmp_path, limit_s=8)

    assert done.problem == "it took longer than 8 seconds"
    assert 8 <= state(hub, "seconds")[0] < 30


def test_budget_limits_a_job_and_is_used_up(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    with connected(hub.url) as connection:
        add(connection, Entry(str(remote), name=remote.name, budget_s=600))
    done = verify(hub, tmp_path)
    with connected(hub.url) as connection:
        spent = connection.execute("SELECT seconds FROM hub.spent").fetchone()[0]
    run_sql(hub.url, "UPDATE hub.spent SET seconds = 600")
    over = verify(hub, tmp_path)

    assert done.problem == ""
    assert spent > 0
    assert over == Verified("")


def test_folder_of_a_check_that_still_runs_postpones_the_job(
    hub: HubDatabase, remote: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gitmem.system.file_lock import try_lock

    (tmp_path / "work" / "1").mkdir(parents=True)
    assert try_lock(tmp_path / "work" / "1" / "lock") is not None
    monkeypatch.setattr(checkout, "LOCK_WAIT_S", 0.1)

    done = verify(hub, tmp_path)

    assert (done.is_postponed, done.problem) == (True, "")


def test_removed_repository_is_not_verified(hub: HubDatabase, remote: Path, tmp_path: Path) -> None:
    run_sql(hub.url, "UPDATE hub.repository SET removed_at = now()")

    assert verify(hub, tmp_path) == Verified("")
    assert not (tmp_path / "work").exists()


def test_job_leaves_no_secret_in_its_problem() -> None:
    for _, text, secret in make_secrets()[:20]:
        assert secret not in verification.one_line(f"cannot fetch\n{text}")
    assert verification.one_line("a\n b") == "a b"


def test_comparison_with_another_repository_is_judged_again_when_either_side_changes(
    hub: HubDatabase, repo: Path, template: Path, tmp_path: Path
) -> None:
    api = Path(shutil.copytree(template, tmp_path / "api"))
    add_to(hub, repo)
    add_to(hub, api)
    both = {"repo": repo, "api": api}

    def port(name: str, number: int) -> None:
        commit_files(both[name], {f"{name}.toml": f"port = {number}\n"}, "change")
        if name == "api":
            put(api, make_fact("port", {"value": "api.toml#port", "is": str(number)}))

    def work() -> dict[str, str]:
        """Let workers do all that is due, and return the statuses."""
        for _ in range(4):
            synced(hub, tmp_path)
            with connected(hub.url) as connection:
                add_due(connection)
                jobs = "DELETE FROM public.procrastinate_jobs RETURNING (args->>'number')::int"
                due = [number for (number,) in connection.execute(jobs)]
            if not due:
                break
            for number in due:
                done = verification.verify(hub.url, tmp_path / "work", Job(number, 300, lambda: True))
                assert done.problem == ""
        with connected(hub.url) as connection:
            return dict(connection.execute("SELECT key, status FROM hub.memory WHERE NOT deleted"))

    port("api", 8080)
    port("repo", 8080)
    put(repo, make_fact("same", {"agree": ["repo.toml#port", "api:port"]}))
    same = work()
    port("api", 9090)
    theirs = work()
    port("repo", 9090)
    ours = work()
    # Who may read this repository may no longer read that one: nothing of it reaches the verdicts.
    add_to(hub, api, readers=("alice",))
    port("api", 7070)
    hidden = work()
    told = git(repo, "log", "-p", "--format=", "memory", "--", "verdicts")

    assert [one["same"] for one in (same, theirs, ours, hidden)] == ["verified", "failed", "verified", "verified"]
    assert "7070" not in told
    assert "9090" in told
