"""Supersession: recorded in both memories, validated, reversible, and never in a cycle (E8)."""

from __future__ import annotations

import pytest
from conftest import git, memory_text, put_files, tip
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.branch import fields_of, keys_found, memory_files
from support.catalogs import said_anew, said_by
from support.facts import Clock, count_commits

from gitmem.document.parse import parse
from gitmem.errors import DuplicateError, NotFoundError, RefusedError
from gitmem.memory import Memory
from gitmem.policy import Policy
from gitmem.store import layout
from gitmem.write.draft import short_hash


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def store(memory, repo, clock):
    """The memory of a fresh repository whose clock a test sets."""
    with Memory(repo, clock=clock) as opened:
        yield opened


@pytest.fixture
def pair(store):
    """A store with two memories of one thing, and one of another."""
    store.remember("Tokens are signed with HS256", key="old")
    store.remember("Tokens are signed with RS256", key="new")
    store.remember("Tokens are signed with care", key="other")
    return store


def links(repo, *keys):
    """Return what each memory says it supersedes, and what superseded it."""
    said = {}
    for path, text in memory_files(repo).items():
        document = parse(text, path=path)
        said[document.key] = (document.strings("supersedes"), document.fields.get("superseded_by"))
    return {key: said[key] for key in keys}


SUPERSEDED = {"old": ((), "new"), "new": (("old",), None)}


@pytest.mark.parametrize(
    "how",
    [
        lambda m: m.supersede("old", "new"),
        lambda m: m.edit("new", fields={"supersedes": ["old"]}, body=None, approve=False),
        lambda m: m.remember("Tokens are signed with RS256 now", key="new", supersedes=["old"]),
    ],
    ids=["supersede", "edit", "remember"],
)
def test_supersession_is_said_in_both_memories_by_one_commit(pair, repo, how):
    before = count_commits(repo)

    done = how(pair)

    assert (done.key, done.path) == ("new", "learned/new.md")
    assert links(repo, "old", "new") == SUPERSEDED
    assert count_commits(repo) == before + 1
    assert sorted(keys_found(pair, "tokens signed")) == ["new", "other"]
    assert pair.show("old").document["superseded"]


def test_superseding_again_writes_nothing(pair, repo):
    pair.supersede("old", "new")
    before = tip(repo)

    assert not pair.supersede("old", "new").is_written
    assert tip(repo) == before


def test_supersession_can_be_turned_round(pair, repo):
    pair.supersede("old", "new")

    pair.supersede("new", "old")

    assert links(repo, "old", "new") == {"old": (("new",), None), "new": ((), "old")}
    assert sorted(keys_found(pair, "tokens signed")) == ["old", "other"]


def test_circle_is_refused(pair, repo):
    pair.supersede("old", "new")
    pair.supersede("new", "other")
    before = tip(repo)

    with pytest.raises(RefusedError, match="cycle"):
        pair.supersede("other", "old")

    assert tip(repo) == before


def test_retired_memory_cannot_supersede_another(pair, repo):
    pair.forget("new")

    with pytest.raises(RefusedError, match="new was retired"):
        pair.supersede("old", "new")

    assert "old" in keys_found(pair, "tokens signed")


def test_memory_that_is_let_go_of_comes_back(pair, repo):
    pair.supersede("old", "new")

    pair.edit("new", fields={"supersedes": []}, body=None, approve=False)

    assert links(repo, "old", "new") == {"old": ((), None), "new": ((), None)}
    assert "old" in keys_found(pair, "tokens signed")


def test_update_of_what_superseded_does_not_bring_the_old_one_back(pair, repo):
    pair.supersede("old", "new")

    pair.remember("Tokens are signed with EdDSA", key="new")

    assert links(repo, "old", "new") == SUPERSEDED
    assert "old" not in keys_found(pair, "tokens signed")


def test_superseded_memory_that_is_rewritten_under_its_key_is_found_again(pair, repo):
    pair.supersede("old", "new")
    before = count_commits(repo)

    pair.remember("Tokens are signed with HS512", key="old")

    assert links(repo, "old", "new") == {"old": ((), None), "new": ((), None)}
    assert count_commits(repo) == before + 1
    assert "old" in keys_found(pair, "tokens HS512")


def test_superseded_memory_does_not_come_back_by_its_own_text(pair, repo):
    pair.supersede("old", "new")
    before = tip(repo)

    done = pair.remember("Tokens are signed with HS256", key="old")

    assert not done.is_written
    assert tip(repo) == before


def test_superseded_text_recorded_again_is_a_new_memory(store, repo):
    first = store.remember("Tokens are signed with HS256")
    store.remember("Tokens are signed with RS256", key="new", supersedes=[first.key])

    with pytest.raises(DuplicateError, match="was superseded by new") as refused:
        store.remember("Tokens are signed with HS256")
    second = store.remember("Tokens are signed with HS256", force=True)
    third = store.remember("Tokens are signed with HS256")

    assert f"gitmem supersede new {first.key}" in refused.value.hint
    assert second.is_new
    assert second.key == f"{first.key}-{short_hash('Tokens are signed with HS256' + chr(10))}"
    assert (third.key, third.is_written) == (second.key, False)
    assert links(repo, first.key, "new") == {first.key: ((), "new"), "new": ((first.key,), None)}


def test_link_to_nothing_that_was_there_keeps_no_one_from_editing(store, repo):
    put_files(repo, {"learned/a.md": memory_text("A", supersedes="[gone]")})

    store.edit("a", fields={"title": "B"}, body=None, approve=False)

    assert fields_of(repo, "learned/a.md")["supersedes"] == ["gone"]


KEYS = st.sampled_from(["a", "b", "c"])
STEPS = st.one_of(
    st.tuples(st.just("remember"), KEYS, st.sampled_from(["one", "two"]), st.sampled_from(["learned", "gotcha"])),
    st.tuples(st.just("kind"), KEYS, st.sampled_from(["learned", "gotcha"])),
    st.tuples(st.just("forget"), KEYS),
    st.tuples(st.just("supersede"), KEYS, KEYS),
    st.tuples(st.just("let go"), KEYS),
)


def take(memory, step):
    what, key, *rest = step
    if what == "remember":
        memory.remember(f"Thing {rest[0]}", key=key, kind=rest[1])
    elif what == "kind":
        memory.edit(key, fields={"kind": rest[0]}, body=None, approve=False)
    elif what == "forget":
        memory.forget(*key)
    elif what == "supersede":
        memory.supersede(key, rest[0])
    else:
        memory.edit(key, fields={"supersedes": []}, body=None, approve=False)


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(STEPS, min_size=3, max_size=8))
def test_links_always_go_both_ways_and_every_key_has_one_file(tmp_path_factory, steps):
    repo = tmp_path_factory.mktemp("steps")
    git(repo, "init", "-q", "-b", "main", ".")
    git(repo, "config", "user.name", "Ana")
    with Memory(repo, clock=Clock()) as memory:
        memory.remember("Thing zero", key="a")
        for step in steps:
            try:
                take(memory, step)
            except (RefusedError, NotFoundError) as refused:
                assert refused.message
        last = said_by(memory.repository.catalog())

    documents = {path: parse(text, path=path) for path, text in memory_files(repo).items()}
    by_key = {document.key: document for document in documents.values()}
    assert len(by_key) == len(documents)
    for document in documents.values():
        place = layout.place_of(document.path)
        assert place.folder == Policy.from_dict({}).kind(document.kind).folder or place.archived
        assert place.archived == ("retired" in document.fields)
        for old in document.strings("supersedes"):
            assert by_key[old].fields.get("superseded_by") is not None
        newer = document.fields.get("superseded_by")
        assert newer is None or document.key in by_key[newer].strings("supersedes")
    assert last == said_anew(repo, tip(repo))
