"""Every command, typed bare where nothing but the required packages is installed: none is a bug."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import distribution
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from conftest import Ran, git

from gitmem.cli.commands import all_commands
from gitmem.system.origin import DISTRIBUTION

PROJECT = Path(__file__).resolve().parents[2]
# Runs each command in a fork of an interpreter that has loaded what all of them load: two thirds of the CPU (measured).
RUN = """
import json, os, sys
sys.path[:0] = sys.argv[1:3]
from gitmem import cli, memory
from gitmem.__main__ import script
statuses = []
for number, words in enumerate(json.loads(sys.argv[3])):
    pid = os.fork()
    if pid == 0:
        for descriptor in (1, 2):
            os.dup2(os.open(f"{sys.argv[4]}/{number}.{descriptor}", os.O_WRONLY | os.O_CREAT), descriptor)
        sys.argv = ["gitmem", *words.split()]
        sys.exit(script())
    statuses.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
print(json.dumps(statuses))
"""
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


def run_all(packages: Path, folder: Path, commands: Sequence[str], **env: str) -> dict[str, Ran]:
    """Run commands one after the other, each in a process of its own, and return what each did."""
    plain = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), "GIT_CONFIG_NOSYSTEM": "1", **env}
    with TemporaryDirectory() as outputs:
        argv = [sys.executable, "-I", "-S", "-c", RUN, str(PROJECT), str(packages), json.dumps(commands), outputs]
        done = subprocess.run(argv, cwd=folder, env=plain, input="", capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        texts = [[Path(outputs, f"{n}.{d}").read_text() for d in (1, 2)] for n in range(len(commands))]
    return {
        name: Ran(status, *both) for name, status, both in zip(commands, json.loads(done.stdout), texts, strict=True)
    }


def test_extras_are_not_there(packages: Path, repo: Path) -> None:
    script = "import sys; sys.path.insert(0, sys.argv[1]); import yaml, whoosh, numpy"

    argv = [sys.executable, "-I", "-S", "-c", script, str(packages)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)

    assert "No module named 'numpy'" in done.stderr


@pytest.mark.whole_system
@pytest.mark.parametrize("env", [{}, MODEL], ids=["plain", "with a model"])
def test_no_command_alone_is_a_bug(packages: Path, repo: Path, env: dict[str, str]) -> None:
    git(repo, "config", "user.name", "Ana")
    git(repo, "config", "user.email", "ana@example.org")
    # A model in the settings adds to what a command imports; only `embed` does something else without one.
    bare = [name for name in all_commands() if env or name.startswith("embed")]
    done = run_all(
        packages, repo, ["remember The-gateway-drops-connections", *bare, "recall gateway", "remember again"], **env
    )

    assert {name: ran.err for name, ran in done.items() if ran.status not in (0, 1, 2, 3, 4)} == {}
    assert "gateway" in done["recall gateway"].out
    assert done["embed status"].status == (3 if env else 1)
    assert ("needs the package numpy" in done["recall gateway"].err) is bool(env)
