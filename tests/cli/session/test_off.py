"""Switching off and on."""

from __future__ import annotations

from pathlib import Path


def test_off_prints_its_file_and_undo_deletes_it(run_cli) -> None:
    path = Path(run_cli("session", "off", "--all").out.strip())
    assert path.is_file()
    assert "agents are shown nothing" in run_cli("session").out

    run_cli("session", "off", "--all", "--undo")

    assert not path.exists()
    assert "agents are told nothing" not in run_cli("session").out


def test_off_on_a_shared_branch_says_that_it_affects_one_session(run_cli) -> None:
    assert "--all switches off all of them" in run_cli("session", "off").err
    assert "--all" not in run_cli("session", "off", "--all").err + run_cli("session", "off", "--undo").err

    run_cli("session", "use", "billing", "What the billing job needs")

    assert "--all" not in run_cli("session", "off").err
