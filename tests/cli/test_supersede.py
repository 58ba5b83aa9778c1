"""``gitmem supersede``: linked both ways, and out of search."""

from __future__ import annotations

import json


def test_both_memories_name_each_other_and_the_old_one_leaves_search(run_cli) -> None:
    run_cli("remember", "Deploys go by hand", "--key", "by-hand")
    run_cli("remember", "Deploys go by pipeline", "--key", "by-pipeline")

    done = run_cli("supersede", "by-hand", "by-pipeline")

    old, new = (json.loads(run_cli("show", key, "--json").out) for key in ("by-hand", "by-pipeline"))
    assert (done.status, done.out) == (0, "by-pipeline\n")
    assert (old["frontmatter"]["superseded_by"], new["frontmatter"]["supersedes"]) == ("by-pipeline", ["by-hand"])
    assert (old["superseded"], new["superseded"]) == (True, False)
    assert "by-hand" not in run_cli("recall", "deploys").out
    assert "by-hand" in run_cli("recall", "deploys", "--all").out


def test_memory_cannot_supersede_itself_or_a_missing_one(run_cli) -> None:
    run_cli("remember", "a text", "--key", "a")

    itself, missing = run_cli("supersede", "a", "a"), run_cli("supersede", "nosuch", "a")

    assert (itself.status, missing.status) == (2, 1)
    assert "a cannot supersede itself" in itself.err
    assert "there is no memory nosuch" in missing.err
