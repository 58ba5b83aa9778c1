"""One holder at a time, whoever dies lets go."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.system import file_lock
from gitmem.system.file_lock import try_lock


def test_second_one_gets_nothing_until_the_first_lets_go(tmp_path: Path) -> None:
    held = try_lock(tmp_path / "lock")
    assert held is not None

    assert try_lock(tmp_path / "lock") is None

    os.close(held)
    again = try_lock(tmp_path / "lock")
    assert again is not None
    os.close(again)


def test_process_that_dies_lets_go(tmp_path: Path) -> None:
    script = (
        "import os, sys; from gitmem.system.file_lock import try_lock\n"
        "assert try_lock(sys.argv[1]); os.kill(os.getpid(), 9)"
    )

    died = subprocess.run([sys.executable, "-c", script, str(tmp_path / "lock")], check=False).returncode

    assert died == -9
    held = try_lock(tmp_path / "lock")
    assert held is not None
    os.close(held)


def test_folder_that_is_not_there_is_no_free_lock(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        try_lock(tmp_path / "nowhere" / "lock")


# Whose the files of the state are


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o077])
@pytest.mark.parametrize(
    ("above", "folder", "file"), [(0o755, 0o700, 0o600), (0o777, 0o700, 0o600), (0o2775, 0o2770, 0o660)]
)
def test_folders_and_files_are_the_persons_or_the_groups_by_the_folder_above(
    tmp_path: Path, umask: int, above: int, folder: int, file: int
) -> None:
    common = tmp_path / "common"
    common.mkdir()
    common.chmod(above)
    before = os.umask(umask)
    try:
        file_lock.make_folder(common / "gitmem/spool/waiting")
        os.close(file_lock.open_private(common / "gitmem/spool/entry", os.O_WRONLY | os.O_CREAT))
        (common / "gitmem/database").touch()
        file_lock.settle_modes(str(common / "gitmem"))
    finally:
        os.umask(before)

    assert [mode(common / name) for name in ("gitmem", "gitmem/spool", "gitmem/spool/waiting")] == [folder] * 3
    assert mode(common / "gitmem/spool/entry") == file
    assert above != 0o2775 or mode(common / "gitmem/database") == file


def test_a_state_folder_that_a_person_opened_for_reading_stays_so(tmp_path: Path) -> None:
    (tmp_path / "gitmem").mkdir(mode=0o755)

    file_lock.settle_modes(str(tmp_path / "gitmem"))

    assert mode(tmp_path / "gitmem") == 0o755


def test_a_link_in_the_place_of_the_state_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / "target").chmod(0o777)
    (tmp_path / "target/file").touch(mode=0o600)
    (tmp_path / "gitmem").symlink_to("target")
    tmp_path.chmod(0o2775)

    file_lock.settle_modes(str(tmp_path / "gitmem"))

    assert (mode(tmp_path / "target"), mode(tmp_path / "target/file")) == (0o777, 0o600)


def test_a_file_in_the_way_of_a_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(NotADirectoryError):
        file_lock.make_folder(tmp_path / "file/below/it")
    with pytest.raises(FileExistsError):
        file_lock.make_folder(tmp_path / "file")
