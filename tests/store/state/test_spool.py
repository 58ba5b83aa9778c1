"""The spool: durable, whole or not there, many writers at once."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gitmem.config import second_place
from gitmem.store.state import losses
from gitmem.store.state.plain_files import spool_folders, waiting_captures
from gitmem.store.state.spool import LITTER_S, Spool, counts

WRITER = """
import sys
from gitmem.store.state.spool import Spool
spool = Spool(sys.argv[1])
for n in range(40):
    spool.append({"text": f"{sys.argv[2]}-{n}"})
    print(f"{sys.argv[2]}-{n}", flush=True)
"""


def texts(spool: Spool) -> list[str]:
    """Return what waits, the oldest first."""
    return [(spool.read(name) or {})["text"] for name in spool.list_waiting()]


def test_entries_come_back_whole_and_in_their_order(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    assert not waiting_captures(tmp_path)

    for text in ("first", "zweites ü\n\x00", "third"):
        spool.append({"text": text})

    assert texts(spool) == ["first", "zweites ü\n\x00", "third"]
    assert waiting_captures(tmp_path)


def test_entries_acknowledged_by_killed_writers_are_whole(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"w{n}"], stdout=subprocess.PIPE, text=True)
        for n in range(4)
    ]
    assert writers[0].stdout is not None
    writers[0].stdout.readline()
    for writer in writers[:2]:
        writer.kill()
    acknowledged = [line for writer in writers for line in writer.communicate()[0].split()]

    found = texts(Spool(tmp_path))

    assert set(acknowledged) <= set(found)
    assert len(found) == len(set(found))


def test_entry_is_synced_with_its_names_before_it_is_acknowledged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[str] = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.readlink(f"/proc/self/fd/{fd}")), real(fd))[1])

    first = Spool(tmp_path).append({"text": "a"})
    made, synced[:] = synced[:], []
    second = Spool(tmp_path).append({"text": "b"})

    folder = tmp_path / "spool"
    new = [folder, tmp_path, tmp_path.parent, folder / f"{first}.new", folder / "waiting"]
    assert made == [str(folder / "lost"), *map(str, new)]
    assert synced == [str(folder / f"{second}.new"), str(folder / "waiting")]


@pytest.mark.parametrize("content", [b"", b'{"format": 1', b"[]", b'{"format": 2, "text": "a"}', b'{"format": 1}'])
def test_damaged_or_newer_entry_is_an_error_of_its_own(tmp_path: Path, content: bytes) -> None:
    spool = Spool(tmp_path)
    name = spool.append({"text": "a"})
    (tmp_path / "spool" / "waiting" / name).write_bytes(content)

    with pytest.raises(ValueError, match=r".+"):
        spool.read(name)


def test_entry_that_was_set_aside_is_kept_with_its_reason(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    name = spool.append({"text": "a"})

    spool.set_aside(name, "it cannot be")

    assert spool.list_waiting() == []
    [(path, why)] = spool.list_refused()
    assert why == "it cannot be"
    assert '"text": "a"' in Path(path).read_text()


def test_only_one_drains_and_what_it_noted_outlives_it(tmp_path: Path) -> None:
    spool, other = Spool(tmp_path), Spool(tmp_path)
    lock = spool.lock()
    assert lock is not None
    assert other.lock() is None

    spool.begin("ab" * 20)
    os.close(lock)

    assert other.interrupted_tip() == "ab" * 20
    other.end()
    assert other.interrupted_tip() is None


def test_end_sweeps_old_litter_only(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.append({"text": "a"})
    old, new = tmp_path / "spool" / "old.json.new", tmp_path / "spool" / "young.json.new"
    for path in (old, new):
        path.write_text("{")
    past = time.time() - LITTER_S - 10
    os.utime(old, (past, past))

    spool.end()

    assert (old.exists(), new.exists()) == (False, True)
    assert len(spool.list_waiting()) == 1


@pytest.mark.parametrize("content", [b"", b"--output=x", bytes(range(256)), b"HEAD"])
def test_damaged_note_of_a_drain_names_no_commit(tmp_path: Path, content: bytes) -> None:
    spool = Spool(tmp_path)
    spool.append({"text": "a"})
    (tmp_path / "spool" / "draining").write_bytes(content)

    assert spool.interrupted_tip() == ""


def test_folder_in_the_place_of_the_note_of_a_drain_is_moved_aside(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    spool.append({"n": 1})
    (tmp_path / "spool/draining/x").mkdir(parents=True)

    assert spool.interrupted_tip() == ""
    spool.end()
    spool.begin("a" * 40)

    assert spool.interrupted_tip() == "a" * 40
    assert [path.name for path in tmp_path.glob("spool/draining.*.old/*")] == ["x"]


@pytest.mark.parametrize("special", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_pipe_or_device_in_the_place_of_any_file_of_a_spool_stops_nothing(tmp_path: Path, special) -> None:
    spool = Spool(tmp_path)
    entry, refused = (spool.append({"text": text}) for text in "ab")
    spool.set_aside(refused, "it cannot be")
    for path in ("waiting/" + entry, f"refused/{refused}", f"refused/{refused}.why", "draining", "lost"):
        (tmp_path / "spool" / path).unlink(missing_ok=True)
        special(tmp_path / "spool" / path)

    with pytest.raises(ValueError, match="Not a regular file"):
        spool.read(entry)
    [(path, why)] = spool.list_refused()
    assert (spool.read_refused(path), why) == ({}, "the reason was not recorded")
    assert spool.interrupted_tip() == ""
    assert losses.list_losses(spool_folders(tmp_path)) == []
    assert spool.set_aside(entry, "a pipe")
    spool.end()
    assert spool.list_waiting() == []


# A disk that does not take an entry


def elsewhere(state: Path) -> Path:
    """Return the second place of a spool."""
    return Path(second_place(state), "spool")


def test_entry_that_the_disk_does_not_take_goes_to_a_second_place_and_is_read_in_order(tmp_path: Path) -> None:
    state = tmp_path / "state"
    spool = Spool(state)
    spool.append({"text": "first"})
    (state / "spool").rename(tmp_path / "away")
    (state / "spool").write_text("in the way")
    second = spool.append({"text": "second"})
    assert [path.name for path in (elsewhere(state) / "waiting").iterdir()] == [second]
    (state / "spool").unlink()
    (tmp_path / "away").rename(state / "spool")
    spool.append({"text": "third"})

    assert texts(spool) == ["first", "second", "third"]
    assert len(waiting_captures(state)) == counts(state)["waiting"] == 3
    spool.set_aside(second, "because")
    assert [why for _, why in spool.list_refused()] == ["because"]
    spool.remove(spool.list_waiting())
    assert waiting_captures(state) == ()


def test_entry_of_which_one_place_has_half_is_read_from_the_other(tmp_path: Path) -> None:
    spool = Spool(tmp_path)
    name = spool.append({"text": "whole"})
    (elsewhere(tmp_path) / "waiting").mkdir(parents=True)
    (tmp_path / "spool/waiting" / name).rename(elsewhere(tmp_path) / "waiting" / name)
    (tmp_path / "spool/waiting" / name).write_text('{"format": 1, "te')

    assert texts(spool) == ["whole"]
    assert spool.remove([name]) == set()
    assert spool.list_waiting() == []


@pytest.mark.parametrize("what", ["", "waiting", "refused"])
def test_file_in_the_place_of_a_folder_of_the_second_place_stops_nothing(tmp_path: Path, what: str) -> None:
    spool = Spool(tmp_path)
    good, bad = (spool.append({"text": text}) for text in "ab")
    blocked = elsewhere(tmp_path) / what
    blocked.parent.mkdir(parents=True, exist_ok=True)
    blocked.write_text("in the way")

    assert texts(spool) == ["a", "b"]
    assert spool.set_aside(bad, "because")
    assert spool.remove([good]) == set()
    assert counts(tmp_path) == {"waiting": 0, "refused": 1}


@pytest.mark.parametrize("call", ["fsync", "rename"])
def test_entry_that_an_io_error_met_is_in_the_second_place_once_and_leaves_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    state = tmp_path / "state"
    spool = Spool(state)
    spool.append({"text": "first"})
    real = getattr(os, call)
    calls = iter([OSError(errno.EIO, os.strerror(errno.EIO))])

    def fails_once(*args: object, **more: object) -> object:
        if err := next(calls, None):
            raise err
        return real(*args, **more)

    monkeypatch.setattr(os, call, fails_once)
    spool.append({"text": "second"})

    assert texts(spool) == ["first", "second"]
    assert len(list((elsewhere(state) / "waiting").iterdir())) == 1
    assert list(state.rglob("*.new")) == []


def test_two_repositories_do_not_share_a_second_place(tmp_path: Path) -> None:
    states = [tmp_path / "a/.git/gitmem", tmp_path / "b/.git/gitmem"]
    for state in states:
        state.mkdir(parents=True)
        (state / "spool").write_text("in the way")
    Spool(states[0]).append({"text": "of a"})

    assert [len(waiting_captures(state)) for state in states] == [1, 0]


SHORT = """
import resource, sys
from gitmem.store.state.spool import Spool
spool = Spool(sys.argv[1])
spool.append({"text": "short"})
resource.setrlimit(resource.RLIMIT_FSIZE, (6_000, 6_000))
try:
    spool.append({"text": "long " * 2_000})
except OSError as err:
    print(err.strerror)
"""


def test_entry_that_is_written_in_part_only_is_no_entry_and_its_loss_is_noted(tmp_path: Path) -> None:
    state = tmp_path / "state"

    done = subprocess.run([sys.executable, "-c", SHORT, str(state)], capture_output=True, text=True, check=True)

    assert done.stdout == "File too large\n"
    assert texts(Spool(state)) == ["short"]
    assert [loss.why for loss in losses.list_losses(spool_folders(state))] == ["File too large"]
    assert list(tmp_path.rglob("*.new")) == []
