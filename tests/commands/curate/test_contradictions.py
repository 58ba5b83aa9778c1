"""Contradictions in a whole store: the pairs found, and that only evidence resolves one."""

from __future__ import annotations

from pathlib import Path

from conftest import git
from support.embedded_store import choose, make_model
from support.facts import make_fact, make_memory, put, verify

from gitmem.commands.curate.contradictions import find_contradictions
from gitmem.memory import Memory


def test_contradiction_is_resolved_only_by_a_check_that_holds(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("proved", {"exists": "src/auth/jwt.py"}, title="Tokens are signed with RS256"),
        make_memory("wrong", "Tokens are signed with HS256"),
        make_memory("three", "Retries are capped at 3 in the client"),
        make_memory("five", "Retries are capped at 5 in the client"),
        make_memory("other", "The queue is bounded"),
        make_memory("gone", "Retries are capped at 7 in the client", superseded_by="five"),
    )
    verify(memory)

    found = find_contradictions(memory.repository)
    assert [({pair.one.key, pair.other.key}, pair.kept) for pair in found.pairs] == [
        ({"proved", "wrong"}, "proved"),
        ({"three", "five"}, ""),
    ]
    assert found.compared == 5

    _, commit = memory.bulk.contradictions(apply=True)

    assert git(repo, "show", "-s", "--format=%s", commit) == "memory: supersede 1 contradicted claim"
    assert [{pair.one.key, pair.other.key} for pair in find_contradictions(memory.repository).pairs] == [
        {"three", "five"}
    ]
    memory.bulk.undo()
    assert len(find_contradictions(memory.repository).pairs) == 2


def test_checks_that_can_never_both_hold_are_a_contradiction(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_fact("there", {"exists": "src/auth/jwt.py"}, title="Tokens are made here"),
        make_fact("absent", {"absent": "src/auth/jwt.py"}, title="Nothing makes tokens"),
    )
    verify(memory)

    (pair,) = find_contradictions(memory.repository).pairs

    assert (pair.why, pair.kept) == ("src/auth/jwt.py cannot both exist and be absent", "")


def test_contradiction_in_other_words_is_found_with_a_model(repo: Path, tmp_path: Path) -> None:
    put(
        repo,
        make_memory("needed", "Every request has an authentication token"),
        make_memory("none", "Signin never asks for a login"),
        make_memory("other", "Postgres has no deadline"),
        make_memory("agrees", "Token and signin belong together"),
    )
    with Memory(repo) as memory:
        by_words = find_contradictions(memory.repository).pairs
    choose(repo, make_model(tmp_path / "model"))

    with Memory(repo) as memory:
        before = find_contradictions(memory.repository).pairs  # no vectors yet
        memory.vectors.rebuild()
        found = find_contradictions(memory.repository).pairs

    assert by_words == before == ()
    assert {(pair.one.key, pair.other.key) for pair in found} == {("none", "agrees"), ("none", "needed")}
    assert all(pair.why.startswith("nearly the same meaning (0.9") and not pair.kept for pair in found)
