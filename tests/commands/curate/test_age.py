"""Aged memories: decay, expiry and archiving, each in one commit that `undo` reverts."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, tip
from support.branch import fields_of
from support.facts import make_fact, make_memory, put

from gitmem.commands.curate.age import apply_plan, plan_of
from gitmem.memory import Memory

# A year before the tests' clock.
OLD = "2025-09-01T00:00:00Z"


def proposed(memory: Memory, verb: str, **how: int) -> dict[str, str]:
    return {step.key: step.why for step in plan_of(memory.repository, verb, **how).steps}


def test_unread_memories_decay_except_protected_ones(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("idle", "Deploys need the VPN", created=OLD),
        make_memory("unsure", "Deploys are slow", created=OLD, confidence=0.4),
        make_memory("read", "The gateway drops requests", created=OLD),
        make_memory("new", "The queue is bounded"),
        make_memory("changed", "The cache is cold", created=OLD, updated="2026-09-01T00:00:00Z"),
        make_memory("faded", "The sky is grey", created=OLD, confidence=0.2),
        make_memory("rule", "Squash before merging", kind="convention", created=OLD),
        make_memory("critical", "Never restart the ledger", created=OLD, importance="critical"),
        make_memory("needed", "The ledger is down", created=OLD),
        make_memory("rests", "Restart the ledger", requires=["needed"]),
        make_fact("proved", {"exists": "src/auth/jwt.py"}, created=OLD),
    )
    memory.show("read")

    assert proposed(memory, "decay") == {
        "idle": "not read or changed for 385 days: confidence 1 to 0.5",
        "unsure": "not read or changed for 385 days: confidence 0.4 to 0.2",
    }
    assert proposed(memory, "decay", days=400) == {}


def test_decay_is_one_commit_and_due_again_after_the_same_time(memory: Memory, repo: Path) -> None:
    put(repo, make_memory("a", "Deploys need the VPN", created=OLD), make_memory("b", "Deploys are slow", created=OLD))
    before = tip(repo)

    done = apply_plan(memory.repository, plan_of(memory.repository, "decay"))

    assert git(repo, "rev-list", "--count", f"{before}..{done.commit}") == "1"
    assert git(repo, "show", "-s", "--format=%s", done.commit) == "memory: curate decay, 2 memories"
    assert fields_of(repo, "gotchas/a.md")["confidence"] == 0.5
    assert proposed(memory, "decay") == {}


def test_expired_and_superseded_memories_are_archived(memory: Memory, repo: Path) -> None:
    put(
        repo,
        make_memory("session-1", "What was done", kind="session", created=OLD, project="service", importance="low"),
        make_memory("lasting", "Deploys need the VPN", created=OLD),
        make_memory("replaced", "Deploys need a password", created=OLD, superseded_by="lasting"),
        make_memory("faded", "The sky is grey", created=OLD, confidence=0.2),
    )

    assert proposed(memory, "expired") == {"session-1": "expired"}
    assert proposed(memory, "archive") == {
        "faded": "confidence 0.2, not read or changed for 385 days",
        "replaced": "superseded",
    }
    for verb in ("expired", "archive"):
        apply_plan(memory.repository, plan_of(memory.repository, verb))

    files = git(repo, "ls-tree", "-r", "--name-only", "memory").split()
    assert {"archive/sessions/session-1.md", "archive/gotchas/faded.md", "archive/gotchas/replaced.md"} <= set(files)
    assert fields_of(repo, "archive/gotchas/faded.md")["retired"]["why"] == "curate archive"
    assert [hit.key for hit in memory.list().hits] == ["lasting"]
    memory.restore("faded")
    assert "faded" in {hit.key for hit in memory.list().hits}


def test_memory_without_a_required_field_does_not_stop_the_others(memory: Memory, repo: Path) -> None:
    put(
        repo, make_memory("a", "Use the VPN", kind="decision", created=OLD), make_memory("b", "It is slow", created=OLD)
    )

    done = apply_plan(memory.repository, plan_of(memory.repository, "decay"))

    assert ([step.key for step in done.steps], done.changed) == (["b"], ("a",))


@pytest.mark.parametrize("verb", ["decay", "archive"])
def test_memory_changed_since_the_plan_is_skipped(memory: Memory, repo: Path, verb: str) -> None:
    fields = {"confidence": 0.1} if verb == "archive" else {}
    put(
        repo,
        make_memory("a", "Deploys need the VPN", created=OLD, **fields),
        make_memory("b", "The queue is bounded", created=OLD, **fields),
    )
    found = plan_of(memory.repository, verb)
    memory.edit("b", fields={"title": "The queue has a bound"})

    done = apply_plan(memory.repository, found)

    assert ([step.key for step in done.steps], done.changed) == (["a"], ("b",))
