"""Boards on their ref: many writers at once, killed writers, and invalid files."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest
from conftest import NOW, git, put_files
from support.each import each

from gitmem.errors import ConflictError, NotFoundError, RefusedError, RunClosedError
from gitmem.frozen import replace
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.plugins.board import log
from gitmem.plugins.board.entry import Entry, format_entry, id_of, path_of
from gitmem.store.commit import WriteTarget
from gitmem.system.file_lock import try_lock

WORKER = """
import sys
from gitmem import Memory
with Memory(".") as memory:
    for n in range(int(sys.argv[2])):
        print(memory.boards.post("r", f"finding {n} of {sys.argv[1]}", worker=sys.argv[1]).entry.name, flush=True)
"""


def worker(repo, name: str, count: int) -> subprocess.Popen:
    argv = [sys.executable, "-c", WORKER, name, str(count)]
    return subprocess.Popen(argv, cwd=repo, stdout=subprocess.PIPE, text=True)


def entry(text: str, type: str = "observation") -> Entry:
    made = Entry(type, text, "w1", "Ana", NOW, {})
    return replace(made, id=id_of(made))


@pytest.fixture
def here(repo) -> Git:
    return Git(discover(str(repo)))


def post(here: Git, one: Entry, wait_s: float = 20.0) -> log.PostedEntry:
    return log.post(WriteTarget(here, log.ref_of("r"), "board post", wait_s), "r", one, now=NOW)


def waiting(here: Git) -> list[str]:
    return sorted(name for name in os.listdir(here.repository.state_dir / "boards/r") if name != "lock")


def test_entries_are_numbered_and_a_repeated_one_is_not_added(here):
    posted = [post(here, entry(text)) for text in ("one", "two", "one")]

    assert [(one.entry.name, one.is_written) for one in posted] == [("e1", True), ("e2", True), ("e1", False)]
    assert [one.text for one in log.read_board(here, "r").entries] == ["one", "two"]
    assert (log.list_runs(here), waiting(here)) == (["r"], [])


@pytest.mark.whole_system
def test_concurrent_workers_lose_nothing_and_a_killed_one_can_repeat(repo, here):
    post(here, entry("goal"))
    running = [worker(repo, f"w{n}", 6) for n in range(4)]
    assert running[0].stdout.readline()  # it is in the middle of its work
    running[0].send_signal(signal.SIGKILL)
    running[0].communicate()

    running[0] = worker(repo, "w0", 6)
    named = [one.communicate()[0].split() for one in running]

    entries = [one for one in log.read_board(here, "r").entries if one.text != "goal"]
    assert sorted(one.text for one in entries) == sorted(f"finding {n} of w{w}" for w in range(4) for n in range(6))
    assert sorted(name for names in named for name in names) == sorted({one.name for one in entries})


def test_entry_of_a_killed_writer_is_committed_with_the_next_one(here):
    post(here, entry("first"))
    folder = here.repository.state_dir / "boards/r"
    (folder / f"{entry('left').id}.json").write_bytes(format_entry(entry("left")))
    (folder / f"{entry('first').id}.json").write_bytes(format_entry(entry("first")))
    (folder / "half.json").write_bytes(b'{"format": 1, "te')

    post(here, entry("next"))

    assert sorted(one.text for one in log.read_board(here, "r").entries) == ["first", "left", "next"]
    assert [name for name in waiting(here) if name.endswith(".json")] == ["half.json"]


def test_timeout_names_the_board_that_another_process_is_writing(here):
    post(here, entry("first"))
    held = try_lock(here.repository.state_dir / "boards/r/lock")
    try:
        with pytest.raises(ConflictError, match="is writing the board r"):
            post(here, entry("second"), wait_s=0.0)
    finally:
        os.close(held)

    assert [one.text for one in log.read_board(here, "r").entries] == ["first"]
    assert waiting(here) == []


def test_closed_run_takes_no_more_entries(here):
    post(here, entry("first"))
    post(here, entry("done", "closing"))

    with pytest.raises(RunClosedError, match="the run r is closed"):
        post(here, entry("late"))

    assert log.read_board(here, "r").is_closed
    assert waiting(here) == []


def test_invalid_files_do_not_hide_entries(repo, here):
    post(here, entry("good"))
    other = entry("other words")
    files = {
        path_of("e", 2, other.id): format_entry(replace(other, text="changed")),
        path_of("e", 3, entry("ok").id): format_entry(entry("ok")),
        path_of("e", 4, "0" * 16): b"x" * 300_000,
        "gitmem.toml": "",
        "entries/e5": "x",
    }
    put_files(repo, files, ref=log.ref_of("r"))

    board = log.read_board(here, "r")

    assert [one.text for one in board.entries] == ["good", "ok"]
    assert len(board.problems) == 4
    assert post(here, entry("still")).entry.number == 5  # the numbers of bad files are not given again


@each("name", ["", "A", "a/b", "a..b", "-a", "x.lock", "a b", "../x"])
def test_name_that_cannot_be_a_ref_is_refused(name):
    with pytest.raises(RefusedError, match="invalid name of a run"):
        log.ref_of(name)


def test_error_for_a_missing_board_says_how_to_open_one(here):
    with pytest.raises(NotFoundError, match="there is no board r"):
        log.read_board(here, "r")


def test_board_is_a_ref_of_its_own(repo, here):
    post(here, entry("first"))

    assert git(repo, "for-each-ref", "--format=%(refname)") == "refs/gitmem/runs/r\nrefs/heads/main"
    assert git(repo, "status", "--porcelain") == ""
