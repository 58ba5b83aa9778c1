"""Putting a topic away."""

from __future__ import annotations


def test_an_archived_topic_can_be_read(run_cli) -> None:
    run_cli("session", "use", "billing", "One")

    name = run_cli("session", "archive").out.strip()

    assert "│ One" in run_cli("session", "status", name).out
    assert "One" not in run_cli("session").out
    assert run_cli("session", "archive").status == 1
