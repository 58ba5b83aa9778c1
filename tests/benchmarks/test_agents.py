"""Many hooks at once: what they are told, and that a learning that is gone would be seen."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.console import Console, environment

from benchmarks import agents
from gitmem.agents.clients import claude_code


def test_what_hooks_are_told_is_what_a_client_tells() -> None:
    event = claude_code.parse(json.loads(agents.taught("1", "s", Path("/x"))), "")

    assert (event.tool, event.failed, event.session, event.folder) == ("shell", False, "s", "/x")
    assert f"LEARNED: {agents.learning('1')}" in event.command


def test_learnings_are_like_no_other() -> None:
    assert len({agents.learning(str(number)) for number in range(500)}) == 500


@pytest.mark.whole_system
def test_learning_that_is_gone_is_reported(repo: Path) -> None:
    console = Console(repo)
    console.ok("init")
    console.ok("remember", agents.learning("1"))

    assert agents.lost(repo, environment(), [agents.learning("1"), agents.learning("2")]) == [agents.learning("2")]
    assert git(repo, "status", "--porcelain") == ""
