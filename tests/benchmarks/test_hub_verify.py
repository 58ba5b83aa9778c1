"""A hub's workers judge every fact of every repository once; kills are tried by ``test_hub_kills``."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("procrastinate")

from benchmarks.hub_verify import CORES, Found, measure


@pytest.mark.whole_system
def test_every_fact_of_every_repository_is_judged_once(tmp_path: Path) -> None:
    found = measure(tmp_path, repositories=2, every_s=1000)

    assert (found.kills, found.lost, found.double) == (0, 0, 0)
    assert found.cpu_s > 0


def test_hours_are_those_of_10000_repositories() -> None:
    assert Found(100, 0, 0, 0, cpu_s=360.0, waited_s=1.0).hours == 10 / CORES
