"""docs/cli.md is what docs/make_cli.py makes of the parsers now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from gitmem.cli.commands import COMMANDS, all_commands, load_command

DOCS = Path(__file__).resolve().parent.parent / "docs"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """Return docs/make_cli.py as a module."""
    spec = importlib.util.spec_from_file_location("make_cli", DOCS / "make_cli.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_reference_is_up_to_date(maker: ModuleType) -> None:
    assert maker.reference() == (DOCS / "cli.md").read_text(encoding="utf-8"), "run: python docs/make_cli.py"


def test_reference_has_every_option_and_example_of_each_command(maker: ModuleType) -> None:
    reference = maker.reference()
    for name in all_commands():
        section = reference.split(f"\n### gitmem {name}\n")[1].split("\n## ")[0].split("\n### ")[0]
        parser = maker.parser_of(name, load_command(name))

        options = [option for action in parser._actions for option in action.option_strings if action.dest != "help"]
        assert [option for option in options if f"`{option}" not in section] == [], name
        assert [line for line in load_command(name).EXAMPLES if line not in section] == [], name


def test_drift_would_be_seen(maker: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(COMMANDS, "status", ("read", "something else"))

    assert maker.reference() != (DOCS / "cli.md").read_text(encoding="utf-8")
