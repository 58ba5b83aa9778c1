"""Every bulk write that is measured does its work, and one that loses a memory ends the run."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import bulk, generate, measure, run, stores


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> stores.Stores:
    monkeypatch.setattr(stores, "STORES", {"100k": (5, generate.MIX)})
    monkeypatch.setattr(bulk, "STORES", stores.STORES)
    monkeypatch.setattr(bulk, "WRITERS", 2)
    monkeypatch.setattr(bulk, "EACH", 2)
    return stores.Stores(tmp_path)


@pytest.mark.whole_system
@pytest.mark.parametrize("name", ["import-100k", "writers-api", "writers-batch", "writers-command"])
def test_command_does_its_work(small: stores.Stores, name: str) -> None:
    command = run.command(name, small)

    wall, _, _ = measure.run_once(command, 0, env=small.env)

    assert wall > 0
    with pytest.raises(measure.BenchmarkError, match="on the branch, not"):
        bulk._need(small, command.cwd, 99)
