"""A write is whole, durable and nobody else's loss: or it is refused, and nothing was changed."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import NOW, commit_files, git, put_files, tip
from support.each import each

from gitmem.errors import ConflictError, ForeignBranchError, GitmemError, ProcessError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.memory import Memory
from gitmem.store import commit as module
from gitmem.store import layout
from gitmem.store.commit import CommitPlan, CommitResult, WriteTarget, write_commit
from gitmem.store.scopes import POLICY_PATH

REF = "refs/heads/memory"
# An empty tree, the constants of `layout`, SHA-1: what every clone that begins apart must begin with.
ROOT = "e7b80b276c06884a0d4ac696766e91b98022f7f6"
FILE = ("facts/a.md", b"a\n")


def door(folder: Path) -> Git:
    return Git(discover(folder))


def target(folder: Path, lock_timeout_s: float = 5, **options: str) -> WriteTarget:
    return WriteTarget(door(folder), REF, "test", lock_timeout_s, **options)


def write(folder: Path, plan: CommitPlan | None = None, **options: Any) -> CommitResult | None:
    """Write one file, or a plan, to the memory branch."""
    planned = plan or CommitPlan("fact: add a", writes=(FILE,))
    return write_commit(target(folder, **options), lambda _: planned, now=NOW)


def files(folder: Path, commit: str = REF) -> dict[str, str]:
    """Return the content of each file of a commit by path, but for the policy that every store begins with."""
    paths = git(folder, "ls-tree", "-r", "-z", "--name-only", commit).split("\0")
    return {path: git(folder, "show", f"{commit}:{path}") for path in paths if path not in ("", POLICY_PATH)}


def is_sound(folder: Path) -> bool:
    """Return whether every object of the repository is whole (git-fsck(1))."""
    done = subprocess.run(["git", "fsck", "--full", "--strict"], cwd=folder, capture_output=True, check=False)
    return done.returncode == 0


# What is written


def test_a_first_write_starts_the_branch_at_the_root_that_all_clones_share(repo: Path, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "other")

    for folder in (repo, tmp_path / "other"):
        write(folder)

    assert git(repo, "rev-list", "--max-parents=0", REF) == ROOT
    assert git(tmp_path / "other", "rev-list", "--max-parents=0", REF) == ROOT
    assert git(repo, "ls-tree", "-r", ROOT) == ""


def test_acknowledged_commit_is_the_tip(repo: Path) -> None:
    written = write(repo)

    assert written is not None
    assert written.commit == tip(repo)
    names = ("facts/a.md", POLICY_PATH)
    assert written.oids == {name: git(repo, "rev-parse", f"memory:{name}") for name in names}
    assert files(repo) == {"facts/a.md": "a"}
    assert "\nformat = 2\n" in git(repo, "show", f"memory:{POLICY_PATH}")


def test_a_write_names_the_tip_it_was_built_on(repo: Path) -> None:
    first, second = write(repo), write(repo, CommitPlan("fact: add b", writes=(("facts/b.md", b"b"),)))

    assert first is not None
    assert second is not None
    assert (first.base, second.base) == ("", first.commit)
    assert git(repo, "rev-parse", "memory^") == first.commit


def test_first_write_starts_at_the_given_commit(repo: Path) -> None:
    start = put_files(repo, {"facts/theirs.md": "x"}, ref="refs/remotes/origin/memory")

    written = write(repo, start=start)

    assert written is not None
    assert written.base == git(repo, "rev-parse", "memory^") == start
    assert set(files(repo)) == {"facts/a.md", "facts/theirs.md"}


def test_files_are_written_moved_and_deleted_in_one_commit(repo: Path) -> None:
    put_files(repo, {"facts/a.md": "a", "facts/b.md": "b", "facts/c.md": "c", "gotchas/d.md": "d"})
    before = tip(repo)

    write(
        repo,
        CommitPlan(
            "facts: split",
            moves=(("facts/a.md", "facts/00/a.md"), ("facts/b.md", "facts/01/b.md")),
            deletes=("facts/c.md", "facts/none.md"),
            writes=(("facts/00/a.md", b"new a"), ("facts/e.md", b"")),
        ),
    )

    assert files(repo) == {"facts/00/a.md": "new a", "facts/01/b.md": "b", "facts/e.md": "", "gotchas/d.md": "d"}
    assert git(repo, "rev-parse", "memory^") == before


def test_bytes_are_kept_as_they_are(repo: Path) -> None:
    git(repo, "config", "core.autocrlf", "true")
    content = b"\r\n\0\xff done\nfeature done\n\r\n" + bytes(range(256))

    write(repo, CommitPlan("fact: add a", writes=(("facts/a.md", content),)))

    assert door(repo).read_blob("memory:facts/a.md", limit=1000) == content


def test_more_files_than_names_are_asked_for_are_written(repo: Path) -> None:
    names = [f"facts/k{n}.md" for n in range(module.NAMES_ASKED + 50)]

    written = write(repo, CommitPlan("facts", writes=tuple((name, name.encode()) for name in names)))

    assert written is not None
    assert written.oids == {}
    assert files(repo) == {name: name for name in names}
    assert is_sound(repo)


def test_empty_plan_writes_nothing(repo: Path) -> None:
    write(repo)
    before = tip(repo)

    done = write_commit(target(repo), lambda _: None, now=NOW)

    assert done is None
    assert tip(repo) == before
    assert (repo / ".git/gitmem/lock").read_text() == ""


def test_an_error_of_the_plan_lets_go_of_the_lock(repo: Path) -> None:
    def plan(_: str | None) -> CommitPlan:
        raise ConflictError("no")

    with pytest.raises(ConflictError):
        write_commit(target(repo), plan, now=NOW)

    assert write(repo, lock_timeout_s=0) is not None


# The message


def test_the_message_has_its_trailers_where_git_reads_them(repo: Path) -> None:
    trailers = (("Gitmem-Key", "a"), ("Gitmem-Source", "agent x\nSigned-off-by: Mallory\r\n\nnew paragraph"))
    write(repo, CommitPlan("fact: add a", writes=(FILE,), body="why\n\nmore", trailers=trailers))

    assert git(repo, "log", "-1", "--format=%(trailers)", REF).splitlines() == [
        "Gitmem-Key: a",
        "Gitmem-Source: agent x Signed-off-by: Mallory new paragraph",
    ]
    assert git(repo, "log", "-1", "--format=%s", REF) == "fact: add a"


def test_the_person_is_the_author_and_gitmem_that_of_a_machines_commit(repo: Path) -> None:
    write(repo)
    write(repo, CommitPlan("verify: 1 verdict", writes=(("STATUS.md", b"x"),), machine=True))

    assert git(repo, "log", "--format=%an <%ae> %cn %at", "-2", REF).splitlines() == [
        f"gitmem <gitmem@localhost> gitmem {NOW}",
        f"Ana <ana@example.org> Ana {NOW}",
    ]


@each("name", ["A <b> C", "ünï", "x\ncommitter Mallory <m@x> 0 +0000", "", "<>"])
def test_no_name_breaks_the_commit(repo: Path, name: str) -> None:
    git(repo, "config", "user.name", name)

    write(repo)

    assert git(repo, "log", "-1", "--format=%ct", REF) == str(NOW)
    assert is_sound(repo)


def test_a_commit_is_never_signed(repo: Path) -> None:
    git(repo, "config", "commit.gpgSign", "true")
    git(repo, "config", "gpg.program", "/nowhere")

    write(repo)

    assert "gpgsig" not in git(repo, "cat-file", "commit", REF)


# What is not touched


def test_users_index_and_work_tree_are_not_touched(repo: Path) -> None:
    marker = repo.parent / "ran"
    (repo / "README.md").write_text("edited\n")
    (repo / "staged").write_text("staged\n")
    git(repo, "add", "staged")
    for name in ("reference-transaction", "pre-commit", "post-commit", "post-checkout", "post-index-change"):
        (repo / ".git/hooks" / name).write_text(f"#!/bin/sh\ntouch '{marker}'\nexit 1\n")
        (repo / ".git/hooks" / name).chmod(0o755)
    watched = [repo / ".git/HEAD", repo / ".git/index", repo / ".git/config", repo / "README.md"]
    before = [path.read_bytes() for path in watched], git(repo, "for-each-ref", "refs/heads/main")

    write(repo)

    assert ([path.read_bytes() for path in watched], git(repo, "for-each-ref", "refs/heads/main")) == before
    assert not marker.exists()
    assert git(repo, "status", "--porcelain").splitlines() == [" M README.md", "A  staged"]


def test_environment_of_a_hook_does_not_redirect_the_write(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(tmp_path, "init", "-q", "canary")
    canary = tmp_path / "canary" / ".git"
    before = sorted((str(path), path.stat().st_mtime_ns) for path in canary.rglob("*"))
    for name, value in {
        "GIT_DIR": canary,
        "GIT_COMMON_DIR": canary,
        "GIT_INDEX_FILE": canary / "index",
        "GIT_OBJECT_DIRECTORY": canary / "objects",
        "GIT_WORK_TREE": tmp_path / "canary",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "user.name",
        "GIT_CONFIG_VALUE_0": "canary",
        "GIT_CONFIG_PARAMETERS": "'user.name'='canary'",
        "GIT_AUTHOR_NAME": "canary",
        "GIT_COMMITTER_DATE": "1 +0000",
        "GIT_NAMESPACE": "canary",
    }.items():
        monkeypatch.setenv(name, str(value))

    written = write(repo)

    for name in [n for n in os.environ if n.startswith("GIT_")]:
        monkeypatch.delenv(name)
    assert written is not None
    assert git(repo, "log", "-1", "--format=%H %an %ct", REF) == f"{written.commit} Ana {NOW}"
    assert sorted((str(path), path.stat().st_mtime_ns) for path in canary.rglob("*")) == before


SHAPES = {
    "linked": lambda repo: git(repo, "worktree", "add", "-q", "--detach", "../other"),
    "bare": lambda repo: git(repo, "clone", "-q", "--bare", ".", "../other"),
    "shallow": lambda repo: git(repo, "clone", "-q", "--depth", "1", f"file://{repo}", "../other"),
    "sha256": lambda repo: git(repo.parent, "init", "-q", "--object-format=sha256", "other"),
    "unborn": lambda repo: git(repo.parent, "init", "-q", "other"),
    "odd-name": lambda repo: git(repo, "clone", "-q", ".", "../other"),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_of_repository_is_written_to(repo: Path, shape: str) -> None:
    SHAPES[shape](repo)
    folder = repo.parent / "other"
    if shape == "odd-name":
        folder = folder.rename(repo.parent / 'it\'s\n"ünï" \udcff')

    first, second = write(folder), write(folder, CommitPlan("b", writes=(("facts/b.md", b"b"),)))

    assert first is not None
    assert second is not None
    assert second.commit == tip(folder)
    assert set(files(folder)) == {"facts/a.md", "facts/b.md"}
    assert is_sound(folder)


# Other writers


def test_a_lost_race_is_planned_again_on_the_new_tip(repo: Path) -> None:
    write(repo)
    seen: list[str | None] = []

    def plan(at: str | None) -> CommitPlan:
        seen.append(at)
        if len(seen) == 1:
            put_files(repo, {"facts/theirs.md": "theirs"})
        return CommitPlan("fact: add ours", writes=(("facts/ours.md", b"ours"),))

    written = write_commit(target(repo), plan, now=NOW)

    assert written is not None
    assert seen == [git(repo, "rev-parse", "memory~2"), git(repo, "rev-parse", "memory~1")]
    assert set(files(repo)) == {"facts/a.md", "facts/theirs.md", "facts/ours.md"}


def test_a_branch_that_another_starts_meanwhile_is_not_replaced(repo: Path) -> None:
    seen: list[str | None] = []

    def plan(at: str | None) -> CommitPlan:
        seen.append(at)
        if len(seen) == 1:
            put_files(repo, {"facts/theirs.md": "theirs"})
        return CommitPlan("fact: add ours", writes=(("facts/ours.md", b"ours"),))

    write_commit(target(repo), plan, now=NOW)

    assert seen[0] is None
    assert set(files(repo)) == {"facts/theirs.md", "facts/ours.md"}


def test_a_branch_that_is_rewritten_meanwhile_is_not_put_back(repo: Path) -> None:
    old = put_files(repo, {"facts/old.md": "old"})
    new = put_files(repo, {"facts/new.md": "new"}, ref="refs/heads/rewritten")
    seen: list[str | None] = []

    def plan(at: str | None) -> CommitPlan:
        seen.append(at)
        git(repo, "update-ref", REF, new)
        return CommitPlan("fact: add ours", writes=(("facts/ours.md", b"ours"),))

    write_commit(target(repo), plan, now=NOW)

    assert seen == [old, new]
    assert set(files(repo)) == {"facts/new.md", "facts/ours.md"}


def test_writer_that_always_loses_the_race_gets_an_error(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module.time, "sleep", lambda _: None)
    monkeypatch.setattr(module, "ATTEMPTS", 4)
    count = 0

    def plan(_: str | None) -> CommitPlan:
        nonlocal count
        count += 1
        put_files(repo, {f"facts/theirs{count}.md": "theirs"})
        return CommitPlan("fact: add ours", writes=(("facts/ours.md", b"ours"),))

    with pytest.raises(ConflictError, match="other writers updated it first 4 times"):
        write_commit(target(repo), plan, now=NOW)

    assert len(files(repo)) == 4


def test_a_branch_below_ours_is_named_at_once(repo: Path) -> None:
    git(repo, "branch", "memory/x")
    began = time.monotonic()

    with pytest.raises(ConflictError, match="'refs/heads/memory/x' exists") as caught:
        write(repo, lock_timeout_s=120)

    assert time.monotonic() - began < 60
    assert "gitmem init --branch memory-store" in caught.value.hint


def test_the_branch_that_is_checked_out_here_is_not_moved(repo: Path) -> None:
    git(repo, "checkout", "-q", "--orphan", "memory")

    with pytest.raises(ConflictError, match="checked out"):
        write(repo)

    assert git(repo, "rev-parse", "--verify", "-q", REF, check=False) == ""


def test_a_lock_that_another_git_holds_is_named_and_left_alone(repo: Path) -> None:
    write(repo)
    lock = repo / ".git/refs/heads/memory.lock"
    lock.touch()

    with pytest.raises(ConflictError, match=r"memory\.lock") as caught:
        write(repo)

    assert lock.exists()
    assert "doctor --fix" in caught.value.hint


def test_a_lock_that_another_git_lets_go_of_is_waited_for(repo: Path) -> None:
    write(repo)
    lock = repo / ".git/refs/heads/memory.lock"
    lock.touch()
    later = subprocess.Popen(["sh", "-c", f"sleep 0.2; rm '{lock}'"])

    try:
        assert write(repo, CommitPlan("b", writes=(("facts/b.md", b"b"),))) is not None
    finally:
        later.wait()


MANY_WRITES = """
import sys
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.store.commit import CommitPlan, WriteTarget, write_commit
target = WriteTarget(Git(discover(sys.argv[1])), "refs/heads/memory", "remember", 300)
for n in range(12):
    path = f"facts/{sys.argv[2]}-{n}.md"
    plan = CommitPlan("fact: add", writes=((path, path.encode()),))
    written = write_commit(target, lambda _: plan, now=1_790_000_000)
    print(path, written.commit, flush=True)
"""


@pytest.mark.whole_system
@pytest.mark.parametrize("locked", [True, False], ids=["with-our-lock", "by-compare-and-swap-alone"])
def test_processes_that_write_at_once_lose_nothing(repo: Path, locked: bool) -> None:
    # Other clones' tools do not take our lock: safety must not hang on it.
    script = MANY_WRITES if locked else f"import fcntl; fcntl.flock = lambda *_: None{MANY_WRITES}"
    writers = [
        subprocess.Popen([sys.executable, "-c", script, str(repo), f"w{n}"], stdout=subprocess.PIPE, text=True)
        for n in range(4 if locked else 3)
    ]

    lines = [line.split(" ") for writer in writers for line in writer.communicate()[0].splitlines()]

    assert [writer.returncode for writer in writers] == [0] * len(writers)
    assert sorted(path for path, _ in lines) == sorted(files_of(repo))
    assert len(lines) == 12 * len(writers)
    assert {commit for _, commit in lines} | {ROOT} == set(git(repo, "rev-list", "--first-parent", REF).split())
    assert is_sound(repo)


def files_of(repo: Path) -> list[str]:
    return list(files(repo))


# Crashes

ONE_WRITE = """
import sys
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.store.commit import CommitPlan, WriteTarget, write_commit
path = sys.argv[2]
target = WriteTarget(Git(discover(sys.argv[1])), "refs/heads/memory", "remember", 300)
plan = CommitPlan("fact: add", writes=((path, path.encode()),))
written = write_commit(target, lambda _: plan, now=1_790_000_000)
print(written.commit, flush=True)
"""


def slow_git(folder: Path, *, before: str = "") -> dict[str, str]:
    """Return an environment whose git waits before it imports, so that its parent can be killed meanwhile."""
    folder.mkdir()
    script = folder / "git"
    wait = f'touch "{folder}/began"; {before} while [ -e "{folder}/hold" ]; do sleep 0.02; done'
    script.write_text(f'#!/bin/sh\ncase "$*" in *fast-import*) {wait};; esac\nexec {shutil.which("git")} "$@"\n')
    script.chmod(0o755)
    (folder / "hold").touch()
    return {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}


def wait_until(claim: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not claim():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


def test_a_killed_writers_git_is_waited_for_as_if_it_were_the_writer(repo: Path, tmp_path: Path) -> None:
    write(repo)
    env = slow_git(tmp_path / "bin")
    first = subprocess.Popen([sys.executable, "-c", ONE_WRITE, str(repo), "facts/first.md"], env=env)
    wait_until((tmp_path / "bin" / "began").exists)
    first.kill()
    first.wait()

    with pytest.raises(ConflictError, match=f"process {first.pid} \\(remember\\)"):
        write(repo, CommitPlan("b", writes=(("facts/b.md", b"b"),)), lock_timeout_s=0.2)

    (tmp_path / "bin" / "hold").unlink()
    assert write(repo, CommitPlan("b", writes=(("facts/b.md", b"b"),))) is not None
    assert {"facts/a.md", "facts/b.md"} <= set(files(repo))
    assert is_sound(repo)


def test_a_ref_lock_that_a_killed_writer_left_is_cleared_by_the_next(repo: Path, tmp_path: Path) -> None:
    write(repo)
    lock = repo / ".git/refs/heads/memory.lock"
    env = slow_git(tmp_path / "bin", before=f'touch "{lock}";')
    first = subprocess.Popen(
        [sys.executable, "-c", ONE_WRITE, str(repo), "facts/first.md"], env=env, start_new_session=True
    )
    wait_until(lock.exists)
    os.killpg(first.pid, signal.SIGKILL)
    first.wait()

    assert write(repo, CommitPlan("b", writes=(("facts/b.md", b"b"),))) is not None
    assert not lock.exists()


def test_a_writer_that_is_killed_before_the_stream_ends_changes_nothing(repo: Path) -> None:
    write(repo)
    before = tip(repo)
    stream = module._stream(
        REF, CommitPlan("b", writes=(("facts/b.md", b"b"),)), tip=before, author=f"a <b> {NOW} +0000", ask=[]
    )

    for cut in range(0, len(stream), 7):
        git(repo, "fast-import", "--quiet", "--date-format=raw", input=stream[:cut], check=False)
        assert tip(repo) == before

    git(repo, "fast-import", "--quiet", "--date-format=raw", input=stream)
    assert tip(repo) != before


# Forks a writer for each name it is given: only the first start loads what they need.
WRITERS = """
import os, signal, sys
from gitmem.memory import Memory
folder, acknowledged = sys.argv[1:]
with Memory(folder) as memory:
    memory.remember("the first memory")
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for name in map(str.strip, sys.stdin):
    if os.fork() == 0:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.setsid()
        print(os.getpid(), flush=True)
        with Memory(folder) as memory, open(acknowledged, "a") as file:
            for n in range(1000):
                change = memory.remember(f"memory {n} of {name}", key=f"{name}-{n}")
                print(change.key, change.commit, file=file, flush=True)
        os._exit(0)
"""


def acknowledged(repo: Path) -> dict[str, str]:
    """Return key and commit of every write that was acknowledged."""
    lines = (repo.parent / "acknowledged").read_text().splitlines()
    return dict(line.split(" ") for line in lines)


@pytest.mark.whole_system
@pytest.mark.parametrize("group", [False, True], ids=["writer-alone", "with-its-git"])
def test_of_writers_that_are_killed_no_acknowledged_write_is_lost(repo: Path, group: bool) -> None:
    (repo.parent / "acknowledged").touch()
    argv = [sys.executable, "-c", WRITERS, str(repo), str(repo.parent / "acknowledged")]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        for n in range(16):
            before = len(acknowledged(repo))
            writers = [_fork(parent, f"w{n}-{m}") for m in range(2)]
            # Every fourth time in the first write, else in the middle of a later one (12 ms each here).
            if n % 4:
                wait_until(lambda before=before: len(acknowledged(repo)) > before)  # type: ignore[misc]
            time.sleep(0.003 * n)
            for writer in writers:
                (os.killpg if group else os.kill)(writer, signal.SIGKILL)
            for writer in writers:
                wait_until(lambda writer=writer: not Path(f"/proc/{writer}").exists())  # type: ignore[misc]

    assert write(repo, CommitPlan("last", writes=(("facts/last.md", b"last"),))) is not None

    message = acknowledged(repo)
    assert len(message) >= 12
    assert set(message.values()) < set(git(repo, "rev-list", REF).split())
    assert set(message) <= {path.rsplit("/", 1)[-1].removesuffix(".md") for path in files_of(repo)}
    assert is_sound(repo)
    assert not list((repo / ".git" / "refs").rglob("*.lock"))


def _fork(parent: subprocess.Popen[str], name: str) -> int:
    """Return the process of a new writer, the leader of a session of its own."""
    assert parent.stdin is not None
    assert parent.stdout is not None
    print(name, file=parent.stdin, flush=True)
    return int(parent.stdout.readline())


# Power cuts


@pytest.fixture
def traced(tmp_path: Path):
    """Return a function that runs Python under strace and returns its calls in order; skips without strace."""
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")

    def trace(script: str, *args: str) -> list[str]:
        out = tmp_path / "trace"
        calls = "fsync,fdatasync,rename,renameat,renameat2,link,linkat,write"
        argv = [strace, "-f", "-y", "-e", f"trace={calls}", "-o", str(out), sys.executable, "-c", script, *args]
        done = subprocess.run(argv, capture_output=True, check=False, text=True)
        if done.returncode != 0 and "ptrace" in done.stderr:
            pytest.skip("strace may not trace here")
        assert done.returncode == 0, done.stderr
        return out.read_text().splitlines()

    return trace


def position(calls: list[str], pattern: str) -> int:
    """Return the place of the last call that fits a pattern; -1 where there is none."""
    return max((at for at, call in enumerate(calls) if re.search(pattern, call)), default=-1)


def test_an_acknowledged_write_is_on_disk(repo: Path, traced) -> None:  # type: ignore[no-untyped-def]
    write(repo)
    before = set(git(repo, "rev-list", "--objects", "--no-object-names", REF).split())

    calls = traced(ONE_WRITE, str(repo), "facts/b.md")

    new = set(git(repo, "rev-list", "--objects", "--no-object-names", REF).split()) - before
    moved = position(calls, r'rename.*memory\.lock", .*refs/heads/memory"')
    message = position(calls, rf'write\(1<.*"{tip(repo)[:32]}')
    assert len(new) == 4  # commit, root, folder, blob
    assert 0 < moved < message
    for oid in new:
        name = f"objects/{oid[:2]}/{oid[2:]}"
        named = position(calls, rf'(rename|link).*{name}"')
        temporary = re.search(r'"[^"]*/(tmp_obj_\w+)"', calls[named])
        assert temporary, calls[named]
        assert 0 <= position(calls, rf"fsync\(.*{temporary[1]}>") < named < moved, "an object is synced before the ref"
        folder = position(calls, rf"fsync\(.*/objects/{oid[:2]}>")
        assert named < folder < message, "its name is synced before it is acknowledged"
    assert 0 <= position(calls, r"fsync\(.*refs/heads/memory\.lock>") < moved
    assert moved < position(calls, r"fsync\(.*/refs/heads>") < message


# Disks that are full or read-only

PROBE = "mount -t tmpfs -o size=1m tmpfs {0}"


def in_namespace(tmp_path: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a shell script where it may mount; skips where nobody may."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare is not installed")
    mount = tmp_path / "mount"
    mount.mkdir(exist_ok=True)
    base = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-ec"]
    probe = subprocess.run([*base, PROBE.format(mount)], capture_output=True, check=False)
    if probe.returncode != 0:
        pytest.skip("mounting is not allowed here, so no disk can be made full or read-only")
    return subprocess.run([*base, script], capture_output=True, text=True, check=False, cwd=tmp_path)


COMMANDS = """
mem() {{
    set +e
    "{python}" -m gitmem -C "$REPO" "$@" > "$OUT/$N.out" 2> "$OUT/$N.err"
    echo "$?" > "$OUT/$N.status"
    set -e
    N=$((N+1))
}}
export PYTHONPATH="{root}" PYTHONDONTWRITEBYTECODE=1
N=1
"""
READS = ["recall gateway", "list", "show a-key", "status", "context"]


def commands(tmp_path: Path) -> str:
    out = tmp_path / "out"
    out.mkdir()
    root = Path(module.__file__).parents[2]
    return f'OUT="{out}"\n' + COMMANDS.format(python=sys.executable, root=root)


def results(tmp_path: Path) -> list[tuple[int, str, str]]:
    """Return exit status, output and error of each command."""
    out = tmp_path / "out"
    count = len(list(out.glob("*.status")))
    read = [[(out / f"{n}.{end}").read_text() for end in ("status", "out", "err")] for n in range(1, count + 1)]
    return [(int(status), message, err) for status, message, err in read]


@pytest.fixture
def remembered(repo: Path) -> Path:
    """Return a repository with two memories, and no index."""
    write(repo)
    text = "---\ntitle: The gateway retries\nkind: learned\n---\n"
    put_files(repo, {"learned/a-key.md": text, "facts/a.md": "---\ntitle: a\nkind: learned\n---\n"})
    return repo


# With every state of the index: tests/e2e/test_disk.py.


@pytest.mark.whole_system
def test_in_a_read_only_repository_reads_work_and_writes_say_so(remembered: Path, tmp_path: Path) -> None:
    script = (
        f'{commands(tmp_path)}\nREPO="{remembered}"\nmount --bind "$REPO" "$REPO"\nmount -o remount,bind,ro "$REPO"\n'
    )
    script += "\n".join(f"mem {command}" for command in [*READS, "remember no", "forget a-key"])

    done = in_namespace(tmp_path, script)

    assert done.returncode == 0, done.stderr
    *reads, remember, forget = results(tmp_path)
    _assert_read(reads)
    for status, _, err in (remember, forget):
        assert status == 3
        assert "cannot be written to" in err
        assert "reading still works" in err


@pytest.mark.whole_system
def test_on_a_full_disk_reads_work_and_writes_say_so(remembered: Path, tmp_path: Path) -> None:
    with Memory(remembered) as memory:
        memory.repository.catalog()
    write(remembered, CommitPlan("later", writes=(("learned/later.md", b"---\ntitle: Later\nkind: learned\n---\n"),)))
    script = (
        commands(tmp_path)
        + f"""
mount -t tmpfs -o size=4m tmpfs mount
cp -r "{remembered}" mount/r
REPO="$PWD/mount/r"
dd if=/dev/zero of=mount/fill bs=4096 2>/dev/null || true
"""
    )
    script += "\n".join(f"mem {command}" for command in [*READS, "remember no", "forget a-key"])
    script += '\nrm mount/fill\nmem remember yes\ngit -C "$REPO" fsck --full --strict\nmem show yes\n'
    script += 'find "$REPO/.git" -path "*refs*.lock" -o -name "fast_import_crash*" | grep . && exit 9 || true\n'

    done = in_namespace(tmp_path, script)

    assert done.returncode == 0, done.stderr + done.stdout
    *reads, remember, forget, again, shown = results(tmp_path)
    _assert_read(reads)
    for status, message, err in (remember, forget):
        assert (status, message) == (3, "")
        assert "could not be written" in err or "cannot be written to" in err
    assert (again[0], shown[0]) == (0, 0)


def _assert_read(reads: list[tuple[int, str, str]]) -> None:
    assert [status for status, _, _ in reads] == [0] * len(READS), reads
    assert all("a-key" in message for _, message, _ in reads[:3]), reads


def test_if_no_file_may_grow_nothing_is_changed(repo: Path) -> None:
    write(repo)
    before = tip(repo)
    limited = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))\n" + ONE_WRITE

    done = subprocess.run(
        [sys.executable, "-c", limited, str(repo), "facts/b.md"], capture_output=True, text=True, check=False
    )

    assert "ProcessError" in done.stderr
    assert "nothing was changed" in done.stderr
    assert tip(repo) == before
    assert is_sound(repo)
    assert write(repo) is not None


def test_a_failed_import_leaves_no_report_in_the_repository(repo: Path) -> None:
    mine = repo / ".git/fast_import_crash_1"
    mine.write_text("of another program")
    os.utime(mine, (1, 1))

    with pytest.raises(ProcessError) as caught:
        write(repo, CommitPlan("a", moves=(("none.md", "other.md"),)))

    assert caught.value.exit_status == 3
    assert list((repo / ".git").glob("fast_import_crash_*")) == [mine]


def test_a_tip_whose_tree_is_gone_is_an_error_that_says_so(repo: Path) -> None:
    write(repo)
    tree = git(repo, "rev-parse", "memory^{tree}")
    (repo / ".git/objects" / tree[:2] / tree[2:]).unlink()

    with pytest.raises(GitmemError) as caught:
        write(repo, CommitPlan("b", writes=(("facts/b.md", b"b"),)))

    assert caught.value.exit_status == 3
    assert "space" not in caught.value.hint
    assert "git fsck" in caught.value.hint


def test_the_constants_of_the_root_are_those_of_the_format() -> None:
    assert (layout.ROOT_NAME, layout.ROOT_EMAIL, layout.ROOT_TIME) == ("gitmem", "gitmem@localhost", 1767225600)


def test_a_code_commit_beside_a_write_is_not_disturbed(repo: Path) -> None:
    write(repo)

    commit_files(repo, {"new.py": "x = 1\n"})
    write(repo, CommitPlan("b", writes=(("facts/b.md", b"b"),)))

    assert git(repo, "status", "--porcelain") == ""
    assert git(repo, "log", "-1", "--format=%s") == "change"


@pytest.mark.parametrize("is_default", [True, False], ids=["default-branch", "another-branch"])
def test_nothing_is_written_onto_a_branch_of_the_code(repo: Path, is_default: bool) -> None:
    code = "main" if is_default else "develop"
    git(repo, "switch", "-q", "-c", "topic" if is_default else "develop")
    git(repo, "switch", "-q", "topic" if is_default else "main")
    git(repo, "config", "gitmem.branch", code)
    before = tip(repo, f"refs/heads/{code}")

    with Memory(repo) as memory:
        with pytest.raises(ForeignBranchError, match=f"{code} is not a memory store"):
            memory.remember("x")
        with pytest.raises(ForeignBranchError, match="is not a memory store"):
            memory.init(offline=True)
        found = memory.doctor(fix=True)

    assert [p.code for p in found.problems if p.severity == "error"] == ["foreign-branch"]
    assert tip(repo, f"refs/heads/{code}") == before


def test_strays_pushed_onto_a_store_block_the_next_write(repo: Path) -> None:
    git(repo, "config", "gitmem.branch", "notes")
    with Memory(repo) as memory:
        memory.remember("one", key="a")
        put_files(repo, {"Odd Name.txt": "x"}, ref="refs/heads/notes")

        with pytest.raises(ForeignBranchError, match="has files that belong to no memory store") as refused:
            memory.remember("two", key="b")
        assert "gitmem doctor --delete='Odd Name.txt'" in refused.value.hint
        assert memory.show("a").document["title"] == "one"
        memory.doctor(fix=False, delete=["Odd Name.txt"])
        assert memory.remember("two", key="b").is_written
