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
# Takes each of the named folders away in turn: loads all modules that are left, makes the parser of each command, tells
# which words are commands. One process, as loading what others wrote (NumPy, Textual, MCP) is half of the CPU.
REST = """
import importlib, json, pkgutil, sys
from pathlib import Path

for gone in sys.argv[1:]:
    folder = Path("gitmem/plugins", gone)
    folder.rename("away")
    for name in [one for one in sys.modules if one.partition(".")[0] == "gitmem"]:
        del sys.modules[name]
    importlib.invalidate_caches()
    import gitmem
    from gitmem.cli.commands import all_commands, load_command
    from gitmem.cli.parser import parser_of

    left = [one.name for one in pkgutil.walk_packages(gitmem.__path__, "gitmem.") if one.name != "gitmem.__main__"]
    for name in left:
        if not name.startswith("gitmem.verify.sandbox.launcher"):
            importlib.import_module(name)
    for name in all_commands():
        parser_of(name, load_command(name))
    print(json.dumps({"where": gitmem.__file__, "gone": gone, "left": left, "commands": [*all_commands()]}), flush=True)
    Path("away").rename(folder)
"""


def test_own_plugins_are_found_in_their_folder() -> None:
    found = find_plugins()

    assert [*found.modules][: len(OWN)] == OWN
    assert found.problems == ()


@pytest.mark.whole_system
def test_each_folder_can_be_deleted_and_the_rest_works(tmp_path) -> None:
    # With the byte code, which is valid for a copy with the same times: compiling all modules is most of the CPU.
    shutil.copytree(PACKAGE, tmp_path / "gitmem")
    own = find_plugins().modules

    done = subprocess.run(
        [sys.executable, "-B", "-c", REST, *OWN], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, (done.stdout.splitlines()[-1:], done.stderr)
    for name, line in zip(OWN, done.stdout.splitlines(), strict=True):
        report = json.loads(line)
        assert (report["where"], report["gone"]) == (str(tmp_path / "gitmem" / "__init__.py"), name)
        assert [one for one in report["left"] if f"{one}.".startswith(f"gitmem.plugins.{name}.")] == []
        assert {one.split(".")[2] for one in report["left"] if one.startswith("gitmem.plugins.")} == {*OWN} - {name}
        assert set(commands.all_commands()) - set(report["commands"]) == set(own[name].COMMANDS)


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
