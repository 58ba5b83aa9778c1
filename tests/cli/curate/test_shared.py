"""``gitmem curate decay``, ``expired`` and ``archive``: a plan to read, then one commit."""

from __future__ import annotations

import json

from conftest import tip
from support.facts import make_memory, put


def test_plan_is_read_and_then_applied_and_undone(memory, run_cli, repo):
    put(repo, make_memory("idle", "Deploys need the VPN", created="2025-01-01T00:00:00Z"))
    before = tip(repo)

    shown = run_cli("curate", "decay")
    table = json.loads(run_cli("curate", "decay", "--json").out)

    assert (shown.status, tip(repo)) == (1, before)
    assert shown.out.startswith("idle  Deploys need the VPN  (not read or changed for ")
    assert "gitmem curate decay --apply" in shown.err
    assert [one["key"] for one in table["memories"]] == ["idle"]
    done = run_cli("curate", "decay", "--apply")
    assert (done.status, "\nchanged 1 memory in " in done.out) == (0, True)
    assert run_cli("curate", "decay").status == 0
    assert run_cli("undo").out == "idle\n"
    assert run_cli("curate", "decay").status == 1


def test_days_count(memory, run_cli, repo):
    put(repo, make_memory("idle", "Deploys need the VPN", confidence=0.1, created="2025-01-01T00:00:00Z"))

    assert run_cli("curate", "archive", "--days", "100000").status == 0
    assert run_cli("curate", "archive").status == 1
    assert run_cli("curate", "expired").status == 0
