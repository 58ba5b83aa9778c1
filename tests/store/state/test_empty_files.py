"""Files and folders that were there and empty are distinguished from those that gitmem made."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store.state.empty_files import NOTE, note_empty, was_empty


def test_only_what_was_there_and_empty_is_noted(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    for name in ("empty", "full"):
        (tmp_path / name).write_text("x" if name == "full" else "")
    (tmp_path / "folder").mkdir()
    paths = {name: tmp_path / name for name in ("empty", "full", "folder", "missing")}

    note_empty(state, *paths.values())
    note_empty(state, *paths.values())

    assert {name for name, path in paths.items() if was_empty(state, path)} == {"empty", "folder"}
    assert (tmp_path / "state/was-empty").read_text().count("\n") == 2
    assert not was_empty("", paths["empty"])


def test_note_is_not_written_through_a_link(tmp_path: Path) -> None:
    state, victim, empty = tmp_path / "state", tmp_path / "victim", tmp_path / "empty"
    state.mkdir()
    victim.write_text("mine\n")
    empty.touch()
    (state / NOTE).symlink_to(victim)

    with pytest.raises(OSError, match="symbolic links"):
        note_empty(str(state), empty)

    assert victim.read_text() == "mine\n"
