"""Wiping a topic."""

from __future__ import annotations


def test_a_topic_is_gone_and_a_second_time_there_is_nothing(run_cli) -> None:
    run_cli("session", "use", "billing", "One")

    assert (run_cli("session", "wipe").status, run_cli("session", "wipe").status) == (0, 1)
    assert "One" not in run_cli("session").out
