"""Keys as people type them."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import put_files
from support.each import each

from gitmem.errors import AmbiguousKeyError, NotFoundError
from gitmem.index.catalog import short_ids, update
from gitmem.index.catalog.keys import full_key, near_keys
from gitmem.memory import Memory
from gitmem.model import Problem
from gitmem.verify.options import Options


@pytest.fixture
def keyed(memory: Memory) -> Memory:
    """Return a memory with a few keys that begin alike."""
    for key in ("auth-rs256", "auth-rs256-old", "deploy-vpn", "gone"):
        memory.remember(f"About {key}", key=key)
    memory.forget("gone")
    return memory


def test_a_whole_key_is_taken_although_others_begin_with_it(keyed: Memory) -> None:
    assert full_key(keyed.repository.catalog(), "auth-rs256") == "auth-rs256"


def test_a_beginning_that_fits_one_is_enough(keyed: Memory) -> None:
    assert full_key(keyed.repository.catalog(), "dep") == "deploy-vpn"


def test_a_key_may_exist_where_the_newest_tree_cannot_be_read(keyed: Memory) -> None:
    catalog = keyed.repository.catalog().copy()
    statuses = []
    for problem in ((), (Problem("tree-unreadable", "", "showing 2 commits earlier"),)):
        for one in problem:
            update.add_problem(catalog, one)
        with pytest.raises(NotFoundError) as caught:
            full_key(catalog, "seal")
        statuses.append((caught.value.exit_status, "showing 2 commits earlier" in caught.value.message))

    assert statuses == [(1, False), (3, True)]


def test_a_beginning_that_fits_several_names_them_all(keyed: Memory) -> None:
    with pytest.raises(AmbiguousKeyError) as caught:
        full_key(keyed.repository.catalog(), "auth")

    assert caught.value.keys == ["auth-rs256", "auth-rs256-old"]
    assert "auth-rs256-old" in caught.value.hint


def test_a_retired_memory_is_found_by_its_whole_key_only(keyed: Memory) -> None:
    assert full_key(keyed.repository.catalog(), "gone") == "gone"
    with pytest.raises(NotFoundError):
        full_key(keyed.repository.catalog(), "gon")


@each(("typed", "near"), [("depoly-vpn", "deploy-vpn"), ("rs256", "auth-rs256")])
def test_a_key_that_is_nearly_right_is_named(keyed: Memory, typed: str, near: str) -> None:
    assert near in near_keys(keyed.repository.catalog(), typed)


@each("typed", ["", "%", "_", "v", "pn", "nothing-like-it-at-all", "é", "\U0010ffff"])
def test_what_is_no_key_is_not_found_and_says_how_to_look(keyed: Memory, typed: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        full_key(keyed.repository.catalog(), typed)

    assert "gitmem recall" in caught.value.hint


def test_whoever_proves_says_that_a_file_which_may_be_a_fact_cannot_be_read(memory: Memory, repo: Path) -> None:
    put_files(repo, {"facts/broken.md": "---\ntitle: x\ntitle: y\n---\n"})
    message = "1 file of the store cannot be read: gitmem doctor"

    memory.verify(options=Options(), report=lambda *_: None)
    assert memory.notices == [message]
    memory.notices.clear()
    memory.check(options=Options(), base="HEAD")
    assert memory.notices == [message]


def test_short_id_names_its_memory_and_stays_when_more_are_written(keyed: Memory) -> None:
    before = short_ids(keyed.repository.catalog(), ["deploy-vpn", "gone"])
    for number in range(40):
        keyed.remember(f"Another thing, number {number}", key=f"other-{number}")
    catalog = keyed.repository.catalog()

    assert all(len(one) >= 4 and set(one).isdisjoint("aeiouy") for one in before.values())
    assert short_ids(catalog, before) == before
    assert {key: full_key(catalog, short) for key, short in before.items()} == {key: key for key in before}


def test_the_newer_of_two_memories_with_the_same_letters_has_a_longer_id(keyed: Memory) -> None:
    catalog = keyed.repository.catalog()
    letters = {"deploy-vpn": ("bcdfbbbbbb", 2), "auth-rs256": ("bcdfgbbbbb", 3), "auth-rs256-old": ("bcdfgcbbbb", 1)}
    for key, row in letters.items():
        catalog.connection.execute("UPDATE memory SET letters = ?, created = ? WHERE key = ?", (*row, key))

    ids = short_ids(catalog, letters)

    assert ids == {"auth-rs256-old": "bcdf", "deploy-vpn": "bcdfb", "auth-rs256": "bcdfgb"}
    assert [full_key(catalog, short) for short in ids.values()] == [*ids]


def test_short_id_with_which_another_key_begins_is_ambiguous(memory: Memory) -> None:
    memory.remember("Ports are closed", key="ports-are-closed")
    (short,) = short_ids(memory.repository.catalog(), ["ports-are-closed"]).values()
    memory.remember("Another thing", key=f"{short}-timeouts")

    with pytest.raises(AmbiguousKeyError) as caught:
        full_key(memory.repository.catalog(), short)

    assert caught.value.keys == sorted(["ports-are-closed", f"{short}-timeouts"])


def test_no_short_id_is_the_key_of_another_memory(memory: Memory) -> None:
    memory.remember("Ports are closed", key="ports-are-closed")
    (taken,) = short_ids(memory.repository.catalog(), ["ports-are-closed"]).values()
    memory.remember("A memory with an unlikely key", key=taken)
    catalog = memory.repository.catalog()

    (short,) = short_ids(catalog, ["ports-are-closed"]).values()

    assert short != taken
    assert full_key(catalog, short) == "ports-are-closed"
    assert full_key(catalog, taken) == taken
