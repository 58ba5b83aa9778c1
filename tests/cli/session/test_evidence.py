"""Evidence."""

from __future__ import annotations


def test_evidence_needs_a_reference(run_cli) -> None:
    assert run_cli("session", "evidence", "It rounds").status == 2

    done = run_cli("session", "evidence", "It rounds", "--ref", "a.py:3", "--session", "s1")

    assert (done.status, done.out) == (0, "session-s1\n")
    assert "It rounds  [a.py:3]" in run_cli("session", "status").out  # the latest session's
