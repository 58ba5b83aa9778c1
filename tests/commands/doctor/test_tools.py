"""Doctor's lines about what is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from gitmem.commands.doctor import tools
from gitmem.memory import Memory


def test_path_without_programs_says_what_each_costs(tmp_path: Path) -> None:
    rows = dict(tools.list_missing(str(tmp_path)))

    assert [rows[name] for name, _ in tools.PROGRAMS] == [f"not installed: {cost}" for _, cost in tools.PROGRAMS]


def test_program_on_the_path_has_no_line(tmp_path: Path) -> None:
    for name, _ in tools.PROGRAMS:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)

    assert not {name for name, _ in tools.PROGRAMS} & set(dict(tools.list_missing(str(tmp_path))))


def test_missing_extra_names_its_cost_and_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(tools, "find_spec", lambda _name: None)
    for module in [one for _, modules, _ in tools.EXTRAS for one in modules]:
        monkeypatch.delitem(sys.modules, module, raising=False)

    rows = dict(tools.list_missing(str(tmp_path)))

    for name, _, cost in tools.EXTRAS:
        line = rows[f"extra {name}"]
        assert line.startswith(f"not installed: {cost} (")
        assert "install" in line.partition("(")[2]
        assert "\n" not in line


def test_one_package_of_an_extra_is_enough(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tools, "find_spec", lambda name: name if name == "fastembed" else None)
    monkeypatch.delitem(sys.modules, "fastembed", raising=False)

    assert "extra meaning" not in dict(tools.list_missing(str(tmp_path)))


def test_doctor_lists_what_is_missing_on_its_own_path(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gitmem.system.environment.search_path", lambda: str(tmp_path))

    machine = dict(memory.doctor(fix=False).machine)

    assert machine["man"].startswith("not installed: ")
    assert machine["bubblewrap"].startswith("not installed: ")
