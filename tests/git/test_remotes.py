"""A real remote is fetched from and pushed to; what is unsafe is refused, and what hangs is ended with its children."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from conftest import git, put_files
from support.each import each
from support.processes import wait_until

from gitmem.errors import NoRepositoryError, NotFoundError, ProtectedError, RemoteError
from gitmem.git import Git
from gitmem.git.remotes import RefUpdate, RemoteOptions, address_of, fetch, format_url, has_remote, push
from gitmem.git.repository import discover

TALK = RemoteOptions(timeout_s=20)


def to(commit: str, expected: str | None = None) -> RefUpdate:
    return RefUpdate("refs/heads/memory", commit, expected)


@pytest.fixture
def hub(repo: Path) -> Path:
    """Return a bare repository, the remote of *repo*."""
    folder = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(folder))
    git(repo, "remote", "add", "origin", "../hub.git")
    return folder


@pytest.fixture
def door(repo: Path, hub: Path) -> Git:
    return Git(discover(repo))


def commit(repo: Path, name: str = "a") -> str:
    return put_files(repo, {f"gotchas/{name}.md": name}, ref="refs/heads/memory")


def heads(folder: Path) -> dict[str, str]:
    rows = git(folder, "for-each-ref", "--format=%(refname) %(objectname)").split("\n")
    return dict(row.split(" ") for row in rows if row)


def test_push_sends_the_branch_and_nothing_else(repo: Path, hub: Path, door: Git) -> None:
    tip = commit(repo)
    git(repo, "update-ref", "refs/gitmem/private/agent", tip)
    git(repo, "tag", "-a", "-m", "x", "v1", tip)
    git(repo, "config", "push.followTags", "true")
    git(repo, "config", "remote.origin.mirror", "true")

    assert fetch(door, "origin", "memory", TALK) is None
    assert push(door, "origin", to(tip), TALK)

    assert heads(hub) == {"refs/heads/memory": tip}
    assert fetch(door, "origin", "memory", TALK) == tip
    assert git(repo, "rev-parse", "refs/remotes/origin/memory") == tip


def test_fetch_names_a_pipe_that_git_would_wait_for(repo: Path, hub: Path, door: Git) -> None:
    for name in ("logs/refs/remotes/origin/memory", "worktrees/other/HEAD"):
        place = repo / ".git" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        os.mkfifo(place)
        with pytest.raises(NoRepositoryError, match=f"{name} is not a file"):
            fetch(door, "origin", "memory", TALK)
        place.unlink()


def test_a_remote_that_moved_meanwhile_is_not_overwritten(repo: Path, hub: Path, door: Git) -> None:
    first = commit(repo)
    push(door, "origin", to(first), TALK)
    second, theirs = commit(repo, "b"), put_files(hub, {"gotchas/theirs.md": "x"})

    assert not push(door, "origin", to(second, first), TALK)
    assert not push(door, "origin", to(second), TALK)

    assert heads(hub) == {"refs/heads/memory": theirs}


def test_a_remote_that_refuses_says_why(repo: Path, hub: Path, door: Git) -> None:
    hook = hub / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho 'memories are frozen' >&2\nexit 1\n")
    hook.chmod(0o755)

    message = r"refs/heads/memory: \[remote rejected\] \(pre-receive hook declined\); remote: memories are frozen"
    with pytest.raises(RemoteError, match=message) as caught:
        push(door, "origin", to(commit(repo)), TALK)

    assert not isinstance(caught.value, ProtectedError)


def test_hooks_and_variables_of_a_git_that_called_us_do_not_count(
    repo: Path, hub: Path, door: Git, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    hook = repo / ".git/hooks/pre-push"
    hook.write_text("#!/bin/sh\ntouch ran\nexit 1\n")
    hook.chmod(0o755)
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_SSH_VARIANT"):
        monkeypatch.setenv(name, str(tmp_path / "elsewhere"))

    assert push(door, "origin", to(commit(repo)), TALK)

    assert list(tmp_path.glob("**/ran")) == []
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("url", ["ext::sh -c touch% ran", "--upload-pack=touch ran", "fd::3"])
def test_a_url_that_runs_a_program_is_refused(repo: Path, door: Git, url: str) -> None:
    git(repo, "config", "remote.origin.url", url)
    git(repo, "config", "protocol.ext.allow", "always")

    with pytest.raises(RemoteError, match="the URL of origin"):
        fetch(door, "origin", "memory", TALK)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("remote.origin.pushurl", "ext::sh -c touch% ran"),
        ("url.ext::sh -c touch% .insteadOf", "ran:"),
        ("url.ext::sh -c touch% .pushInsteadOf", "ran:"),
    ],
)
def test_a_url_that_runs_a_program_is_refused_wherever_it_is_set(repo: Path, door: Git, name: str, value: str) -> None:
    git(repo, "config", "remote.origin.url", "ran:ran")
    git(repo, "config", name, value)

    with pytest.raises(RemoteError, match="the URL of origin runs a program"):
        fetch(door, "origin", "memory", TALK)


@pytest.mark.parametrize("name", ["nowhere", "-x", "../hub.git"])
def test_only_a_configured_remote_is_asked(door: Git, name: str) -> None:
    with pytest.raises(NotFoundError, match="there are: origin"):
        fetch(door, name, "memory", TALK)


def test_clone_without_remotes_is_known_as_one_without_starting_git(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    door = Git(discover(repo))
    with monkeypatch.context() as patch:
        patch.setenv("PATH", str(tmp_path))  # where there is no git
        assert (has_remote(door, "origin"), door.remote_url("origin")) == (False, "")
    included = tmp_path / "more"
    for name, value in (("remote.backup.url", "../b.git"), ("remote.-x.url", "../x"), ("include.path", str(included))):
        git(repo, "config", name, value)
    assert [has_remote(door, name) for name in ("backup", "origin", "-x")] == [True, False, False]
    included.write_text('[remote "origin"]\n\turl = ../hub.git\n', encoding="utf-8")

    assert has_remote(door, "origin")  # it may have been added since
    assert Git(discover(repo)).remote_url("origin") == "../hub.git"


def test_insteadof_settings_apply(repo: Path, hub: Path, door: Git) -> None:
    tip = commit(repo)
    git(repo, "config", f"url.{hub.parent}/.insteadOf", "hub:")
    git(repo, "config", "remote.origin.url", "hub:hub.git")

    assert push(door, "origin", to(tip), TALK)


def test_remote_that_hangs_is_killed_with_its_children(repo: Path, door: Git, tmp_path: Path) -> None:
    git(repo, "config", "remote.origin.url", "ssh://nowhere/x")
    git(repo, "config", "core.sshCommand", f"sh -c 'echo $$ >{tmp_path}/pid; sleep 600' #")

    with pytest.raises(RemoteError, match=r"origin did not answer within 0\.6 seconds"):
        fetch(door, "origin", "memory", RemoteOptions(timeout_s=0.6))

    pid = int((tmp_path / "pid").read_text())
    assert wait_until(lambda: not _is_alive(pid))


def _is_alive(pid: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text() and os.kill(pid, 0) is None
    except (OSError, FileNotFoundError):
        return False


def test_without_a_terminal_no_program_prompts(repo: Path, door: Git, tmp_path: Path) -> None:
    git(repo, "config", "remote.origin.url", "ssh://nowhere/x")
    git(repo, "config", "core.sshCommand", f"sh -c 'env >{tmp_path}/env; exit 1' #")

    with pytest.raises(RemoteError, match="could not be fetched"):
        fetch(door, "origin", "memory", TALK)

    env = (tmp_path / "env").read_text().split("\n")
    assert "GIT_TERMINAL_PROMPT=0" in env
    assert "SSH_ASKPASS_REQUIRE=never" in env


def test_progress_is_reported(repo: Path, hub: Path, door: Git) -> None:
    commit(repo, "before")
    stdin: list[tuple[str, int, int]] = []

    talk = RemoteOptions(progress=lambda *what: stdin.append(what))
    push(door, "origin", to(commit(repo)), talk)

    assert {(what, done == of) for what, done, of in stdin} >= {("sending", True)}


def test_a_url_is_shown_without_its_password(repo: Path, door: Git) -> None:
    git(repo, "config", "remote.origin.url", "https://ana:secret@example.org/x.git")

    assert format_url(door, "origin") == "https://example.org/x.git"


def test_an_object_that_git_refuses_is_not_taken_over(repo: Path, hub: Path, door: Git) -> None:
    content = git(hub, "hash-object", "-w", "--stdin", input="x")
    top = git(hub, "mktree", input=f"100644 blob {content}\t.git\n")
    made = git(hub, "-c", "user.name=M", "-c", "user.email=m@x", "commit-tree", "-m", "x", top)
    git(hub, "update-ref", "refs/heads/memory", made)

    with pytest.raises(RemoteError, match="could not be fetched from") as caught:
        fetch(door, "origin", "memory", TALK)

    assert "nothing was fetched: someone pushed an object that git refuses; have" in caught.value.hint
    assert git(repo, "rev-parse", "-q", "--verify", "refs/remotes/origin/memory", check=False) == ""


ADDRESSES = {
    "https://git.example.org/pay/api.git": "git.example.org/pay/api",
    "https://ana:secret@Git.Example.org:8443/pay/api/": "git.example.org/pay/api",
    "ssh://git@git.example.org:22/pay/api.git": "git.example.org/pay/api",
    "git@git.example.org:pay/api.git": "git.example.org/pay/api",
    "git.example.org:/pay/api": "git.example.org/pay/api",
    "/srv/git/api.git": "/srv/git/api",
    "file:///srv/git/api": "/srv/git/api",
    "/srv/a:b/api": "/srv/a:b/api",
    "": "/",
}


@each("url", ADDRESSES)
def test_address_is_the_same_for_each_url_of_a_repository(url: str) -> None:
    assert address_of(url) == ADDRESSES[url]
