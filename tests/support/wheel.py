"""Build the wheel of this checkout."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]
BUILD = "import sys; sys.path.insert(0, '.ci'); import build_wheel; print(build_wheel.build_wheel(sys.argv[1]))"


def build_wheel(folder: Path) -> Path:
    """Build the wheel in a folder and return its path."""
    argv = [sys.executable, "-c", BUILD, str(folder)]
    done = subprocess.run(argv, cwd=PROJECT, capture_output=True, text=True, check=True)
    return folder / done.stdout.split()[-1]
