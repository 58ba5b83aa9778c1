"""The lock: one writer at a time, nobody waits for a dead one, and nobody's living lock is taken away."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitmem.errors import ConflictError, GitmemError, ProcessError
from gitmem.frozen import replace
from gitmem.store.state import write_lock as module
from gitmem.store.state.write_lock import FRESH_S, LEFT_WITHIN_S, Holder, WriteLock, clear_stale_lock, is_held

HOLD = """
import sys, time
from pathlib import Path
from gitmem.store.state.write_lock import WriteLock
with WriteLock(Path(sys.argv[1]), command="remember", timeout_s=5):
    print("held", flush=True)
    time.sleep(60)
"""


class Holding:
    """Another process that holds the lock until it is killed."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen([sys.executable, "-c", HOLD, str(folder)], stdout=subprocess.PIPE)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == b"held\n"

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def __enter__(self) -> Holding:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def take(folder: Path, *, timeout_s: float = 5.0) -> WriteLock:
    return WriteLock(folder, command="test", timeout_s=timeout_s)


def ref_lock(folder: Path, *, age_s: float = 0.0) -> Path:
    path = folder / "memory.lock"
    path.touch()
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def dead(*, started_s_ago: float = 0.0, since_s_ago: float | None = None) -> Holder:
    now = time.time()
    since = started_s_ago if since_s_ago is None else since_s_ago
    return Holder(1, now - started_s_ago, now - since, "remember")


def test_a_lock_can_be_taken_again_after_it_was_let_go(tmp_path: Path) -> None:
    for _ in range(2):
        with take(tmp_path / "state") as lock:
            assert lock.crashed is None


def test_timeout_names_the_holder(tmp_path: Path) -> None:
    with Holding(tmp_path) as other, pytest.raises(ConflictError) as caught:
        take(tmp_path, timeout_s=0.1).__enter__()

    assert f"process {other.process.pid} (remember)" in caught.value.message
    assert "GITMEM_LOCK_TIMEOUT" in caught.value.hint


def test_waiter_gets_the_lock_when_it_is_released(tmp_path: Path) -> None:
    with Holding(tmp_path) as other:
        os.kill(other.process.pid, signal.SIGINT)

        with take(tmp_path) as lock:
            assert lock.crashed is not None, "its git may have died with it"
        with take(tmp_path) as lock:
            assert lock.crashed is None


def test_a_holder_that_refuses_its_work_leaves_no_note(tmp_path: Path) -> None:
    with pytest.raises(GitmemError), take(tmp_path):
        raise GitmemError("refused")

    assert (tmp_path / "lock").read_bytes() == b""


@pytest.mark.parametrize(("status", "is_noted"), [(-9, True), (128, False)])
def test_a_holder_whose_git_was_killed_leaves_a_note(tmp_path: Path, status: int, is_noted: bool) -> None:
    with pytest.raises(ProcessError), take(tmp_path):
        raise ProcessError("git said no", argv=["git"], status=status, stderr="")

    with take(tmp_path) as lock:
        assert (lock.crashed is not None) == is_noted


def test_a_killed_holder_leaves_no_lock_but_its_name(tmp_path: Path) -> None:
    other = Holding(tmp_path)
    other.kill()

    with take(tmp_path, timeout_s=0) as lock:
        assert lock.crashed is not None
        assert (lock.crashed.pid, lock.crashed.command) == (other.process.pid, "remember")
    with take(tmp_path) as lock:
        assert lock.crashed is None


def test_of_holders_that_died_one_after_another_the_first_is_remembered(tmp_path: Path) -> None:
    Holding(tmp_path).kill()
    first = module._parse((tmp_path / "lock").read_bytes())
    time.sleep(0.05)
    Holding(tmp_path).kill()

    with take(tmp_path) as lock:
        assert lock.crashed is not None
        assert first is not None
        assert lock.crashed.since == first.since < lock.crashed.started


def test_renewed_lock_has_nothing_left_to_clear(tmp_path: Path) -> None:
    Holding(tmp_path).kill()

    with take(tmp_path) as lock:
        lock.renew()
        stdin = module._parse((tmp_path / "lock").read_bytes())
        assert stdin is not None
        assert stdin.since == stdin.started


def test_a_child_that_keeps_the_lock_open_keeps_the_lock(tmp_path: Path) -> None:
    with take(tmp_path) as lock:
        child = subprocess.Popen(["sleep", "60"], pass_fds=[lock.fd])
    try:
        with pytest.raises(ConflictError):
            take(tmp_path, timeout_s=0.05).__enter__()
    finally:
        child.kill()
        child.wait()

    with take(tmp_path):
        pass


@pytest.mark.parametrize("junk", [b"", b"junk", b"1 2 remember", b"\xff" * 1000, b"1 nan x y", b"9" * 399], ids=len)
def test_damaged_lock_file_names_no_holder(tmp_path: Path, junk: bytes) -> None:
    (tmp_path / "lock").write_bytes(junk)

    with take(tmp_path) as lock:
        assert lock.crashed is None


def test_an_interrupt_while_waiting_lets_go_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    before = set(os.listdir("/proc/self/fd"))
    with Holding(tmp_path):
        monkeypatch.setattr(module.time, "sleep", interrupt)
        with pytest.raises(KeyboardInterrupt):
            take(tmp_path).__enter__()
        monkeypatch.undo()

    assert len(set(os.listdir("/proc/self/fd"))) == len(before)


def test_unwritable_repository_says_that_reading_works(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(GitmemError, match="cannot be written to") as caught:
        take(tmp_path / "file").__enter__()

    assert caught.value.exit_status == 3
    assert "gitmem recall" in caught.value.hint
    assert f"a file is in its place; move it: mv -n {tmp_path}/file " in caught.value.hint


def test_a_link_in_its_place_is_not_followed(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    target.write_text("precious")
    (tmp_path / "lock").symlink_to(target)

    with pytest.raises(GitmemError):
        take(tmp_path).__enter__()

    assert target.read_text() == "precious"


# A ref's lock that a killed writer left


def test_lock_file_of_a_dead_writer_is_removed(tmp_path: Path) -> None:
    lock = ref_lock(tmp_path, age_s=5)

    assert clear_stale_lock(lock, dead(started_s_ago=6))
    assert not lock.exists()


def test_lock_file_of_an_earlier_dead_writer_is_removed(tmp_path: Path) -> None:
    lock = ref_lock(tmp_path, age_s=50)

    assert clear_stale_lock(lock, dead(started_s_ago=5, since_s_ago=51))


def test_fresh_lock_file_is_removed_once_it_proves_stale(tmp_path: Path) -> None:
    lock = ref_lock(tmp_path)
    began = time.monotonic()

    assert clear_stale_lock(lock, dead())
    assert time.monotonic() - began >= FRESH_S - 0.1


def test_a_lock_that_is_let_go_and_taken_by_another_meanwhile_is_not_stolen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = ref_lock(tmp_path)

    def others_do(_: float) -> None:
        lock.rename(tmp_path / "memory")
        ref_lock(tmp_path)

    monkeypatch.setattr(module.time, "sleep", others_do)

    assert not clear_stale_lock(lock, dead())
    assert lock.exists()


@pytest.mark.parametrize("age_s", [0.0, 5.0, 600.0])
def test_without_a_dead_writer_no_lock_file_is_removed(tmp_path: Path, age_s: float) -> None:
    lock = ref_lock(tmp_path, age_s=age_s)

    assert not clear_stale_lock(lock, None)
    assert lock.exists()


@pytest.mark.parametrize(
    ("age_s", "died_s_ago"),
    [(0.0, LEFT_WITHIN_S + 5), (100.0, 90.0), (3600.0, 5.0)],
    ids=["long-after-the-crash", "before-it", "long-before-it"],
)
def test_a_foreign_lock_is_not_stolen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age_s: float, died_s_ago: float
) -> None:
    boot(monkeypatch, s_ago=7 * 86_400)  # not before the machine started, however young this one is
    lock = ref_lock(tmp_path, age_s=age_s)

    assert not clear_stale_lock(lock, dead(started_s_ago=died_s_ago))
    assert lock.exists()


def test_missing_lock_file_causes_no_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(module.time, "sleep", waited.append)

    assert not clear_stale_lock(tmp_path / "none.lock", dead())
    assert waited == []


# After a restart of the machine


def boot(monkeypatch: pytest.MonkeyPatch, *, s_ago: float, boot_id: str = "this") -> None:
    monkeypatch.setattr(module, "boot_time", lambda: time.time() - s_ago)
    monkeypatch.setattr(module, "boot_id", lambda: boot_id)


@pytest.mark.parametrize(("age_s", "booted_s_ago", "is_removed"), [(600, 300, True), (200, 300, False)])
def test_a_lock_file_from_before_the_machine_started_is_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, age_s: float, booted_s_ago: float, is_removed: bool
) -> None:
    boot(monkeypatch, s_ago=booted_s_ago)
    lock = ref_lock(tmp_path, age_s=age_s)

    assert clear_stale_lock(lock, None) == is_removed
    assert lock.exists() != is_removed


def test_a_lock_file_from_before_the_start_that_a_process_has_open_is_not_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot(monkeypatch, s_ago=300)
    lock = ref_lock(tmp_path, age_s=600)

    with lock.open():
        assert not clear_stale_lock(lock, None)


def test_a_writer_that_died_with_the_machine_left_no_lock_file_made_after_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    boot(monkeypatch, s_ago=20)
    before = replace(dead(started_s_ago=30), boot="another")

    assert not clear_stale_lock(ref_lock(tmp_path, age_s=5), before)
    assert clear_stale_lock(ref_lock(tmp_path, age_s=5), replace(before, boot="this"))


def test_the_note_of_a_writer_names_the_start_of_the_machine(tmp_path: Path) -> None:
    Holding(tmp_path).kill()

    with take(tmp_path) as lock:
        assert lock.crashed is not None
        assert lock.crashed.boot == module.boot_id() == Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def test_process_that_ends_during_the_search_for_a_holder_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    listdir = os.listdir
    monkeypatch.setattr(
        module.os, "listdir", lambda path: [*([str(ended.pid)] if path == "/proc" else []), *listdir(path)]
    )
    lock = ref_lock(tmp_path)

    assert not is_held(lock)
    with lock.open():
        assert is_held(lock)
