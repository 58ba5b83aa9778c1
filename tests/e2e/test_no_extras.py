"""Every command, typed bare where nothing but the required packages is installed: none is a bug."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from conftest import git

from gitmem.cli import COMMANDS
from gitmem.system.origin import DISTRIBUTION

PROJECT = Path(__file__).resolve().parents[2]
RUN = "import sys; sys.path[:0] = sys.argv[1:3]; del sys.argv[1:3]; from gitmem.__main__ import script; script()"
# As somebody with a model in their settings, and no package for it.
MODEL = {"GITMEM_EMBED": "http://127.0.0.1:9/v1#small"}


def required(name: str, seen: set[str]) -> dict[str, Path]:
    """Return where the packages lie that a distribution needs without its extras, and what those need."""
    found: dict[str, Path] = {}
    for line in distribution(name).requires or ():
        needed = re.split(r"[^A-Za-z0-9._-]", line, maxsplit=1)[0]
        if "extra ==" in line or needed in seen:
            continue
        try:
            files = distribution(needed).files or ()
        except ModuleNotFoundError:  # for another system or another Python
            continue
        tops = {file.parts[0] for file in files if ".." not in file.parts and file.parts[0] != "__pycache__"}
        seen.add(needed)
        found |= {top: Path(str(distribution(needed).locate_file(top))) for top in tops} | required(needed, seen)
    return found


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the required packages alone."""
    folder = tmp_path_factory.mktemp("packages")
    for top, path in required(DISTRIBUTION, set()).items():
        (folder / top).symlink_to(path)
    return folder


def run(packages: Path, folder: Path, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
    plain = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1", **env}
    argv = [sys.executable, "-I", "-S", "-c", RUN, str(PROJECT), str(packages), *words]
    return subprocess.run(argv, cwd=folder, env=plain, input="", capture_output=True, text=True, check=False)


def test_extras_are_not_there(packages: Path, repo: Path) -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import yaml, whoosh, numpy"

    argv = [sys.executable, "-I", "-S", "-c", script, str(packages)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert "No module named 'numpy'" in done.stderr


@pytest.mark.parametrize("env", [{}, MODEL], ids=["plain", "with a model"])
def test_no_command_alone_is_a_bug(packages: Path, repo: Path, env: dict[str, str]) -> None:
    git(repo, "config", "user.name", "Ana")
    git(repo, "config", "user.email", "ana@example.org")
    assert run(packages, repo, "remember", "The gateway drops idle connections", **env).returncode == 0

    # A model in the settings adds to what a command imports; only `embed` does something else without one.
    bare = [name for name in COMMANDS if env or name.startswith("embed")]
    commands = (*bare, "recall gateway", "remember again")
    done = {name: run(packages, repo, *name.split(), **env) for name in commands}

    assert {name: ran.stderr for name, ran in done.items() if ran.returncode not in (0, 1, 2, 3, 4)} == {}
    assert "gateway" in done["recall gateway"].stdout
    assert done["embed status"].returncode == (3 if env else 1)
    assert ("needs the package numpy" in done["recall gateway"].stderr) is bool(env)
