"""``gitmem undo``: what it prints, and its exit statuses."""

from __future__ import annotations

import json

from conftest import tip


def test_undo_prints_the_keys_until_nothing_is_left(memory, run_cli, repo):
    memory.remember("The queue is bounded", key="queue")
    before = tip(repo)

    shown = run_cli("undo", "--dry-run")
    assert (shown.status, shown.out, "would undo: learned: add queue" in shown.err) == (0, "queue\n", True)
    assert tip(repo) == before

    done = run_cli("undo", "--json")
    nothing = run_cli("undo")
    assert json.loads(done.out)["keys"] == ["queue"]
    assert (nothing.status, "there is nothing to undo" in nothing.err) == (1, True)
