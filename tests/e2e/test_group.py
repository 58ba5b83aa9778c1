"""A repository that a group shares: each member writes, nobody else may; and a umask of 000 opens nothing."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import CODE, Ran, commit_files, git
from support.console import GITMEM, Console, environment, run
from support.payloads import payload

GROUP = 54_321
MEMBERS = {"ana": 54_001, "bob": 54_002}
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None, reason="only root can be two people, with setpriv"
)


class Person:
    """A member of the group, or not, with a home folder."""

    def __init__(self, name: str, top: Path, *, group: int = GROUP) -> None:
        self.home = top / name
        self.home.mkdir()
        (self.home / ".gitconfig").write_text(
            f"[user]\nname = {name}\nemail = {name}@example.org\n[safe]\ndirectory = *\n"
        )
        self.uid = MEMBERS.get(name, 54_003)
        for path in (self.home, self.home / ".gitconfig"):
            os.chown(path, self.uid, self.uid)
        # The interpreter may lie where only root may look: reading is allowed, writing is judged.
        caps = [
            "--inh-caps=-all,+dac_read_search",
            "--ambient-caps=+dac_read_search",
            "--bounding-set=-all,+dac_read_search",
        ]
        self._as = ["setpriv", f"--reuid={self.uid}", f"--regid={self.uid}", f"--groups={group}", *caps]

    def __call__(self, folder: Path, *argv: str, umask: str = "022", input: str | None = None) -> Ran:
        homes = {f"XDG_{name}_HOME": str(self.home / name.lower()) for name in ("STATE", "DATA", "CONFIG")}
        env = environment(HOME=str(self.home), GITMEM_VIEW="false", **homes)
        return run([*self._as, "sh", "-c", f'umask {umask}; exec "$@"', "-", *argv], folder, env=env, input=input)

    def ok(self, folder: Path, *argv: str, **options: str) -> str:
        done = self(folder, *argv, **options)
        assert done.status == 0, (argv, done)
        return done.out.strip()


@pytest.fixture
def top() -> Iterator[Path]:
    """Return a folder that everybody may look into."""
    folder = Path(tempfile.mkdtemp(prefix="gitmem-group-"))
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def shared(top: Path) -> Path:
    """Return a repository that the group shares, with some code."""
    repo = top / "service"
    repo.mkdir()
    git(repo, "init", "-q", "--shared=group", "-b", "main", ".")
    git(repo, "config", "user.name", "Root")
    git(repo, "config", "user.email", "root@example.org")
    commit_files(repo, CODE, "the service")
    for path in (repo, *repo.rglob("*")):
        os.chown(path, MEMBERS["ana"], GROUP)
        path.chmod(path.stat().st_mode | (0o2070 if path.is_dir() else 0o060))
    return repo


def keys(person: Person, repo: Path) -> list[str]:
    """Return the keys of the memories on the branch."""
    listed = person.ok(repo, "git", "ls-tree", "-r", "--name-only", "memory").split("\n")
    return sorted(Path(path).stem for path in listed if path.startswith(("learned/", "facts/")))


def open_to_others(folder: Path) -> list[str]:
    """Return what others than owner and group may do anything with."""
    return [str(p) for p in (folder, *folder.rglob("*")) if not p.is_symlink() and p.stat().st_mode & 0o007]


def closed_to_group(folder: Path) -> list[str]:
    """Return what the group may not read and write."""
    return [
        str(p) for p in (folder, *folder.rglob("*")) if p.stat().st_mode & 0o060 != 0o060 or p.stat().st_gid != GROUP
    ]


@pytest.mark.whole_system
@pytest.mark.parametrize("umask", ["077", "000"])
def test_each_member_of_a_group_writes_in_turn(shared: Path, top: Path, umask: str) -> None:
    ana, bob = Person("ana", top), Person("bob", top)
    command = {"command": 'bd comment s-1 "LEARNED: pelicans cache what herons fetch"'}
    event = json.dumps(payload("claude-code/PostToolUse.Bash", cwd=str(shared), tool_input=command))

    ana.ok(shared, str(GITMEM), "init", umask=umask)
    for person in (ana, bob, ana):
        turn = len(keys(ana, shared))
        person.ok(shared, str(GITMEM), "remember", f"Number {turn}", "--key", f"number-{turn}", umask=umask)
        person.ok(shared, str(GITMEM), "recall", "number", umask=umask)
        person.ok(shared, str(GITMEM), "fact", f"Retries {turn}", "--contains", "RETRIES", "--in", "src/**", "--key",
                  f"retries-{turn}", umask=umask)  # fmt: skip
        assert person(shared, str(GITMEM), "hook", "claude-code", umask=umask, input=event).status == 0
        person.ok(shared, str(GITMEM), "verify", "--all", umask=umask)
        assert person(shared, str(GITMEM), "doctor", "--fix", umask=umask).status == 0
        assert open_to_others(shared / ".git/gitmem") == []
        assert closed_to_group(shared / ".git/gitmem") == []

    assert len(keys(bob, shared)) == 7
    assert ana.ok(shared, "git", "fsck", "--full", "--strict", "--no-dangling") == ""
    assert Person("eve", top, group=54_999)(shared, str(GITMEM), "remember", "Let me in").status == 3


def test_a_second_member_repairs_what_an_older_gitmem_made_for_one(shared: Path, top: Path) -> None:
    ana, bob = Person("ana", top), Person("bob", top)
    ana.ok(shared, str(GITMEM), "remember", "First", "--key", "first")
    state = shared / ".git/gitmem"
    for path in (state, *state.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)

    refused = bob(shared, str(GITMEM), "remember", "Second", "--key", "second")
    ana.ok(shared, str(GITMEM), "list")
    bob.ok(shared, str(GITMEM), "remember", "Second", "--key", "second")

    assert refused.status == 3
    assert keys(ana, shared) == ["first", "second"]


def test_umask_that_hides_nothing_opens_no_state(repo: Path) -> None:
    console = Console(repo)
    event = json.dumps(payload("claude-code/SessionStart.startup", cwd=str(repo)))

    console.type(
        "umask 000; gitmem init; gitmem remember First --key first; gitmem fact R --contains RETRIES --in 'src/**'"
    )
    console.type("umask 000; gitmem verify; gitmem hook claude-code", input=event)

    state = repo / ".git/gitmem"
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert [p.name for p in state.iterdir() if p.is_dir() and p.stat().st_mode & 0o022] == []


def test_state_that_others_may_write_is_closed_by_the_next_command(repo: Path) -> None:
    console = Console(repo)
    console.ok("remember", "First", "--key", "first")
    (repo / ".git/gitmem").chmod(0o777)

    console.ok("list")

    assert stat.S_IMODE((repo / ".git/gitmem").stat().st_mode) == 0o700
