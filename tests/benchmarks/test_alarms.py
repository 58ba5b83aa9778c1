"""The walk that counts false alarms: a break is found at its commit, and steady facts raise no alarm."""

from __future__ import annotations

import pytest

from benchmarks import alarms


@pytest.mark.whole_system
def test_short_walk_reports_the_break_and_nothing_else(tmp_path, monkeypatch):
    monkeypatch.setattr(alarms, "STEADY", 2)
    monkeypatch.setattr(alarms, "RATES", (0,))
    monkeypatch.setattr(alarms, "PER_RATE", 1)
    monkeypatch.setattr(alarms, "BREAK_EVERY", 2)
    monkeypatch.setenv("GITMEM_TRIAL_LIMIT", "10")

    count = alarms.walk(tmp_path, 3)

    assert (count.false_alarms, count.missed, count.marked) == ([], [], 0)
    assert [runs for runs in count.runs.values() if runs] == [[5]]


def test_alarm_for_what_no_commit_broke_is_false(tmp_path, monkeypatch):
    monkeypatch.setattr(alarms, "STEADY", 1)
    monkeypatch.setattr(alarms, "facts", lambda folder: {"a": "grep -q 0 n", "steady-00": "grep -q holds s/00"})

    assert alarms.walk(tmp_path, 1).false_alarms == [(1, "a")]
