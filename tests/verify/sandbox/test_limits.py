"""What a check uses is counted: its processes, its memory, the files it wrote, and nobody else's."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from gitmem.verify.sandbox import launcher
from gitmem.verify.sandbox import limits as watch
from gitmem.verify.sandbox.limits import MIB, Limits, LimitWatch

PLENTY = Limits(1000, 0, 1 << 40)


def look(folder, limits=PLENTY, *, upper=""):
    return LimitWatch(limits, ground=str(folder), upper=upper, scratch="")


@pytest.mark.parametrize("listed", [True, False], ids=["the kernel's list", "looked through"])
def test_descendants_are_found_below_their_parents(monkeypatch, listed):
    monkeypatch.setattr(watch, "HAS_CHILDREN", listed and watch.HAS_CHILDREN)
    with subprocess.Popen(["sh", "-c", "sleep 30 & echo $!; wait"], stdout=subprocess.PIPE, text=True) as child:
        grandchild = int(child.stdout.readline())

        found = list(watch.iter_descendants(os.getpid()))

        os.kill(grandchild, 9)
    assert found.index(child.pid) < found.index(grandchild)
    assert os.getpid() not in found


def test_a_check_within_its_limits_passes_none(tmp_path):
    assert look(tmp_path).look() == ""


@pytest.mark.parametrize(("limit", "said"), [(2, "it ran more than 2 processes at once"), (3, "")])
def test_processes_that_a_check_left_are_counted_although_they_are_dead(tmp_path, monkeypatch, limit, said):
    script = "import os, time\nfor _ in range(3): os.fork() or os._exit(0)\nprint('up', flush=True)\ntime.sleep(30)"
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", script], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        monkeypatch.setattr(os, "getpid", lambda: child.pid)  # the starter
        found = look(tmp_path, Limits(limit, 0, 1 << 40)).count_left()
        child.kill()

    assert found == said


def test_check_that_starts_too_many_is_ended_at_once_in_a_long_pause(tmp_path):
    script = "sleep 0.3; for n in $(seq 40); do sleep 60 & done; wait"
    with subprocess.Popen(["sh", "-c", script], start_new_session=True) as child:
        pause = look(tmp_path, Limits(20, 0, 1 << 40))
        pause.interval_s = 60.0
        is_crowded = pause.is_crowded()
        began = time.monotonic()

        said = launcher._wait_on(child.pid, os.pidfd_open(child.pid), pause)

        took = time.monotonic() - began
        os.killpg(child.pid, 9)
    assert (is_crowded, said) == (False, "it ran more than 20 processes at once")
    assert took < 30


def test_memory_shared_by_forks_counts_once(tmp_path, monkeypatch):
    # 20 processes that share 30 MiB: 600 by the plain sum, and little more than 30 in truth.
    script = (
        "import os, time\nx = bytearray(30 << 20)\nfor n in range(20):\n"
        "  if os.fork() == 0: time.sleep(30)\nprint('up', flush=True)\ntime.sleep(30)"
    )
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", script], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        pids = list(watch.iter_descendants(child.pid))

        wide, narrow = (look(tmp_path, Limits(1000, size * MIB, 1 << 40)) for size in (400, 20))
        said = [(wide.look(), narrow.look()) for _ in range(2)]

        for pid in (*pids, child.pid):
            os.kill(pid, 9)
    # Twice in a row: one figure may be of something else for a moment.
    assert said == [("", ""), ("", "it used more than 20 MiB of memory")]


HOLDS = {
    "a file without a name": "f = os.memfd_create('x'); os.write(f, bytes(30 << 20))",
    "the same, mapped": "f = os.memfd_create('x'); os.write(f, bytes(30 << 20)); m = mmap.mmap(f, 30 << 20); m.read()",
    "buffers of sockets": "p = [s for _ in range(200) for s in socket.socketpair()]",
}


@pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="Linux")
@pytest.mark.parametrize("code", HOLDS.values(), ids=HOLDS)
def test_memory_behind_descriptors_counts_once(tmp_path, code):
    script = f"import mmap, os, socket, time\n{code}\nos.fork()\nprint('up', flush=True)\ntime.sleep(30)"
    with subprocess.Popen([sys.executable, "-I", "-S", "-c", script], stdout=subprocess.PIPE) as child:
        child.stdout.readline()
        pids = list(watch.iter_descendants(child.pid))

        wide, narrow = (look(tmp_path, Limits(1000, size * MIB, 1 << 40)) for size in (400, 25))
        said = [(wide.look(), narrow.look()) for _ in range(2)]

        for pid in (*pids, child.pid):
            os.kill(pid, 9)
    assert said == [("", ""), ("", "it used more than 25 MiB of memory")]


def test_only_files_that_changed_since_count_where_a_ground_is_changed_in_place(tmp_path):
    (tmp_path / "old").write_bytes(b"x" * MIB)
    os.utime(tmp_path / "old")
    since = (tmp_path / "old").stat().st_ctime + 0.001
    (tmp_path / "d").mkdir()
    while os.stat(tmp_path / "d").st_ctime < since:
        (tmp_path / "d").rmdir()
        (tmp_path / "d").mkdir()
    (tmp_path / "d" / "new").write_bytes(b"x" * MIB)
    os.link(tmp_path / "d" / "new", tmp_path / "d" / "same")

    assert MIB <= watch.count_written(str(tmp_path), since, stop=1 << 40) < 1.5 * MIB
    assert watch.count_written(str(tmp_path), 0.0, stop=1 << 40) >= 2 * MIB


def test_what_others_write_to_the_disk_is_not_held_against_a_check(tmp_path, monkeypatch):
    free = iter([(1 << 40, 1 << 39, 0, 0), (1 << 40, (1 << 39) - (100 * MIB), 0, 0)])
    monkeypatch.setattr(watch, "_read_space", lambda _: next(free))
    (tmp_path / "own").write_bytes(b"x" * MIB)

    assert look(tmp_path, Limits(1000, 0, 10 * MIB), upper=str(tmp_path)).look() == ""


def test_a_disk_that_is_nearly_full_ends_a_check_that_wrote_to_it(tmp_path, monkeypatch):
    free = iter([(1 << 40, 600 * MIB, 0, 0), (1 << 40, 500 * MIB, 0, 0)])
    monkeypatch.setattr(watch, "_read_space", lambda _: next(free))

    assert look(tmp_path).look() == "the disk that it wrote to had only 500 MiB left"


def test_a_disk_that_was_nearly_full_before_does_not(tmp_path, monkeypatch):
    monkeypatch.setattr(watch, "_read_space", lambda _: (1 << 40, 100 * MIB, 0, 0))

    assert look(tmp_path).look() == ""


def test_a_disk_whose_inodes_are_nearly_used_up_ends_a_check_that_made_many_files(tmp_path, monkeypatch):
    space = iter([(1 << 40, 1 << 39, 10**6, 60_000), (1 << 40, 1 << 39, 10**6, 40_000)])
    monkeypatch.setattr(watch, "_read_space", lambda _: next(space))

    assert look(tmp_path).look() == "the disk that it wrote to had only 40000 inodes left"


def test_check_ends_when_uncounted_memory_leaves_nothing_on_the_machine(tmp_path, monkeypatch):
    left = iter([(1 << 34, 1 << 33), (1 << 34, 200 * MIB)])
    monkeypatch.setattr(watch, "read_memory", lambda: next(left))

    assert look(tmp_path).look() == "the machine had only 200 MiB of memory left"


def test_a_process_that_the_kernel_ended_for_want_of_memory_is_noticed(tmp_path, monkeypatch):
    one = look(tmp_path)
    assert not one.ran_out()
    before = watch.count_oom_kills()
    monkeypatch.setattr(watch, "count_oom_kills", lambda: before + 1)

    assert one.ran_out()
