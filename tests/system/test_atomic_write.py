"""Files that are put in their place whole."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gitmem.system import atomic_write, write_text

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_is_replaced_and_a_link_of_its_name_is_not_followed(tmp_path: Path) -> None:
    precious, file = tmp_path / "precious", tmp_path / "link"
    precious.write_text("mine")
    file.symlink_to(precious)

    atomic_write.write(file, b"new", mode=0o640)

    assert (precious.read_text(), file.is_symlink(), file.read_bytes()) == ("mine", False, b"new")
    assert file.stat().st_mode & 0o777 == 0o640


def test_what_a_killed_process_left_is_no_way_out_of_the_folder(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / f"file.{os.getpid()}.new").symlink_to(precious)

    atomic_write.write(tmp_path / "file", b"new")

    assert (precious.read_text(), (tmp_path / "file").read_bytes()) == ("mine", b"new")


def test_where_it_cannot_be_put_nothing_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inner").mkdir(parents=True)

    with pytest.raises(OSError, match="folder"):
        atomic_write.write(tmp_path / "folder", b"new")

    with pytest.raises(OSError, match="folder"):
        write_text(str(tmp_path / "folder"), "new")

    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
