"""Promotion (row D3): a memory passes to a wider scope with its provenance, and retires where it was."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, tip
from support.facts import Clock, statuses, verify

from gitmem.errors import RefusedError
from gitmem.memory import Memory
from gitmem.recall.query import Query

PRIVATE = "refs/gitmem/private/dev"


@pytest.fixture
def memory(repo: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GITMEM_AGENT", "dev")
    with Memory(repo, clock=Clock()) as opened:
        opened.init(offline=True)
        yield opened


def found(memory: Memory) -> dict[str, str]:
    return {hit.key: hit.scope for hit in memory.list(Query(limit=9)).hits}


def test_a_private_memory_becomes_the_project_s_with_its_provenance(memory: Memory, repo: Path) -> None:
    memory.remember("The gateway needs a trace id. Always.", key="trace", scope="private", task="T-1", refs=["run:1"])
    before = memory.show("trace").document["frontmatter"]
    memory.repository.clock = lambda: 1_800_000_000.0

    done = memory.promote("trace")

    assert done.path == "learned/trace.md"
    document = memory.show("trace").document
    assert (document["scope"], document["frontmatter"]) == ("project", before)
    assert before["by"] == {"who": "Ana", "agent": "dev"}
    assert found(memory) == {"trace": "project"}
    assert git(repo, "log", "-1", "--format=%s", "memory") == "learned: add trace"
    assert git(repo, "log", "-1", "--format=%s", PRIVATE) == "memory: forget trace"
    assert "why: promoted to the project scope" in git(repo, "show", f"{PRIVATE}:archive/learned/trace.md")


def test_memory_can_be_promoted_to_a_domain_and_then_to_everybody(memory: Memory, repo: Path) -> None:
    git(repo, "config", "gitmem.domains", "auth")
    memory.close()
    with Memory(repo, clock=Clock()) as opened:
        opened.remember("Tokens live an hour", key="hour", scope="private")
        with pytest.raises(RefusedError, match="a memory with the scope domain must name its domains"):
            opened.promote("hour", to="domain")
        opened.promote("hour", to="domain", domains=["auth"])
        assert found(opened) == {"hour": "domain"}
        opened.promote("hour", to="universal")
        assert "domains" not in opened.show("hour").document["frontmatter"]
        assert found(opened) == {"hour": "universal"}


def test_promoted_fact_keeps_its_verdict(memory: Memory, repo: Path) -> None:
    memory.fact("RS256", verify={"contains": "RS256", "in": "src/auth/jwt.py"}, key="rs", scope="private")

    memory.promote("rs")

    assert statuses(memory) == {"rs": "verified"}
    assert verify(memory).due == 0
    assert "verdicts/" in git(repo, "ls-tree", "-r", "--name-only", "memory")


def test_promotion_never_overwrites_another_memory_with_the_key(memory: Memory) -> None:
    memory.remember("What all know", key="a")
    memory.remember("What I know", key="a", scope="private")

    with pytest.raises(RefusedError, match="has another memory a"):
        memory.promote("a", scope="private")
    memory.promote("a", scope="private", name="b")

    assert memory.show("a").document["title"] == "What all know"
    assert (memory.show("b").document["title"], found(memory)) == ("What I know", {"a": "project", "b": "project"})


def test_interrupted_promotion_is_finished_by_the_next_one(memory: Memory, repo: Path) -> None:
    memory.remember("A thing", key="a", scope="private")
    private = git(repo, "rev-parse", PRIVATE)
    memory.promote("a")
    project = tip(repo)
    git(repo, "update-ref", PRIVATE, private)
    assert sorted(hit.scope for hit in memory.list(Query(limit=9)).hits) == ["private", "project"]

    memory.promote("a", scope="private")

    assert tip(repo) == project
    assert memory.list(Query(limit=9, scopes=("private",))).hits == ()


@pytest.mark.parametrize("to", ["project", "domain"])
def test_promotion_to_fewer_readers_is_refused(memory: Memory, to: str) -> None:
    memory.remember("For all", key="a", scope="universal")

    with pytest.raises(RefusedError, match="not wider"):
        memory.promote("a", to=to, domains=["x"])


def test_memory_of_the_code_tree_can_be_promoted(memory: Memory, repo: Path) -> None:
    memory.remember("In the code", key="a", in_tree=True)
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a")

    memory.promote("a", to="universal")

    assert (repo / ".memory/archive/learned/a.md").is_file()
    assert memory.show("a", scope="universal").document["title"] == "In the code"
