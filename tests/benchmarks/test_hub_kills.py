"""The series of kills in short: one part of each kind dies, nothing is lost or double, and a client answers."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("procrastinate")

from benchmarks import hub_kills
from benchmarks.hub_kills import VICTIMS, Found, measure


@pytest.mark.whole_system
def test_nothing_is_lost_or_double_when_each_part_of_a_hub_is_killed_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("REPOSITORIES", "WORKERS", "SERVERS"):
        monkeypatch.setattr(hub_kills, name, 1)

    assert measure(tmp_path, kills=len(VICTIMS)) == Found(kills=4, lost=0, double=0, recalls=2, silent=0)
