"""``gitmem curate dedupe``, and ``gitmem curate`` alone."""

from __future__ import annotations

import json

import pytest
from conftest import tip
from support.facts import make_memory, put

SAID = "The gateway drops requests without a trace id"
NEARLY = "The gateway drops any request without a trace id"


@pytest.fixture
def twice(memory, repo):
    put(
        repo,
        make_memory("a", SAID, created="2026-01-01T00:00:00Z"),
        make_memory("b", NEARLY, created="2026-02-01T00:00:00Z"),
    )


def test_proposes_with_both_titles_and_writes_nothing(twice, run_cli, repo) -> None:
    before = tip(repo)

    done = run_cli("curate", "dedupe")

    assert (done.status, tip(repo)) == (1, before)
    assert done.out == f"keep b  {NEARLY}  (it is the newest)\n  0.99 a  {SAID}\n"
    assert "gitmem curate dedupe --apply" in done.err
    assert run_cli("curate").out == done.out
    table = json.loads(run_cli("curate", "dedupe", "--json").out)
    assert (table["compared"], table["more"], table["commit"]) == (2, 0, "")
    assert [(g["keep"]["key"], g["why"], g["supersede"][0]["key"]) for g in table["groups"]] == [
        ("b", "it is the newest", "a")
    ]


def test_apply_says_how_to_undo_it_and_leaves_nothing_to_decide(twice, run_cli) -> None:
    done = run_cli("curate", "dedupe", "--apply")

    assert done.status == 0
    assert "superseded 1 memory of 1 group in " in done.out
    assert "gitmem edit b --supersedes ''" in done.err
    assert run_cli("curate", "dedupe").status == 0


def test_threshold_must_be_a_share(twice, run_cli) -> None:
    assert run_cli("curate", "dedupe", "--threshold", "1").status == 0
    assert run_cli("curate", "dedupe", "--threshold", "2").status == 2
