"""What lies in the state folder of a `.git` that came from elsewhere leads to nothing of its reader's.

Every command that reads runs in a process of its own, with a limit of time: a FIFO must not hold it up.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
from contextlib import closing
from pathlib import Path

import pytest
from conftest import Ran, git
from support.fork_server import run_forked

from gitmem.memory import Memory

READS = (["list"], ["recall", "gateway"], ["status"], ["recall", "gateway", "--at", "HEAD"], ["context"], ["doctor"])
# Everything that is opened by name in the state folder, or below it.
FILES = (
    "catalog.sqlite",
    "catalog.sqlite-wal",
    "catalog.sqlite.new",
    "catalog.lock",
    "local.sqlite",
    "clone-id",
    "clone.lock",
    "home",
    "lock",
    "mcp-token",
    "proofs",
    "sync.lock",
    "verify.lock",
    "view.json",
    "view.lock",
    "proposal",
    "schedule.json",
    "verify-job.json",
    "whoosh.lock",
    "background/log",
    "background/index.asked",
    "hooks/arrived",
    "hooks/log",
    "spool/lock",
    "spool/draining",
    "spool/lost",
    "sessions/activity.jsonl",
    "private/ana/catalog.sqlite",
    "home-index/catalog.sqlite",
)
FOLDERS = (
    "at",
    "background",
    "capture",
    "ground",
    "hooks",
    "listed",
    "private",
    "sessions",
    "spool",
    "vectors",
    "whoosh",
)


def run(folder: Path, *argv: str, stdin: str = "") -> Ran:
    """Run gitmem in a process of its own that may not take long."""
    status, out, err = run_forked([*argv], str(folder), dict(os.environ), timeout=180, stdin=stdin.encode())
    return Ran(status, out.decode(), err.decode())


def everything(folder: Path) -> dict[str, object]:
    """Return all that is in a folder: where links point to, what files hold."""
    found: dict[str, object] = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        found[name] = (
            os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else path.stat().st_mode
        )
    return found


@pytest.fixture
def repo(repo: Path) -> Path:
    """Return a repository with a memory and the local state of a few commands."""
    with Memory(repo) as memory:
        memory.remember("The gateway drops idle connections", key="gateway")
    assert run(repo, "recall", "gateway").status == 0
    return repo


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """Return a folder of somebody's: with links, and with files of the very names that gitmem uses."""
    folder = tmp_path / "victim"
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("mine\n")
    with closing(sqlite3.connect(folder / "notes.sqlite")) as db:
        db.execute("CREATE TABLE meta (name, value)")
    (folder / "link").symlink_to("notes.sqlite")
    (folder / "away").symlink_to("/nowhere")
    return folder


def state_of(repo: Path) -> Path:
    return repo / ".git" / "gitmem"


def replaced(place: Path) -> Path:
    """Return a place where nothing is, its folder made."""
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.is_dir() and not place.is_symlink():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    return place


def reads_leave_alone(repo: Path, victim: Path) -> None:
    """Every command that reads answers, and the victim's folder is what it was."""
    before = everything(victim)
    for argv in READS:
        done = run(repo, *argv)
        assert done.status == 0, (argv, done.err)
        assert everything(victim) == before, argv
    assert "gateway" in run(repo, "list").out


@pytest.mark.parametrize("target", ["victim", "victim/notes.sqlite", "victim/nothing", "service/.git/gitmem"])
def test_state_folder_that_is_a_link_is_refused_and_what_it_leads_to_stays(
    repo: Path, victim: Path, target: str
) -> None:
    replaced(state_of(repo)).symlink_to(repo.parent / target)
    before = everything(victim)

    for argv in (*READS, ["doctor", "--fix"], ["remember", "something new"], ["verify"], ["mcp"]):
        done = run(repo, *argv)
        assert (done.status, "is a symbolic link" in done.err) == (3, True), (argv, done)
    assert everything(victim) == before
    assert state_of(repo).is_symlink()

    hint = done.err.partition("rm ")[2].split("\n")[0]
    subprocess.run(f"rm {hint}", shell=True, check=True)
    assert everything(victim) == before
    reads_leave_alone(repo, victim)


def test_hook_of_an_agent_goes_through_no_link(repo: Path, victim: Path) -> None:
    replaced(state_of(repo)).symlink_to(victim)
    before = everything(victim)

    done = run(repo, "hook", "claude-code", stdin='{"hook_event_name": "UserPromptSubmit", "prompt": "gateway"')

    assert (done.status, everything(victim)) == (0, before)


def test_folders_of_the_state_that_are_links_go(repo: Path, victim: Path) -> None:
    for name in FOLDERS:
        replaced(state_of(repo) / name).symlink_to(victim)

    reads_leave_alone(repo, victim)
    assert [name for name in FOLDERS if (state_of(repo) / name).is_symlink()] == []


@pytest.mark.parametrize("name", ["", "background", "background/log", "background/checkout.started"])
def test_git_hook_goes_through_no_link(repo: Path, victim: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(repo, "install", "git-hooks").status == 0
    monkeypatch.delenv("GITMEM_BACKGROUND")
    (victim / "background" / "checkout.started").write_text("mine")
    os.utime(victim / "background" / "checkout.started", (0, 0))
    replaced(state_of(repo) / name).symlink_to(victim / name)
    before = everything(victim)

    git(repo, "checkout", "-q", "-b", "topic")

    assert everything(victim) == before


@pytest.mark.parametrize("target", ["notes.sqlite", "nothing", "."])
def test_file_of_the_state_that_is_a_link_is_not_written_through(repo: Path, victim: Path, target: str) -> None:
    for name in FILES:
        replaced(state_of(repo) / name).symlink_to(victim / target)

    reads_leave_alone(repo, victim)
    assert run(repo, "remember", "a thing that was learnt later").status == 0


def test_links_that_lead_in_a_circle_hinder_no_one(repo: Path, victim: Path) -> None:
    for name in FILES:
        replaced(state_of(repo) / name).symlink_to(Path(name).name)

    reads_leave_alone(repo, victim)


def test_what_is_no_file_in_the_place_of_one_hinders_no_one(repo: Path, victim: Path) -> None:
    for nth, name in enumerate(FILES):
        os.mknod(replaced(state_of(repo) / name), (stat.S_IFSOCK if nth % 2 else stat.S_IFIFO) | 0o600)

    reads_leave_alone(repo, victim)
    assert run(repo, "remember", "a thing that was learnt later").status == 0


@pytest.mark.whole_system
def test_folder_in_the_place_of_a_file_is_no_bug(repo: Path, run_cli) -> None:
    for name in FILES:
        place = replaced(state_of(repo) / name)
        (place / "inside").mkdir(parents=True)

        done = [run_cli(*argv).status for argv in (["list"], ["remember", f"learnt with {name}"], ["doctor", "--fix"])]

        assert (set(done) <= {0, 1, 3}, done[0]) == (True, 0), (name, done)
        assert "gateway" in run_cli("list").out
        if place.is_dir():
            shutil.rmtree(place)

    for argv in READS:
        for name in FILES:
            (replaced(state_of(repo) / name) / "inside").mkdir(parents=True)
        assert run_cli(*argv).status in (0, 1, 3), argv


def test_links_in_a_linked_worktrees_own_state_go(repo: Path, victim: Path) -> None:
    git(repo, "worktree", "add", "-q", "../side")
    own = repo / ".git" / "worktrees" / "side" / "gitmem"
    for name in ("home", "home-index/catalog.sqlite"):
        replaced(own / name).symlink_to(victim / "notes.sqlite")

    reads_leave_alone(repo.parent / "side", victim)

    replaced(own).symlink_to(victim)
    before = everything(victim)
    assert run(repo.parent / "side", "list").status == 3
    assert everything(victim) == before


@pytest.mark.parametrize("level", ["worktrees", "worktrees/side", "worktrees/side/gitmem", "worktrees/side/gitmem/at"])
@pytest.mark.parametrize("is_known", [True, False])
def test_clearing_what_is_derived_goes_through_no_link(repo: Path, victim: Path, level: str, is_known: bool) -> None:
    inside = "worktrees/side/gitmem/at"[len(level) :].lstrip("/")
    theirs = victim / inside / "catalog.sqlite"
    theirs.parent.mkdir(parents=True, exist_ok=True)
    theirs.write_text("mine")
    replaced(repo / ".git" / level).symlink_to(victim)
    (state_of(repo) / "catalog.sqlite").write_text("damaged")
    if not is_known:
        (state_of(repo) / "clone-id").write_text("a" * 32 + "\n")

    reads_leave_alone(repo, victim)


def test_listed_worktree_with_links_is_read_and_nothing_there_changes(repo: Path, victim: Path, template: Path) -> None:
    here = Path(shutil.copytree(template, repo.parent / "here", symlinks=True))
    side = repo.parent / "side"
    git(repo, "worktree", "add", "-q", str(side))
    git(here, "config", "gitmem.stores", str(side))
    own = repo / ".git" / "worktrees" / "side" / "gitmem"
    for place, words, stdin_text in (
        (own / "home-index" / "catalog.sqlite", ["recall", "gateway"], "gateway"),
        (own, ["stores"], "is a symbolic link"),
    ):
        replaced(place).symlink_to(victim)
        before, theirs = everything(victim), everything(repo)

        done = run(here, *words)

        assert stdin_text in done.out, done
        assert (everything(victim), everything(repo)) == (before, theirs)


@pytest.mark.parametrize("kind", ["link", "gitfile"])
def test_dot_git_that_leads_to_another_repository_is_that_repository(repo: Path, victim: Path, kind: str) -> None:
    other = repo.parent / "other"
    other.mkdir()
    if kind == "link":
        (other / ".git").symlink_to(repo / ".git")
    else:
        (other / ".git").write_text(f"gitdir: {repo}/.git\n")
    for name in FILES:
        replaced(state_of(repo) / name).symlink_to(victim / "notes.sqlite")

    reads_leave_alone(other, victim)

    replaced(state_of(repo)).symlink_to(victim)
    before = everything(victim)
    assert run(other, "list").status == 3
    assert everything(victim) == before


def test_listed_repository_with_links_is_read_and_nothing_there_changes(
    repo: Path, victim: Path, template: Path
) -> None:
    here = Path(shutil.copytree(template, repo.parent / "here", symlinks=True))
    git(here, "config", "gitmem.stores", str(repo))
    for name in FILES:
        replaced(state_of(repo) / name).symlink_to(victim / "notes.sqlite")
    before, theirs = everything(victim), everything(repo)

    done = run(here, "recall", "gateway")

    assert (done.status, "service:gateway" in done.out) == (0, True), done
    assert (everything(victim), everything(repo)) == (before, theirs)

    replaced(state_of(repo)).symlink_to(victim)
    theirs = everything(repo)
    assert "is a symbolic link" in run(here, "stores").out
    assert (everything(victim), everything(repo)) == (before, theirs)


def test_state_folder_that_cannot_be_listed_is_refused(repo: Path, victim: Path) -> None:
    """As root everything can be listed: then the links go, as they do elsewhere."""
    replaced(state_of(repo) / "catalog.sqlite").symlink_to(victim / "notes.sqlite")
    state_of(repo).chmod(0o300)
    before = everything(victim)

    done = run(repo, "list")

    state_of(repo).chmod(0o700)
    assert done.status == (0 if os.geteuid() == 0 else 3)
    assert everything(victim) == before
