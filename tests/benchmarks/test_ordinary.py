"""Ordinary projects: one kind of check, its cases, and a kind that does not hold here."""

from __future__ import annotations

import pytest

from benchmarks import ordinary
from benchmarks.ordinary import SHELL_FILES, VENDOR, Kind


@pytest.mark.whole_system
def test_a_missing_environment_is_blocked_and_a_broken_project_fails(tmp_path, monkeypatch):
    monkeypatch.setenv("GITMEM_BACKGROUND", "off")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kind = Kind("shell", "./check.sh", SHELL_FILES, "vendor", VENDOR, {"script deleted": {"check.sh": None}})

    found = ordinary.judge_kind(kind, tmp_path / "shell")

    assert {case: outcome for case, outcome, _ in found} == {
        "there": "holds",
        "missing": "blocked",
        "changed": "blocked",
        "script deleted": "fails",
    }


def test_a_kind_that_does_not_hold_here_is_skipped_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setenv("GITMEM_BACKGROUND", "off")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    kind = Kind("none", "no-such-tool test", {"x": "x\n"}, "vendor", {})

    ((case, _, reason),) = ordinary.judge_kind(kind, tmp_path / "none")

    assert case == "skipped"
    assert "no-such-tool" in reason
