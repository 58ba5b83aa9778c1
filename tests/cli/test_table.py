"""The table of commands is whole: every module of a command is in it, and the overview shows all of them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gitmem.cli import table

FOLDER = Path(table.__file__).parent
# Modules of the room that are no commands.
SHARED = {"__init__", "bug", "check", "output", "parser", "reference", "shared", "table"}


def test_every_module_of_a_command_is_in_the_table_and_nothing_else() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} - SHARED == {*table.COMMANDS, *table.HIDDEN}


def test_overview_shows_every_command_with_what_it_does() -> None:
    lines = table.overview().split("\n")

    for name, (_, about) in table.COMMANDS.items():
        assert f"  {name:<12}{about}" in lines


def test_every_command_is_in_a_group_that_has_a_heading() -> None:
    assert {group for group, _ in table.COMMANDS.values()} == set(table.GROUPS)


@pytest.mark.parametrize("name", table.COMMANDS)
def test_command_has_a_description_examples_arguments_and_a_run(name: str) -> None:
    module = table.load(name)

    assert module.__doc__
    assert all(f"gitmem {name}" in line for line in module.EXAMPLES)
    assert callable(module.add_arguments)
    assert callable(module.run)


def test_only_the_module_of_the_command_that_was_typed_is_loaded() -> None:
    code = (
        "import sys; from gitmem import cli; cli.main(['index', '--help']);"
        "print(sorted(m for m in sys.modules if m.startswith('gitmem.cli.')))"
    )

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = done.stdout.strip().split("\n")[-1]
    names = {name for name in table.COMMANDS if f"'gitmem.cli.{name}'" in loaded}
    assert names == {"index"}
