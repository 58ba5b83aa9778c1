"""The active topic, and the operations on topics."""

from __future__ import annotations

import os

import pytest
from conftest import git
from support.each import each
from support.sessions import place

from gitmem.agents.session import topics
from gitmem.errors import NotFoundError, RefusedError
from gitmem.memory import Memory


@each("branch", ["main", "master", "dev", "develop", "trunk", ""])
def test_each_session_has_its_own_topic_on_a_shared_branch(tmp_path, branch: str) -> None:
    where = place(tmp_path, branch)

    assert topics.topic_of(where, "a").name == "session-a"
    assert topics.topic_of(where, "b").folder != topics.topic_of(where, "a").folder


def test_sessions_share_the_topic_of_a_branch_of_their_own(tmp_path) -> None:
    where = place(tmp_path, "feature/x")

    assert topics.topic_of(where, "a") == topics.topic_of(where, "b")
    assert topics.topic_of(where, "a").name == "current"


def test_a_named_topic_is_active_for_every_session_of_its_branch_and_no_other(tmp_path) -> None:
    topics.use(place(tmp_path), "billing", "Move invoices")

    named = topics.topic_of(place(tmp_path), "a")
    assert (named.name, named.is_pinned, named.spec()) == ("billing", True, "Move invoices")
    assert topics.topic_of(place(tmp_path, "dev"), "a").name == "session-a"


def test_naming_a_topic_again_adds_to_its_specification(tmp_path) -> None:
    topics.use(place(tmp_path), "billing", "One")
    topics.use(place(tmp_path), "other")

    assert topics.use(place(tmp_path), "billing", "Two").spec() == "One\n\nTwo"


@each("name", ["current", "session-a", "", "../up", "a/b", "ä", "x" * 61, ".hidden", "-n"])
def test_some_names_are_refused(tmp_path, name: str) -> None:
    with pytest.raises(RefusedError):
        topics.use(place(tmp_path), name)


def test_a_pin_that_someone_wrote_leads_nowhere_else(tmp_path) -> None:
    where = place(tmp_path)
    os.makedirs(where.folder)
    with open(os.path.join(where.folder, "active"), "w") as file:
        file.write("../../../etc\n")

    assert topics.topic_of(where, "a").name == "session-a"


def test_work_trees_have_topics_of_their_own(repo, tmp_path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))

    with Memory(repo) as main, Memory(tmp_path / "side") as side:
        side.sessions.use("billing")
        assert main.sessions.place().workspace == "main"
        assert side.sessions.place().workspace == "worktree-side"
        assert side.sessions.place().root == main.sessions.place().root
        assert main.sessions.topic("a").name == "session-a"


def test_wiping_takes_one_topic_and_no_other(tmp_path) -> None:
    where = place(tmp_path)
    kept = topics.use(where, "kept", "stays")
    gone = topics.use(where, "gone", "goes")
    topics.add_evidence(gone, "seen", ["a.py:1"], now=1)

    assert topics.wipe(where, gone)

    assert not os.path.exists(gone.folder)
    assert kept.spec() == "stays"
    assert topics.topic_of(where, "a").name == "session-a"
    assert not topics.wipe(where, gone)


def test_an_archived_topic_can_be_read_and_is_not_active(tmp_path) -> None:
    where = place(tmp_path)
    topics.add_evidence(topics.use(where, "billing", "Move"), "seen", ["a.py:1"], now=1)

    name = topics.archive(where, topics.topic_of(where), now=1_790_000_000).name

    assert name == "billing-1790000000"
    found = topics.find(where, name)
    assert (found.is_archived, found.spec(), found.evidence()[0]["refs"]) == (True, "Move", ["a.py:1"])
    assert not topics.topic_of(where, "a").is_pinned
    with pytest.raises(NotFoundError):
        topics.find(where, "billing")


@each(
    ("name", "is_review"),
    [
        ("review-41", True), ("pr-41-review", True), ("rereview", True), ("re-review", True), ("review", True),
        ("preview", False), ("product-reviews", False), ("customer-review-page", False), ("reviewer-rights", False),
    ],
)  # fmt: skip
def test_a_review_is_called_one(name: str, is_review: bool) -> None:
    assert topics.Topic(name, "").is_review == is_review


def test_sessions_that_no_one_named_are_swept_but_for_the_latest(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(topics, "SESSIONS_KEPT", 2)
    where = place(tmp_path)
    for number in range(5):
        topic = topics.topic_of(where, str(number))
        topics.add_evidence(topic, "seen", [], now=1)
        for name in os.listdir(topic.folder):
            os.utime(os.path.join(topic.folder, name), (number, number))
        os.utime(topic.folder, (number, number))
    topics.note(topics.topic_of(where, "0"), "described")
    os.utime(topics.topic_of(where, "0").spec_path, (0, 0))
    os.utime(topics.topic_of(where, "0").folder, (0, 0))

    topics.sweep(where)

    assert topics.list_names(where) == ["session-0", "session-3", "session-4"]
