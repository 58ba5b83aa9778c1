"""Work behind a command: one process at a time, no request lost, never in the way."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from gitmem.errors import ConflictError, NoRepositoryError
from gitmem.store.state import background


def wait_for(condition, *, seconds: float = 120.0) -> bool:  # type: ignore[no-untyped-def]
    """Wait until a condition holds; tell whether it came to."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.02)
    return bool(condition())


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the works that processes would be started for, in their order; none is."""
    calls: list[str] = []
    monkeypatch.delenv(background.SWITCH, raising=False)
    monkeypatch.setattr(background.process, "start_detached", lambda argv, **_: calls.append(argv[-1]))
    return calls


def test_started_work_is_done_by_a_process_of_its_own(memory, repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(background.SWITCH, raising=False)
    monkeypatch.setenv("GIT_DIR", "/nowhere")  # as a hook of another repository would set it
    catalog = repo / ".git" / "gitmem" / "catalog.sqlite"
    catalog.unlink()

    background.start(repo / ".git" / "gitmem", repo, "index")

    log = repo / ".git" / "gitmem" / "background" / "log"
    assert wait_for(catalog.exists), log.read_text() if log.exists() else "nothing was started"
    assert log.read_text() == ""


def test_fifty_requests_while_one_runs_cost_one_more_run(tmp_path: Path, started: list[str]) -> None:
    runs = []
    for turn in background.turns(tmp_path, tmp_path, "index"):
        runs.append(turn.where)
        if len(runs) == 1:
            for _ in range(50):
                background.start(tmp_path, tmp_path, "index")
                assert list(background.turns(tmp_path, tmp_path, "index")) == []

    assert runs == [str(tmp_path)] * 2
    assert started == []


def test_request_for_which_a_process_is_on_its_way_starts_no_other(tmp_path: Path, started: list[str]) -> None:
    for _ in range(3):
        background.start(tmp_path, tmp_path, "index")

    assert started == ["index"]


def test_process_that_never_came_is_replaced(tmp_path: Path, started: list[str]) -> None:
    background.start(tmp_path, tmp_path, "index")
    long_ago = time.time() - 60
    os.utime(tmp_path / "background" / "index.started", (long_ago, long_ago))

    background.start(tmp_path, tmp_path, "index")

    assert started == ["index", "index"]


def test_request_during_the_last_turn_is_taken_and_one_after_it_starts_a_process(
    tmp_path: Path, started: list[str]
) -> None:
    runs = 0
    for _ in background.turns(tmp_path, tmp_path, "index"):
        runs += 1
        if runs == 1:
            background.start(tmp_path, tmp_path, "index")
    background.start(tmp_path, tmp_path, "index")

    assert (runs, started) == (2, ["index"])


def test_list_that_is_taken_while_someone_writes_into_it_loses_nothing(
    tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    background.start(tmp_path, "/earlier", "index")
    write, taken = os.write, []

    def taken_meanwhile(fd: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", write)
        requests = tmp_path / "background" / "index.asked"
        taken.append(requests.read_bytes())
        requests.unlink()
        return write(fd, data)

    monkeypatch.setattr(os, "write", taken_meanwhile)
    background.start(tmp_path, "/later", "index")

    assert taken == [b"/earlier\0"]
    assert (tmp_path / "background" / "index.asked").read_bytes() == b"/later\0"


def test_work_is_done_at_every_place_it_is_wanted_at(tmp_path: Path, started: list[str]) -> None:
    background.start(tmp_path, "/there/a\nb", "index")
    background.start(tmp_path, "/there/c", "index")

    found = [turn.where for turn in background.turns(tmp_path, "/there/c", "index")]

    assert found == ["/there/a\nb", "/there/c"]


def test_no_job_starts_if_switched_off_or_unrecordable(
    tmp_path: Path, started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    background.start(tmp_path / "file", tmp_path, "index")
    monkeypatch.setenv(background.SWITCH, "off")
    background.start(tmp_path, tmp_path, "index")

    assert started == []
    assert list(background.turns(tmp_path / "file", tmp_path, "index")) == []


def test_failure_is_recorded_until_the_job_succeeds(tmp_path: Path) -> None:
    with pytest.raises(ConflictError):
        for turn in background.turns(tmp_path, "/there/a", "index"):
            with turn:
                raise ConflictError("somebody\nelse writes")
    failures = background.list_failures(tmp_path)
    for turn in background.turns(tmp_path, "/there/a", "index"):
        with turn:
            pass

    assert [(what, said.strip()) for what, said, _ in failures] == [("index", "/there/a: somebody else writes")]
    assert background.list_failures(tmp_path) == []


def test_failure_whose_reason_found_no_room_on_the_disk_says_so(tmp_path: Path) -> None:
    (tmp_path / "background").mkdir()
    (tmp_path / "background" / "index.failed").write_text("")

    ((what, said, _),) = background.list_failures(tmp_path)

    assert (what, said) == ("index", "the reason could not be written: the disk was full")


def test_missing_place_is_not_a_failure(tmp_path: Path) -> None:
    for turn in background.turns(tmp_path, "/gone", "index"):
        with turn:
            raise NoRepositoryError("/gone: there is no such folder")

    assert background.list_failures(tmp_path) == []


def test_long_log_starts_again_and_keeps_the_old_one(tmp_path: Path) -> None:
    log = tmp_path / "background" / "log"
    log.parent.mkdir()
    log.write_text("x" * (background.LOG_LIMIT + 1))

    list(background.turns(tmp_path, tmp_path, "index"))

    assert not log.exists()
    assert log.with_name("log.1").stat().st_size > background.LOG_LIMIT
