"""A simulated team: its commits on the memory branch are counted, and every clone sees the failures of its commit."""

from __future__ import annotations

import pytest

from benchmarks import team


@pytest.mark.whole_system
def test_a_break_and_its_mending_are_each_recorded_once_by_a_team(tmp_path, monkeypatch):
    monkeypatch.setenv("GITMEM_BACKGROUND", "off")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    made, missed = team.simulate(tmp_path, people=2, commits=2, facts=6)

    assert (made, missed) == (2, 0)
