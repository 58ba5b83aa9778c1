"""``gitmem task show``: the memory and its attempts."""

from __future__ import annotations

import json


def test_show_has_the_attempts_and_what_it_waits_for(memory, run_cli):
    memory.tasks.add("Refresh tokens", verify=None, key="t", requires=["x"], body="All of them.")
    memory.tasks.fail("t", note="stripped")
    memory.tasks.claim("t")

    text, found = run_cli("task", "show", "t").out, json.loads(run_cli("task", "show", "t", "--json").out)

    assert "  waits for: x\n" in text
    assert "  attempt 2 working (Ana, 2026-09-21T14:13:20Z)\n  attempt 1 failed (Ana, " in text
    assert "claimed:" not in text
    assert (found["state"], found["waits_for"], found["body"]) == ("claimed", ["x"], "All of them.\n")
    assert [(one["num"], one["outcome"]) for one in found["attempts"]] == [(2, "working"), (1, "failed")]


def test_memory_that_is_not_a_task_is_refused(memory, run_cli):
    memory.remember("The gateway retries", key="g")

    assert run_cli("task", "show", "g").status == 1
