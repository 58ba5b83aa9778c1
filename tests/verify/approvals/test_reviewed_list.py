"""The approved list: which lines of it count, and that nothing in a clone can put another one in its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import commit_files, git, put_files
from support.each import each
from support.facts import make_fact, outcomes, put, verify

from gitmem.errors import GitmemError, NotFoundError, RemoteError, TrustError
from gitmem.memory import Memory

LIST = ".github/gitmem-approved"
NOTHING = {LIST: "# nothing yet\n"}


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """Return a file outside of the repository that a command makes when it runs, without a sandbox here."""
    return tmp_path / "it-ran"


@pytest.fixture
def listed(memory: Memory, repo: Path, marker: Path) -> str:
    """Return the list that approves the one command of the store."""
    put(repo, make_fact("a", f"touch {marker}; test -f README.md"))
    return memory.repository.commands()[0].approved_line + "\n"


@pytest.fixture
def hub(repo: Path, listed: str) -> Path:
    """Return the repository's remote, which has its branch main; nothing is approved there."""
    commit_files(repo, NOTHING)
    git(repo.parent, "clone", "-q", "--bare", str(repo), "hub.git")
    git(repo, "remote", "add", "origin", str(repo.parent / "hub.git"))
    git(repo, "fetch", "-q", "origin")
    return repo.parent / "hub.git"


def approve_at(hub: Path, listed: str, branch: str = "main") -> None:
    """Commit the list to a branch of the remote, from elsewhere."""
    work = hub.parent / "elsewhere"
    git(hub.parent, "clone", "-q", "-b", branch, str(hub), "elsewhere")
    git(work, "config", "user.name", "Ana")
    git(work, "config", "user.email", "ana@example.com")
    commit_files(work, {LIST: listed})
    git(work, "push", "-q", "origin", branch)


def judged(repo: Path) -> str:
    with Memory(repo) as opened:
        return outcomes(verify(opened, approved=LIST))["a"]


# Which lines count


def test_line_approves_the_command_that_it_shows(memory: Memory, repo: Path, listed: str, marker: Path) -> None:
    put(repo, make_fact("b", f"touch {marker} "))
    commit_files(repo, {LIST: f"# reviewed by Ana\n\n{listed.rstrip()}  \r\n"})

    assert outcomes(verify(memory, approved=LIST)) == {"a": "holds", "b": "skipped"}
    assert marker.exists()


@each(
    "lie",
    [
        lambda spec, key, shown: spec,
        lambda spec, key, shown: f"{spec}  {key}",
        lambda spec, key, shown: f"{spec}  {key}  make test",
        lambda spec, key, shown: f"{spec}  other  {shown}",
        lambda spec, key, shown: f"{spec}  {key}  {shown} && true",
        lambda spec, key, shown: f"{spec}  {key}  make test  # {shown}",
        lambda spec, key, shown: f"{spec.upper()}  {key}  {shown}",
        lambda spec, key, shown: f"{'0' * 64}  {key}  {shown}",
        lambda spec, key, shown: f"# {spec}  {key}  {shown}",
        lambda spec, key, shown: f"{key}  {spec}  {shown}",
        lambda spec, key, shown: "*",
    ],
    ids=[
        "bare",
        "no command",
        "other command",
        "other key",
        "longer",
        "comment",
        "upper",
        "hash",
        "off",
        "order",
        "star",
    ],
)
def test_line_that_does_not_say_what_runs_approves_nothing(repo: Path, listed: str, marker: Path, lie) -> None:
    spec, key, shown = listed.rstrip("\n").split("  ", 2)
    line = lie(spec, key, shown)
    commit_files(repo, {LIST: f"{line}\n"})

    with Memory(repo) as opened:
        assert outcomes(verify(opened, approved=LIST)) == {"a": "skipped"}
        notes = [note for note in opened.notices if "does not match the command of a" in note]

    assert len(notes) == line.startswith(spec)
    assert not marker.exists()


def test_list_that_is_missing_or_too_long_or_outside_is_an_error(memory: Memory, repo: Path, tmp_path: Path) -> None:
    put(repo, make_fact("a"))
    commit_files(repo, {"long": "x" * (1024 * 1024 + 1)})

    for name, error, stdin in (
        (LIST, NotFoundError, "is not on main"),
        ("long", GitmemError, "above the limit"),
        (str(tmp_path / "list"), NotFoundError, "outside the repository"),
    ):
        with pytest.raises(error, match=stdin):
            verify(memory, approved=name)


def test_list_is_named_as_git_names_it_from_a_folder_of_the_repository(run_cli, repo: Path, listed: str) -> None:
    commit_files(repo, {LIST: listed})

    ran = run_cli("verify", "--approved", f"../{LIST}", "--no-sandbox", "--json", cwd=repo / "src")

    assert json.loads(ran.out)["ran"] == 1


# Without a remote: the local default branch


def in_the_work_tree(repo: Path, listed: str) -> None:
    (repo / LIST).write_text(listed, encoding="ascii")


def in_the_index(repo: Path, listed: str) -> None:
    in_the_work_tree(repo, listed)
    git(repo, "add", "-A")


def on_the_branch_that_is_checked_out(repo: Path, listed: str) -> None:
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {LIST: listed})


def on_a_detached_commit(repo: Path, listed: str) -> None:
    git(repo, "checkout", "-q", "--detach")
    commit_files(repo, {LIST: listed})


def on_the_memory_branch(repo: Path, listed: str) -> None:
    put_files(repo, {LIST: listed, "gitmem.toml": '[verify]\ndefault_branch = "memory"\n'})


def on_a_branch_that_the_policy_names(repo: Path, listed: str) -> None:
    on_the_branch_that_is_checked_out(repo, listed)
    put_files(repo, {"gitmem.toml": '[verify]\ndefault_branch = "feature"\n'})


def on_a_branch_that_settings_name(repo: Path, listed: str) -> None:
    on_the_branch_that_is_checked_out(repo, listed)
    git(repo, "config", "gitmem.defaultBranch", "feature")
    git(repo, "config", "init.defaultBranch", "feature")


def on_a_branch_that_passes_for_one_of_a_remote(repo: Path, listed: str) -> None:
    on_the_branch_that_is_checked_out(repo, listed)
    git(repo, "update-ref", "refs/remotes/origin/main", "HEAD")
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main")


PLACES = [
    in_the_work_tree,
    in_the_index,
    on_the_branch_that_is_checked_out,
    on_a_detached_commit,
    on_the_memory_branch,
    on_a_branch_that_the_policy_names,
    on_a_branch_that_settings_name,
    on_a_branch_that_passes_for_one_of_a_remote,
]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_list_approves_nothing_elsewhere(repo: Path, listed: str, marker: Path, place) -> None:
    commit_files(repo, NOTHING)
    place(repo, listed)

    assert judged(repo) == "skipped"
    assert not marker.exists()


def test_a_memory_branch_that_is_named_main_approves_nothing(repo: Path, listed: str, marker: Path) -> None:
    git(repo, "checkout", "-q", "-b", "work")
    git(repo, "branch", "-D", "main")
    git(repo, "branch", "-m", "memory", "main")
    git(repo, "config", "gitmem.branch", "main")
    put_files(repo, {LIST: listed}, ref="refs/heads/main")

    with Memory(repo) as opened, pytest.raises(NotFoundError, match="no default branch"):
        verify(opened, approved=LIST)
    assert not marker.exists()


# With a remote: its default branch, as it is now


def test_list_counts_as_the_remote_has_it_now(repo: Path, hub: Path, listed: str, marker: Path) -> None:
    assert judged(repo) == "skipped"
    before = git(repo, "for-each-ref")
    approve_at(hub, listed)

    assert judged(repo) == "holds"
    assert marker.exists()
    assert [line for line in git(repo, "for-each-ref").split("\n") if "memory" not in line] == [
        line for line in before.split("\n") if "memory" not in line
    ]


def test_approval_that_was_taken_back_at_the_remote_counts_no_more(repo: Path, hub: Path, listed: str) -> None:
    commit_files(repo, {LIST: listed})
    git(repo, "push", "-q", "origin", "main")
    git(repo, "fetch", "-q", "origin")
    git(hub, "update-ref", "refs/heads/main", "main~1")

    assert judged(repo) == "skipped"


def on_local_main(repo: Path, listed: str) -> None:
    commit_files(repo, {LIST: listed})


def on_a_tracking_branch_that_was_moved(repo: Path, listed: str) -> None:
    commit_files(repo, {LIST: listed})
    git(repo, "update-ref", "refs/remotes/origin/main", "HEAD")


def on_a_branch_of_the_remote_that_origin_head_names(repo: Path, listed: str) -> None:
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {LIST: listed})
    git(repo, "push", "-q", "origin", "feature")
    git(repo, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/feature")


def on_a_branch_of_the_remote_that_settings_name(repo: Path, listed: str) -> None:
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {LIST: listed})
    git(repo, "push", "-q", "origin", "feature")
    for name in ("gitmem.defaultBranch", "init.defaultBranch"):
        git(repo, "config", name, "feature")
    git(repo, "config", "remote.origin.fetch", "+refs/heads/feature:refs/remotes/origin/main")


def at_a_remote_that_a_setting_names(repo: Path, listed: str) -> None:
    git(repo, "checkout", "-q", "-b", "feature")
    commit_files(repo, {LIST: listed})
    git(repo.parent, "clone", "-q", "--bare", str(repo), "mine.git")
    git(repo, "remote", "add", "mine", str(repo.parent / "mine.git"))
    git(repo, "config", "gitmem.remote", "mine")


@pytest.mark.parametrize(
    "place",
    [
        on_local_main,
        on_a_tracking_branch_that_was_moved,
        on_a_branch_of_the_remote_that_origin_head_names,
        on_a_branch_of_the_remote_that_settings_name,
        at_a_remote_that_a_setting_names,
    ],
    ids=lambda place: place.__name__,
)
def test_nothing_in_the_clone_names_another_list(repo: Path, hub: Path, listed: str, marker: Path, place) -> None:
    place(repo, listed)

    assert judged(repo) == "skipped"
    assert not marker.exists()


def test_offline_is_an_error_that_says_what_to_do(run_cli, repo: Path, hub: Path, listed: str, marker: Path) -> None:
    approve_at(hub, listed)
    assert judged(repo) == "holds"
    marker.unlink()
    hub.rename(hub.with_name("gone.git"))

    done = run_cli("verify", "--all", "--approved", LIST)

    assert done.status == 3
    assert "cannot read the approved list from the remote:" in done.err
    assert "gitmem trust --review" in done.err
    assert not marker.exists()


def test_of_several_remotes_without_an_origin_none_is_guessed(repo: Path, hub: Path, listed: str) -> None:
    git(repo, "remote", "rename", "origin", "one")
    assert judged(repo) == "skipped"
    git(repo, "remote", "add", "two", str(hub))

    with Memory(repo) as opened, pytest.raises(NotFoundError, match="one, two"):
        verify(opened, approved=LIST)


# In a job of a forge: the default branch of the repository that its event is about


def in_job(monkeypatch: pytest.MonkeyPatch, folder: Path, repository: str, default: str) -> None:
    event = folder / "event.json"
    event.write_text(json.dumps({"repository": {"default_branch": default}}), encoding="utf-8")
    for name, value in {
        "GITHUB_ACTIONS": "true",
        "GITHUB_EVENT_PATH": str(event),
        "GITHUB_REPOSITORY": repository,
    }.items():
        monkeypatch.setenv(name, value)


def test_job_reads_the_default_branch_of_its_events_repository(
    repo: Path, hub: Path, listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(hub, "branch", "release", "main")
    approve_at(hub, listed, "release")
    in_job(monkeypatch, repo.parent, f"{hub.parent.name}/hub", "release")

    assert judged(repo) == "holds"


def test_gitlab_job_reads_the_default_branch_of_the_target_project(
    repo: Path, hub: Path, listed: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(hub, "branch", "release", "main")
    approve_at(hub, listed, "release")
    monkeypatch.setenv("GITLAB_CI", "true")
    monkeypatch.setenv("CI_DEFAULT_BRANCH", "release")
    monkeypatch.setenv("CI_PROJECT_PATH", f"{hub.parent.name}/hub")

    assert judged(repo) == "holds"


def test_job_with_the_code_of_a_fork_is_refused(
    repo: Path, hub: Path, listed: str, marker: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    approve_at(hub, listed)
    in_job(monkeypatch, repo.parent, "acme/shop", "main")

    with Memory(repo) as opened, pytest.raises(TrustError, match="origin is not acme/shop"):
        verify(opened, approved=LIST)
    assert not marker.exists()


def test_remote_without_a_default_branch_is_an_error(repo: Path, hub: Path) -> None:
    git(hub, "symbolic-ref", "HEAD", "refs/heads/nothing")

    with Memory(repo) as opened, pytest.raises((NotFoundError, RemoteError), match="no default branch"):
        verify(opened, approved=LIST)
