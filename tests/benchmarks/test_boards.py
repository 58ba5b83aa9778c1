"""The benchmark of boards counts what is there, and a worker that is killed costs nothing."""

from __future__ import annotations

import pytest
from conftest import git

from benchmarks.boards import measure


@pytest.mark.whole_system
def test_round_keeps_every_entry_once_by_the_api_and_by_the_command(repo):
    by_api = measure("API", repo, workers=2, each=3, kills=1)
    by_command = measure("command", repo, workers=2, each=1)

    assert (by_api.kept, by_api.different) == (6, 6)
    assert (by_command.kept, by_command.different) == (2, 2)
    assert "finding 2 of w1" in git(repo, "grep", "finding 2 of w1", "refs/gitmem/runs/by-api")
