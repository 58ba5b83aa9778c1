"""Findings: their order, and where a fact's check stands."""

from __future__ import annotations

from conftest import commit_files
from support.code_changes import RS256
from support.facts import make_fact, tracked

from gitmem.statuses import SIGNS
from gitmem.verify.overview.finding import HOLDS, KINDS, LISTED, WORDS, FactFinding, Spot, fact_spot, in_order


def test_every_kind_of_finding_has_words_and_the_mark_of_a_status():
    assert (*LISTED, HOLDS) == KINDS
    assert {words.status for words in WORDS.values()} <= set(SIGNS)
    assert {kind for kind, words in WORDS.items() if not words.case} == {
        kind for kind, words in WORDS.items() if not words.level
    }


def test_most_important_comes_first_then_by_key():
    found = [FactFinding(key, "", kind) for kind in reversed(KINDS) for key in ("b", "a")]

    assert [(f.kind, f.key) for f in in_order(found)] == [(kind, key) for kind in KINDS for key in ("a", "b")]


def test_fact_of_the_code_tree_is_shown_at_the_line_of_its_check(memory, repo):
    commit = commit_files(repo, tracked(make_fact("a", RS256, tags=["verify: no"])))

    assert fact_spot(memory.repository.git, commit, ".memory/facts/a.md") == Spot(".memory/facts/a.md", 6)
    assert fact_spot(memory.repository.git, commit, ".memory/facts/missing.md") == Spot(".memory/facts/missing.md", 1)
    assert fact_spot(memory.repository.git, commit, "facts/a.md") is None
