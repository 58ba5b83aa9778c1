"""The names of the processes that started this one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.system.parents import parent_names

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="only Linux shows the names of processes in /proc"
)


def test_names_are_of_the_ancestors_nearest_first() -> None:
    names = parent_names()

    assert names[0][0] == Path(f"/proc/{os.getppid()}/comm").read_text().rstrip("\n")


def test_interpreter_is_known_by_the_script_that_it_runs(tmp_path: Path) -> None:
    script = tmp_path / "gemini.py"
    script.write_text(
        "import subprocess, sys\n"
        "code = 'from gitmem.system.parents import parent_names; print(parent_names()[0])'\n"
        "subprocess.run([sys.executable, '-c', code])\n"
    )

    shown = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=True).stdout

    assert "'gemini'" in shown
