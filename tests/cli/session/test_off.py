"""Switching off and on."""

from __future__ import annotations

from pathlib import Path


def test_the_file_that_switches_off_is_printed_and_taken_away_again(run_cli) -> None:
    path = Path(run_cli("session", "off", "--all").out.strip())
    assert path.is_file()
    assert "agents are told nothing" in run_cli("session").out

    run_cli("session", "off", "--all", "--undo")

    assert not path.exists()
    assert "agents are told nothing" not in run_cli("session").out
