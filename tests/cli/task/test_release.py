"""``gitmem task release``: the task is open again; another worker's only by force."""

from __future__ import annotations


def test_release_reopens_a_task_and_needs_force_for_another_holder(memory, run_cli, monkeypatch):
    memory.tasks.add("Refresh tokens", verify=None, key="t")
    memory.tasks.claim("t")
    monkeypatch.setenv("GITMEM_AGENT", "other")

    refused = run_cli("task", "release", "t")
    forced = run_cli("task", "release", "t", "--force", "--note", "nobody is there")
    again = run_cli("task", "release", "t")

    assert (refused.status, refused.out) == (1, "")
    assert "claimed by Ana" in refused.err
    assert (forced.status, forced.out) == (0, "t\n")
    (one,) = memory.tasks.show("t")[1].attempts
    assert (one.outcome, one.who, one.agent, one.notes) == ("released", "Ana", "", "nobody is there")
    assert again.status == 1
