"""Plug-ins: our own folders can be deleted, other packages' are found, and a broken one stops nobody."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from gitmem import plugins
from gitmem.cli import commands
from gitmem.cli.plugins import find_plugins

OWN = sorted(path.name for path in Path(plugins.__file__).parent.iterdir() if (path / "__init__.py").exists())
PACKAGE = Path(plugins.__file__).parents[1]
# Loads every module that is left, runs the help of every command, and tells which words are commands.
REST = """
import io, json, pkgutil, sys
from pathlib import Path
import gitmem
from gitmem.cli.commands import all_commands, load_command
from gitmem.cli.parser import parser_of

left = [one.name for one in pkgutil.walk_packages(gitmem.__path__, "gitmem.") if one.name != "gitmem.__main__"]
for name in left:
    if not name.startswith("gitmem.verify.sandbox.launcher"):
        __import__(name)
for name in all_commands():
    parser_of(name, load_command(name))
print(json.dumps({"where": gitmem.__file__, "commands": [*all_commands()]}))
"""


def test_own_plugins_are_found_in_their_folder() -> None:
    found = find_plugins()

    assert [*found.modules][: len(OWN)] == OWN
    assert found.problems == ()


@pytest.mark.parametrize("name", OWN)
def test_a_folder_can_be_deleted_and_the_rest_works(name, tmp_path) -> None:
    # With the byte code, which is valid for a copy with the same times: compiling all modules is most of the CPU.
    shutil.copytree(PACKAGE, tmp_path / "gitmem")
    gone = find_plugins().modules[name]
    shutil.rmtree(tmp_path / "gitmem" / "plugins" / name)

    done = subprocess.run([sys.executable, "-B", "-c", REST], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["where"] == str(tmp_path / "gitmem" / "__init__.py")
    assert set(commands.all_commands()) - set(told["commands"]) == set(gone.COMMANDS)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a function that installs a package with one plug-in."""
    commands._plugins.clear()
    monkeypatch.syspath_prepend(tmp_path)

    def install(name: str, source: str, module: str = "acme_plugin") -> None:
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[gitmem.commands]\n{name} = {module}\n")
        (tmp_path / f"{module}.py").write_text(source)

    yield install
    commands._plugins.clear()
    sys.modules.pop("acme_plugin", None)


HELLO = '''"""Say hello to a word."""
COMMANDS = {"hello": ("read", "say hello"), "list": ("read", "another list")}
MODULES = {"hello": "acme_plugin", "list": "acme_plugin"}
EXAMPLES = ("gitmem hello world",)


def add_arguments(parser):
    parser.add_argument("who", help="the word")


def run(args, out):
    out.line("hello ", args.who)
    return 0
'''


def test_command_of_another_package_runs_and_is_in_the_help(package, run_cli) -> None:
    package("acme", HELLO)

    assert run_cli("hello", "world").out == "hello world\n"
    assert "say hello" in run_cli("help", "-a").out
    assert "gitmem hello world" in run_cli("help", "hello").out
    assert "another list" not in run_cli("help", "-a").out, "a plug-in replaced a command of gitmem's own"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("raise RuntimeError('no network')", "the plug-in acme of acme cannot be loaded: no network"),
        ("import nothing_of_that_name", "the plug-in acme of acme cannot be loaded: No module named"),
        ("COMMANDS = {}", "the plug-in acme of acme has no tables COMMANDS and MODULES"),
        ("COMMANDS = {'hello': ('read', 'x')}\nMODULES = {}", "the plug-in acme of acme names no module for hello"),
    ],
)
def test_broken_plugin_is_named_where_a_command_is_missing_and_nowhere_else(package, run_cli, source, problem) -> None:
    package("acme", source)

    done = run_cli("hello")
    assert "unknown command: hello" in done.err
    assert problem in done.err
    assert run_cli("help", "-a").err == ""
