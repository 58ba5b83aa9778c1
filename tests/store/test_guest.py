"""Files and folders that were there and empty are told from those that gitmem made."""

from __future__ import annotations

from pathlib import Path

from gitmem.store.guest import note_empty, was_empty


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
