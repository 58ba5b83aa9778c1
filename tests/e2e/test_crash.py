"""Crashes heal by themselves: whatever is killed wherever, acknowledged writes stay and the next command works."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from conftest import commit_files, git, memory_text, put_files, tip
from support.console import GITMEM, TIMEOUT_S, Console, environment, fsck, is_linear, keys_on_branch, run, start
from support.facts import approve_all

from gitmem.memory import Memory

REF_LOCK = "refs/heads/memory.lock"
# As git does it: a lock file is made, written and renamed or removed; whoever dies in between leaves it.
STALE_S = 40


@pytest.fixture
def console(repo: Path) -> Console:
    console = Console(repo)
    console.ok("remember", "The first of them", "--key", "first")
    return console


@contextlib.contextmanager
def running(argv: list[str], folder: Path, **options) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program whose whole session is killed at the end; what it had in temporary files is left in the test's."""
    options = {"env": environment(TMPDIR=str(folder.parent)), **options}
    child = start(argv, folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    try:
        yield child
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()


def until(is_so: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + TIMEOUT_S / 2
    while not is_so():
        assert time.monotonic() < deadline, f"it never came to this: {what}"
        time.sleep(0.01)


def is_sound(console: Console) -> None:
    """Fail where anything is left that a person would have to see to."""
    fsck(console.folder)
    assert is_linear(console.folder)
    assert console.json("doctor")["problems"] == []
    assert console.listed("--limit", "10000") == keys_on_branch(console.folder)
    assert list((console.folder / ".git").glob("fast_import_crash_*")) == []


# Killed writers

TYPED = 'n=0; while :; do n=$((n + 1)); "$0" remember "Loop $1 says $n" --key "$1-$n" >> "$2"; done'
CALLED = """
import sys
from gitmem import Memory
with Memory(".") as memory, open(sys.argv[2], "a") as told:
    for n in range(10_000):
        key = memory.remember(f"Call {sys.argv[1]} says {n}", key=f"{sys.argv[1]}-{n}").key
        print(key, file=told, flush=True)
"""
VERIFIED = 'while :; do "$0" verify --all; done > /dev/null'


@pytest.mark.whole_system
@pytest.mark.parametrize("alone", [False, True], ids=["with-its-git", "its-git-lives-on"])
def test_of_writers_that_are_killed_every_key_that_was_printed_is_on_the_branch(console: Console, alone: bool) -> None:
    dice, document = random.Random(7), console.folder.parent / "told"
    document.touch()
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries")
    rounds = 4

    for number in range(1, rounds + 1):
        before = document.stat().st_size
        loops = [
            [sys.executable, "-c", CALLED, f"c{number}", str(document)],
            ["bash", "-c", TYPED, str(GITMEM), f"t{number}", str(document)],
            ["bash", "-c", VERIFIED, str(GITMEM)],
        ]
        with contextlib.ExitStack() as stack:
            children = [stack.enter_context(running(argv, console.folder)) for argv in loops]
            if number % 3:  # else maybe before they have written anything
                until(lambda before=before: document.stat().st_size > before, "a writer prints a key")  # type: ignore[misc]
            time.sleep(dice.uniform(0.05, 0.45))
            if alone:
                children[0].kill()
                time.sleep(0.05)
        assert console.ok("remember", f"After round {number}", "--key", f"after-{number}") == f"after-{number}"

    printed = document.read_text().split()
    assert len(printed) >= 4
    expected = {*printed, "first", "retries", *(f"after-{n}" for n in range(1, rounds + 1))}
    assert expected <= set(keys_on_branch(console.folder))
    is_sound(console)
    assert not list((console.folder / ".git/refs").rglob("*.lock"))


@pytest.mark.parametrize(
    "argv",
    [["init"], ["index", "--rebuild"], ["forget", "old-7"], ["doctor", "--fix"], ["verify", "--all"], ["list"]],
    ids=lambda argv: argv[0],
)
def test_command_that_is_killed_anywhere_leaves_nothing_to_mend(console: Console, argv: list[str]) -> None:
    put_files(console.folder, {f"learned/old-{n}.md": memory_text(f"Old {n}") for n in range(60)})
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries")
    before = set(keys_on_branch(console.folder))

    for step in range(6):
        with running([str(GITMEM), *argv], console.folder):
            time.sleep(0.022 * step)
        assert console("recall", "the first of them").status == 0

    assert set(keys_on_branch(console.folder)) >= before - {"old-7"}
    console.ok("remember", "It goes on", "--key", "goes-on")
    assert console("verify").status == 0
    assert {"first", "retries", "goes-on", "old-8"} <= set(console.listed("--limit", "1000"))
    fsck(console.folder)
    assert console.json("doctor")["problems"] == []


# A killed verify


def cmdlines() -> list[bytes]:
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            found.append(place.read_bytes())
    return found


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc to find the check in")
def test_verify_that_was_killed_takes_its_checks_along_and_the_next_one_works(console: Console, tmp_path: Path) -> None:
    # Sleeps for a number of seconds that nothing else sleeps for, as long as the code says so.
    nap = f"6{os.getpid() % 10_000}.25"
    commit_files(console.folder, {"slow": "yes\n"})
    check = f"test -f src/auth/jwt.py && if test -e slow; then sleep {nap}; fi"
    console.ok("fact", "It is there", "--verify", check, "--key", "slow", "--unproven")
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries", "--unproven")
    with Memory(console.folder) as memory:
        approve_all(memory)
    before = tip(console.folder)

    def is_asleep() -> bool:
        return any(line.split(b"\0")[:2] == [b"sleep", nap.encode()] for line in cmdlines())

    with running([str(GITMEM), "verify"], console.folder, env=environment(TMPDIR=str(tmp_path))) as child:
        until(is_asleep, "the check runs")
        child.kill()
        child.wait()
        until(lambda: not is_asleep(), "the check is gone")

    assert tip(console.folder) == before
    assert console("recall", "retries").status == 0
    git(console.folder, "rm", "-q", "slow")
    git(console.folder, "commit", "-qm", "quick")
    assert console("verify").status == 0
    assert console.listed("--status", "verified") == ["retries", "slow"]
    is_sound(console)


def test_verify_that_is_interrupted_says_so_and_keeps_what_it_had(console: Console) -> None:
    nap = f"7{os.getpid() % 10_000}.25"
    console.ok("fact", "It is there", "--verify", f"test -f README.md && sleep {nap}", "--key", "slow", "--unproven")
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries", "--unproven")
    with Memory(console.folder) as memory:
        approve_all(memory)

    child = start([str(GITMEM), "verify"], console.folder)
    until(lambda: any(line.split(b"\0")[:2] == [b"sleep", nap.encode()] for line in cmdlines()), "the check runs")
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=TIMEOUT_S)

    assert child.returncode == 130, err
    assert b"interrupted" in err
    assert console.listed("--status", "verified") == ["retries"]
    is_sound(console)


# Locks

GIT_THAT_DIES = """#!/bin/sh
case " $* " in *" fast-import "*)
  : > "{lock}"
  : > "{marker}"
  exec sleep 60;;
esac
exec "{git}" "$@"
"""


def test_lock_of_a_killed_writer_clears_by_itself(console: Console, tmp_path: Path) -> None:
    lock, marker, tools = console.folder / ".git" / REF_LOCK, tmp_path / "marker", tmp_path / "tools"
    tools.mkdir()
    text = GIT_THAT_DIES.format(lock=lock, marker=marker, git=shutil.which("git"))
    (tools / "git").write_text(text)
    (tools / "git").chmod(0o755)
    env = environment()
    env["PATH"] = f"{tools}{os.pathsep}{env['PATH']}"
    with running([str(GITMEM), "remember", "Never acknowledged", "--key", "never"], console.folder, env=env):
        until(marker.exists, "git holds the lock of the branch")
    assert lock.exists()
    assert console.listed() == ["first"]

    done = console("remember", "The next one", "--key", "next")

    assert (done.status, done.out, done.err) == (0, "next\n", "")
    assert not lock.exists()
    assert console.listed() == ["first", "next"]
    is_sound(console)


def foreign_lock(console: Console, *, age_s: float) -> Path:
    lock = console.folder / ".git" / REF_LOCK
    lock.touch()
    os.utime(lock, (time.time() - age_s,) * 2)
    return lock


def test_old_lock_of_someone_else_is_named_and_doctor_clears_it(console: Console) -> None:
    lock = foreign_lock(console, age_s=STALE_S)

    done = console("remember", "Kept out", "--key", "kept-out")
    document = console.json("doctor")["problems"]
    still_there = lock.exists()
    reads = [console(*words).status for words in (["list"], ["recall", "first"], ["show", "first"], ["context"])]
    mended = console("doctor", "--fix")

    assert (done.status, done.out) == (3, "")
    assert str(lock) in done.err
    assert "gitmem doctor --fix" in done.err
    assert [(p["code"], p["hint"]) for p in document] == [("stale-lock", "gitmem doctor --fix")]
    assert still_there, "looking is not mending"
    assert reads == [0, 0, 0, 0]
    assert mended.status == 0, mended
    assert str(lock) in mended.out
    assert not lock.exists()
    assert console.ok("remember", "Let in", "--key", "let-in") == "let-in"
    assert console.listed() == ["first", "let-in"]


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no /proc to see who has a file open")
def test_lock_that_someone_holds_is_never_taken_away(console: Console) -> None:
    lock = foreign_lock(console, age_s=3600)
    before = lock.stat()

    with lock.open("w"):
        os.utime(lock, (before.st_mtime,) * 2)
        done = console("remember", "Kept out", "--key", "kept-out")
        doctor = console("doctor", "--fix")

        assert (done.status, doctor.status) == (3, 1)
        assert "ref-locked" in doctor.out
        assert (lock.stat().st_ino, lock.stat().st_mtime) == (before.st_ino, before.st_mtime)


def test_young_lock_is_never_taken_away(console: Console) -> None:
    lock = foreign_lock(console, age_s=2)

    done = console("remember", "Kept out", "--key", "kept-out")
    doctor = console("doctor", "--fix")

    assert (done.status, doctor.status) == (3, 1)
    assert lock.exists()
    assert console.listed() == ["first"]


def test_lock_that_is_let_go_of_is_waited_for(console: Console) -> None:
    lock = foreign_lock(console, age_s=0)

    child = start([str(GITMEM), "remember", "Patient", "--key", "patient"], console.folder)
    time.sleep(0.25)
    lock.unlink()
    out, err = child.communicate(timeout=TIMEOUT_S)

    assert (child.returncode, out) == (0, b"patient\n"), err


def test_lock_of_gitmem_that_a_living_process_holds_is_reported_with_its_process(console: Console) -> None:
    script = "import sys, time; from pathlib import Path; from gitmem.store.state.write_lock import WriteLock\n"
    script += (
        "with WriteLock(Path(sys.argv[1]), command='import', timeout_s=5): print('held', flush=True); time.sleep(60)"
    )
    holder = start([sys.executable, "-c", script, str(console.folder / ".git/gitmem")], console.folder)
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"held\n"
    try:
        done = console("remember", "Kept out", GITMEM_LOCK_TIMEOUT="0.3")
        reads = console("recall", "first")
    finally:
        holder.kill()
        holder.communicate()

    assert done.status == 3
    assert f"process {holder.pid} (import)" in done.err
    assert reads.status == 0
    assert console.ok("remember", "Let in", "--key", "let-in") == "let-in"


def test_other_stale_locks_of_git_are_no_hindrance(console: Console) -> None:
    for name in ("packed-refs.lock", "HEAD.lock", "index.lock", "config.lock", "shallow.lock", "refs/heads/main.lock"):
        (console.folder / ".git" / name).touch()

    assert console.ok("remember", "All the same", "--key", "same") == "same"
    assert console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries") == "retries"
    console.ok("forget", "first")
    assert console("verify").status == 0
    assert console.listed() == ["retries", "same"]


# What a crash may leave in our own files


def damage(path: Path, how: str) -> None:
    content = path.read_bytes() if path.exists() else b""
    texts = {"junk": b"\x00junk" * 500, "cut": content[: len(content) // 2]}
    path.write_bytes(texts[how])


# Every file of the state folder, in more shapes: test_state_damage.py.
DAMAGE = [
    *(("catalog.sqlite", how) for how in ("junk", "cut")),
    *((name, "junk") for name in ("catalog.sqlite-wal", "catalog.sqlite.new", "local.sqlite-wal", "lock")),
]


@pytest.mark.parametrize(("name", "how"), DAMAGE, ids=lambda value: value)
def test_damaged_file_of_our_own_heals_by_itself(console: Console, name: str, how: str) -> None:
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries")
    console.ok("show", "first")
    damage(console.folder / ".git/gitmem" / name, how)

    statuses = [console(*words).status for words in (["recall", "first"], ["show", "first"], ["verify"], ["context"])]

    assert statuses == [0, 0, 0, 0]
    assert console.ok("remember", "It goes on", "--key", "goes-on") == "goes-on"
    assert console.listed() == ["first", "goes-on", "retries"]
    assert {m["key"]: m["status"] for m in console.json("list")["memories"]}["retries"] == "verified"


def test_state_folder_that_is_gone_is_made_again(console: Console) -> None:
    console.ok("fact", "Retries", "--contains", "RETRIES", "--in", "src/**", "--key", "retries")
    shutil.rmtree(console.folder / ".git/gitmem")

    assert console.listed() == ["first", "retries"]
    assert console("verify").status == 0
    is_sound(console)


def test_broken_ref_is_reported_and_doctor_puts_it_back(console: Console) -> None:
    console.ok("remember", "The last", "--key", "last")
    good, ref = tip(console.folder), console.folder / ".git/refs/heads/memory"
    ref.write_bytes(b"")

    refused = console("remember", "Lost?")
    document = console("doctor")
    mended = console("doctor", "--fix")

    assert (refused.status, document.status) == (3, 1), (refused, document)
    assert "gitmem doctor --fix" in refused.err
    assert mended.status == 0, mended
    assert tip(console.folder) == good
    assert console.listed() == ["first", "last"]
    assert run(["git", "status"], console.folder).status == 0
