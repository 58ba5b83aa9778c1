"""``gitmem decide``: the key is printed, and what is decided already is refused with the way on."""

from __future__ import annotations

import json


def test_decision_is_written_with_role_story_and_component(run_cli) -> None:
    done = run_cli(
        "decide", "PostgreSQL, for its transactions", "--role", "Architect", "--story", "LED-1",
        "--component", "Storage layer", "--importance", "critical", "--ref", "README.md:1", "--json",
    )  # fmt: skip

    key = json.loads(done.out)["key"]
    fields = json.loads(run_cli("show", key, "--json").out)["frontmatter"]
    assert (fields["kind"], fields["task"], fields["importance"]) == ("decision", "LED-1", "critical")
    assert (fields["by"], fields["tags"][0]) == ({"who": "Ana", "role": "architect"}, "storage-layer")


def test_decision_that_a_memory_already_states_is_refused(run_cli) -> None:
    run_cli("decide", "Tokens live an hour", "--key", "hour")

    again = run_cli("decide", "Tokens live an hour", "--key", "other")
    other = run_cli("decide", "Tokens live fifteen minutes", "--key", "quarter", "--supersedes", "hour")

    assert (again.status, other.status) == (2, 0)
    assert "hour already says this" in again.err
    assert "--force" in again.err
