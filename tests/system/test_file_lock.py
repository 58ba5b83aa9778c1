"""One holder at a time, whoever dies lets go."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
