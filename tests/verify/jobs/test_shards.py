"""Shards: every fact in exactly one, evenly, alike on every machine, and the same one tomorrow."""

from __future__ import annotations

import random

import pytest
from conftest import git
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each
from support.facts import make_fact, put, verify

from gitmem.memory import Memory
from gitmem.verify.jobs.shards import ROOM, Load, Shard, list_loads, parse_shard, share_out

loads = st.lists(
    st.builds(
        Load,
        st.from_regex(r"[a-z]{1,6}", fullmatch=True),
        st.floats(0, 4000, allow_nan=False),
        st.booleans(),
        st.booleans(),
    ),
    max_size=60,
    unique_by=lambda load: load.key,
)


@settings(max_examples=12)
@given(loads, st.integers(1, 90), st.randoms())
def test_every_fact_is_in_exactly_one_shard_whatever_the_order(facts: list[Load], of: int, chance) -> None:
    shuffled = facts.copy()
    chance.shuffle(shuffled)

    found = share_out(shuffled, of)

    assert set(found) == {load.key for load in facts}
    assert all(1 <= shard <= of for shard in found.values())
    assert found == share_out(facts, of)


@settings(max_examples=12)
@given(loads, st.integers(1, 12))
def test_no_shard_has_more_than_its_part_and_one_fact(facts: list[Load], of: int) -> None:
    facts = [Load(load.key, max(load.seconds, 0.001), False, True) for load in facts]
    total, slowest = sum(load.seconds for load in facts), max((load.seconds for load in facts), default=0)

    found = share_out(facts, of)

    for shard in range(1, of + 1):
        part = sum(load.seconds for load in facts if found[load.key] == shard)
        # A quarter: only the three highest bits of a duration count.
        assert part <= (total / of * (1 + ROOM) + slowest) * 1.25 + 0.001


def usual(count: int = 400) -> list[Load]:
    chance = random.Random(1)
    return [Load(f"f{n}", chance.lognormvariate(-1, 1), False, n % 3 == 0) for n in range(count)]


def test_what_is_open_is_even_and_so_is_everything() -> None:
    facts = usual()

    found = share_out(facts, 8)

    for some in (facts, [load for load in facts if load.is_open]):
        parts = [sum(load.seconds for load in some if found[load.key] == shard) for shard in range(1, 9)]
        assert max(parts) < 1.25 * sum(parts) / 8


def test_a_new_fact_and_a_slower_machine_leave_most_facts_where_they_are() -> None:
    facts, before = usual(), share_out(usual(), 8)
    more = share_out([*facts, Load("new", 0, False, True)], 8)
    slower = share_out([Load(one.key, one.seconds * 1.03, False, one.is_open) for one in facts], 8)

    for after in (more, slower):
        assert sum(after[key] != shard for key, shard in before.items()) < len(facts) / 6


@each("text", ["", "1", "0/3", "4/3", "1/0", "-1/3", "1/3/3", "1.0/3", "²/3", "1/2000", " 1/3", "a/b"])
def test_what_names_no_shard_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be I/N"):
        parse_shard(text)


def test_clones_agree_though_only_one_has_judged(memory: Memory, repo) -> None:
    put(repo, *(make_fact(f"f{n}", {"exists": "README.md"}) for n in range(3)), make_fact("slow", "sleep 9"))
    put(repo, make_fact("gate", {"exists": "x"}, kind="task"))
    git(repo, "switch", "-q", "-c", "side")

    def messages() -> list[Load]:
        session = memory.repository.session()
        return list_loads(session._catalog, session.tree())

    fresh = messages()
    verify(memory)  # on another branch: only this clone knows
    assert messages() == fresh
    assert [load for load in fresh if load.is_open] == fresh
    verify(memory, record=True)
    assert [(load.key, load.is_open) for load in messages()] == [
        ("f0", False),
        ("f1", False),
        ("f2", False),
        ("slow", True),
    ]


def test_shards_of_a_run_are_all_of_it_and_more_shards_than_facts_are_fine(memory: Memory, repo) -> None:
    put(repo, *(make_fact(f"f{n}", {"exists": "README.md"}) for n in range(5)))

    seen = [
        due.row.key for number in range(1, 8) for due in verify(memory, shard=Shard(number, 7), dry_run=True).would_run
    ]

    assert sorted(seen) == [f"f{n}" for n in range(5)]


def test_shard_of_named_facts_is_refused(run_cli) -> None:
    ran = run_cli("verify", "a", "--shard", "1/2")

    assert (ran.status, "--shard and KEY cannot be combined" in ran.err) == (2, True)
