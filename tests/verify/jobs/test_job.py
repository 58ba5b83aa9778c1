"""Two verify jobs of one repository keep out of each other's way, and what the last one did is remembered."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW, git, tip
from support.facts import make_fact, put, verify

from gitmem.errors import BusyError, RemoteError
from gitmem.memory import Memory
from gitmem.system.file_lock import try_lock
from gitmem.verify.jobs.job import LOCK, NOTE, Job, is_running, last_job
from gitmem.verify.options import Options

_HOLDING = """
import sys, time
from gitmem.verify.jobs.job import JobRun
with JobRun(sys.argv[1], clock=time.time, is_scheduled=False, wait_s=0, report=print):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture
def stocked(memory: Memory, repo: Path) -> Memory:
    put(repo, make_fact("a", {"exists": "README.md"}), make_fact("b", {"exists": "nowhere"}), make_fact("c", "make"))
    return memory


def state(repo: Path) -> str:
    return str(repo / ".git" / "gitmem")


def test_job_leaves_a_note_of_what_it_did(stocked: Memory, repo: Path) -> None:
    verify(stocked)

    job = last_job(state(repo))
    head = git(repo, "rev-parse", "HEAD")
    assert job == Job(NOW, os.getpid(), NOW, head, due=3, failed=1, unchecked=1)
    assert not is_running(job)


def test_job_that_raises_leaves_the_reason_and_lets_go(stocked: Memory, repo: Path) -> None:
    with pytest.raises(RuntimeError):
        stocked.verify(options=Options(), report=_raise)

    job = last_job(state(repo))
    assert (job.ended, job.problem) == (NOW, "the disk is gone")
    assert verify(stocked).due == 2


def _raise(*_: object) -> None:
    raise RuntimeError("the disk\nis gone")


def test_interrupted_job_says_so_in_a_word(stocked: Memory, repo: Path) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stocked.verify(options=Options(), report=interrupt)

    assert last_job(state(repo)).problem == "interrupted"


def test_second_job_names_the_first_waits_for_it_and_only_then_gives_up(
    stocked: Memory, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITMEM_LOCK_TIMEOUT", "0.2")
    held = try_lock(Path(state(repo), LOCK))
    os.pwrite(held, b"4711 1790000000", 0)
    said: list[str] = []

    with Memory(repo) as other, pytest.raises(BusyError, match=r"process 4711, since 2026-09-21T14:13:20Z"):
        other.verify(options=Options(), report=lambda *_: None, waiting=said.append)

    os.close(held)
    assert len(said) == 1
    assert "waiting for another verify job of this repository" in said[0]


def test_named_facts_dry_runs_and_readers_wait_for_no_one(stocked: Memory, repo: Path, run_cli) -> None:
    held = try_lock(Path(state(repo), LOCK))

    assert verify(stocked, "a").due == 1
    assert verify(stocked, dry_run=True).due == 2
    assert run_cli("list").status == 0
    idle = run_cli("verify", "--if-idle")

    os.close(held)
    assert (idle.status, idle.out) == (0, "")
    assert "nothing was done" in idle.err


def test_work_trees_share_the_lock_and_a_killed_holder_frees_it(stocked: Memory, repo: Path) -> None:
    git(repo, "worktree", "add", "-q", "../linked")
    child = subprocess.Popen([sys.executable, "-c", _HOLDING, state(repo)], stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"held\n"

    with Memory(repo.parent / "linked") as linked:
        with pytest.raises(BusyError, match=f"process {child.pid}"):
            linked.verify(options=Options(if_idle=True), report=lambda *_: None)
        assert is_running(last_job(state(repo)))
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert not is_running(last_job(state(repo)))
        assert verify(linked).due == 3
    child.stdout.close()


def test_scheduled_job_shares_what_it_found_if_this_clone_was_synced_before(stocked: Memory, repo: Path) -> None:
    hub = repo.parent / "hub.git"
    git(repo.parent, "init", "-q", "--bare", str(hub))
    git(repo, "remote", "add", "origin", str(hub))
    assert stocked.jobs.run_scheduled().due == 3
    assert git(hub, "for-each-ref") == ""  # whoever never synced has not said that the memory may go there

    stocked.sync()
    put(repo, make_fact("d", {"exists": "README.md"}))
    stocked.jobs.run_scheduled()
    assert git(hub, "rev-parse", "memory") == tip(repo)

    hub.rename(repo.parent / "away.git")
    put(repo, make_fact("e", {"exists": "README.md"}))
    with pytest.raises(RemoteError):
        stocked.jobs.run_scheduled()
    assert stocked.show("e").document["verdict"]["outcome"] == "holds"
    job = last_job(state(repo))
    assert (job.is_scheduled, job.due, job.problem) == (True, 2, "")


@pytest.mark.parametrize("note", ["", "[]", "{}", '{"started": "now"}', '{"started": 1, "more": 2}', "[" * 9000])
def test_damaged_note_is_none(tmp_path: Path, note: str) -> None:
    (tmp_path / NOTE).write_text(note, encoding="utf-8")

    assert last_job(str(tmp_path)) is None


def test_note_is_json_that_a_newer_version_can_read(stocked: Memory, repo: Path) -> None:
    verify(stocked)

    assert json.loads(Path(state(repo), NOTE).read_text(encoding="utf-8"))["due"] == 3
