"""``gitmem task close``: 0 if the gate passes, 1 if not; failed attempts and force."""

from __future__ import annotations

import json

import pytest
from conftest import commit_files


def test_close_is_refused_until_the_gate_holds(memory, repo, run_cli):
    memory.tasks.add("Refresh tokens", verify={"exists": "done.txt"}, key="t")

    no = run_cli("task", "close", "t")
    commit_files(repo, {"done.txt": "x"})
    yes = run_cli("task", "close", "t", "--reason", "it is there", "--json")

    assert (no.status, no.out) == (1, "")
    assert "done.txt does not exist" in no.err
    assert yes.status == 0
    assert json.loads(yes.out)["key"] == "t"


def test_failed_attempt_opens_the_task_again_and_force_closes_it(memory, run_cli):
    memory.tasks.add("Refresh tokens", verify={"exists": "done.txt"}, key="t")

    failed = run_cli("task", "close", "t", "--failed", "--note", "the gateway")
    still = memory.tasks.show("t")[1].state
    forced = run_cli("task", "close", "t", "--force", "--reason", "not needed")

    assert (failed.status, failed.out, still) == (0, "t\n", "open")
    assert (forced.status, memory.tasks.show("t")[1].state) == (0, "closed")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--failed",), "needs a note"),
        (("--failed", "--note", "x", "--force"), "--failed requires --note, and allows no other option"),
        (("--note", "x"), "--note requires --failed"),
        (("--force",), "needs a reason"),
    ],
)
def test_wrong_use_is_refused(memory, run_cli, words: tuple[str, ...], message: str):
    memory.tasks.add("Refresh tokens", verify=None, key="t")

    done = run_cli("task", "close", "t", *words)

    assert (done.status, memory.tasks.show("t")[1].state) == (2, "open")
    assert message in done.err
