"""The table of large stores: each command is measured in a store of the size that its column names."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from benchmarks import large
from benchmarks.stores import Stores


@pytest.mark.whole_system
def test_commands_are_measured_on_a_new_index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "FILES", 20)
    monkeypatch.setattr(large, "COMMANDS", {"recall, rare words": ("recall", "zebra"), "list": ("list",)})

    found = dict(large.figures(Stores(tmp_path), 12))

    assert list(found) == ["objects", "first command after a clone", "the index", "recall, rare words", "list"]
    tree = subprocess.run(
        ["git", "ls-tree", "-r", "memory"], cwd=tmp_path / "large-12", capture_output=True, check=True
    )
    assert tree.stdout.count(b".md") >= 12
    assert " Y, " in found["list"]


def test_command_that_fails_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="ended with 3"):
        large.measure(Stores(tmp_path), ["sh", "-c", "exit 3"], tmp_path)
