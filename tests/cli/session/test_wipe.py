"""Wiping a topic."""

from __future__ import annotations


def test_wiping_a_topic_twice_finds_nothing_the_second_time(run_cli) -> None:
    run_cli("session", "use", "billing", "One")

    assert (run_cli("session", "wipe").status, run_cli("session", "wipe").status) == (0, 1)
    assert "One" not in run_cli("session").out
