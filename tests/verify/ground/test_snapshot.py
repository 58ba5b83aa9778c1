"""Stamps of a folder: they see every change, and what they undo is as it was."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from gitmem.verify.ground.snapshot import stamp_tree, undo


def test_stamps_see_a_change_that_keeps_size_and_time():
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder)
        (top / "f").write_text("old")
        before = stamp_tree(top)
        found = (top / "f").stat()
        for _ in range(100):  # the clock of files ticks at 10 ms at worst
            (top / "f").write_text("new")
            os.utime(top / "f", ns=(found.st_atime_ns, found.st_mtime_ns))

        assert stamp_tree(top)["f"][:4] == before["f"][:4]
        assert stamp_tree(top) != before or (top / "f").stat().st_ctime_ns == found.st_ctime_ns


def test_only_a_folder_can_be_stamped(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to("d")

    with pytest.raises(NotADirectoryError):
        stamp_tree(tmp_path / "link")


def test_undoing_touches_nothing_that_is_as_it_was(tmp_path):
    for name in ("same", "changed"):
        (tmp_path / name).write_text("x")
    before = stamp_tree(tmp_path)
    kept = (tmp_path / "same").stat()
    (tmp_path / "changed").write_text("longer")
    (tmp_path / "added" / "more").mkdir(parents=True)

    undo(tmp_path, before, stamp_tree(tmp_path))

    assert sorted(os.listdir(tmp_path)) == ["same"]
    assert (tmp_path / "same").stat() == kept
