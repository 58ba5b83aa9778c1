"""A learning goes to one worker or to all, at once, from who may."""

from __future__ import annotations

import pytest
from conftest import NOW, git
from support.branch import fields_of, keys_found

from gitmem.commands.inject import CATEGORIES, leads
from gitmem.errors import DuplicateError, RefusedError
from gitmem.memory import Memory
from gitmem.policy.kinds import KINDS
from gitmem.recall.query import Query

TEXT = "Run the migrations before the tests of the ledger"


@pytest.fixture
def as_agent(repo, monkeypatch):
    """Return a function that opens the memory as an agent, or as a person."""
    opened = []

    def open_as(name: str) -> Memory:
        monkeypatch.setenv("GITMEM_AGENT", name)
        opened.append(Memory(repo, clock=lambda: float(NOW)))
        return opened[-1]

    yield open_as
    for one in opened:
        one.close()


def test_learning_for_one_worker_is_private_to_it(memory, repo, as_agent) -> None:
    done = memory.learnings.inject(TEXT, category="mistake-pattern", worker="worker-2")

    assert keys_found(as_agent("worker-2"), "migrations ledger") == [done.key]
    assert as_agent("worker-2").recall(Query(text="migrations")).hits[0].scope == "private"
    assert "migrations" in str(as_agent("worker-2").context(paths=(), budget_tokens=4000).document)
    assert keys_found(as_agent("worker-3"), "migrations ledger") == []
    assert git(repo, "ls-tree", "-r", "--name-only", "refs/gitmem/private/worker-2").split() == [done.path]
    with pytest.raises(DuplicateError):
        memory.learnings.inject(TEXT, category="preference", worker="worker-2")
    assert memory.learnings.inject(TEXT, category="preference", worker="worker-3").is_new


def test_learning_for_all_is_shared_and_says_that_a_lead_wrote_it(memory, repo, as_agent) -> None:
    done = as_agent("boss").learnings.inject(TEXT, category="best-practice", tags=["db"])

    fields = fields_of(repo, done.path)
    assert (fields["kind"], fields["by"]) == ("best_practice", {"who": "Ana", "agent": "boss", "role": "lead"})
    assert keys_found(as_agent("worker-3"), "migrations ledger") == [done.key]


def test_where_leads_are_named_other_agents_may_not(memory, repo, as_agent) -> None:
    git(repo, "config", "--add", "gitmem.leads", "boss")
    git(repo, "config", "--add", "gitmem.leads", "chief")

    with pytest.raises(RefusedError, match="the agent worker-3 is not allowed to inject here"):
        as_agent("worker-3").learnings.inject(TEXT, category="preference")
    assert as_agent("chief").learnings.inject(TEXT, category="preference").is_new
    assert as_agent("").learnings.inject("Say what you measured", category="preference").is_new


@pytest.mark.parametrize(
    ("category", "worker", "message"),
    [("advice", "w", "unknown category: advice"), ("preference", "../", "invalid agent name")],
)
def test_what_cannot_be_is_refused(memory, category: str, worker: str, message: str) -> None:
    with pytest.raises(RefusedError, match=message):
        memory.learnings.inject(TEXT, category=category, worker=worker)


def test_every_category_is_a_kind_that_never_expires() -> None:
    kinds = [KINDS[category.replace("-", "_")] for category in CATEGORIES]

    assert [(kind.ttl_s, kind.expires) for kind in kinds] == [(None, False)] * 4


@pytest.mark.parametrize(
    ("agent", "named", "is_lead"),
    [("", (), True), ("", ("boss",), True), ("bot", (), False), ("bot", ("boss", "bot"), True), ("bot", ("*",), True)],
)
def test_a_person_leads_and_agents_do_that_are_named(memory, repo, agent: str, named: tuple[str, ...], is_lead: bool):
    for name in named:
        git(repo, "config", "--add", "gitmem.leads", name)
    with Memory(repo) as mine:
        mine.repository.agent = agent

        assert leads(mine.repository) is is_lead
