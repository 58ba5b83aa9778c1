"""The active topic, for people and as JSON."""

from __future__ import annotations

import json


def test_active_topic_is_shown_in_full(run_cli) -> None:
    assert "name your work" in run_cli("session").err
    run_cli("session", "use", "billing", "Move the invoices")
    run_cli("session", "evidence", "It rounds", "--ref", "a.py:3")

    done = run_cli("session", "status")

    assert done.out == "billing  named, on main in main\n│ Move the invoices\n• It rounds  [a.py:3]\n"
    assert json.loads(run_cli("session", "status", "--json").out)["evidence"][0]["text"] == "It rounds"


def test_unknown_topic_is_reported(run_cli) -> None:
    done = run_cli("session", "status", "nothing")

    assert done.status == 1
    assert "there is no topic nothing" in done.err
