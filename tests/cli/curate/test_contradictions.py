"""``gitmem curate contradictions``: pairs to decide, and JSON."""

from __future__ import annotations

import json

from support.facts import make_memory, put


def test_pairs_are_listed_with_the_reason_and_left_to_a_person(memory, run_cli, repo):
    put(
        repo,
        make_memory("three", "Retries are capped at 3 in the client"),
        make_memory("five", "Retries are capped at 5 in the client"),
    )

    shown, applied = run_cli("curate", "contradictions"), run_cli("curate", "contradictions", "--apply", "--json")

    assert shown.status == applied.status == 1
    assert "five  Retries are capped at 5 in the client\n" in shown.out
    assert "  other numbers: 5 and 3\n" in shown.out
    table = json.loads(applied.out)
    assert (table["commit"], table["pairs"][0]["keys"], table["pairs"][0]["keep"]) == ("", ["five", "three"], "")
    memory.forget("three")
    assert run_cli("curate", "contradictions").status == 0
