"""Losses are noted in room that already exists, once each, and forgotten when doctor clears them."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

from gitmem.store.state import losses

NOTE = """
import resource, sys
from gitmem.store.state import losses
losses.reserve(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (losses.ROOM, losses.ROOM))
for n in range(200):
    assert losses.note([sys.argv[1]], f"No space left on device {n}")
"""


def test_a_note_never_grows_and_keeps_the_latest(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", NOTE, str(tmp_path)], check=True)

    found = losses.list_losses([str(tmp_path)])

    assert found[-1].why == "No space left on device 199"
    assert 50 < len(found) < 200
    assert (tmp_path / losses.NAME).stat().st_size == losses.ROOM
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != losses.ROOM, "the limit is the other process's"


def test_the_first_folder_that_allows_it_has_the_note_and_clearing_keeps_its_room(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    refused = str(tmp_path / "file/folder")
    folders = [refused, str(tmp_path / "made")]

    assert losses.note(folders, "Input/output error")
    assert [loss.why for loss in losses.list_losses(folders)] == ["Input/output error"]
    losses.forget(folders)
    assert losses.list_losses(folders) == []
    assert (tmp_path / "made" / losses.NAME).stat().st_size == losses.ROOM
    assert not losses.note([refused], "Input/output error")


def test_a_damaged_note_is_no_error(tmp_path: Path) -> None:
    (tmp_path / losses.NAME).write_bytes(b"\xff\xfe\nno number here\n12 real\n")

    assert [loss.why for loss in losses.list_losses([str(tmp_path)])] == ["real"]
