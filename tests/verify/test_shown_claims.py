"""Claimed verdicts of built-in checks are recomputed before they are shown, wherever that is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, put_files
from support.facts import make_fact, put, statuses, verdict_file, verify

from gitmem.memory import Memory
from gitmem.verify import claims

# Commands that show the fact, and what each prints for it if it is failed.
SHOWN = {
    "list": (["list"], "a\tfact\tfailed"),
    "list by status": (["list", "--status", "failed"], "a\tfact\tfailed"),
    "recall": (["recall", "walrus"], "a\tfact\tfailed"),
    "show": (["show", "a"], "a  fact, failed"),
    "status": (["status"], "✗ 1 failed"),
    "context": (["context"], "⚠ WARNINGS (1)"),
}


@pytest.fixture
def forged(memory: Memory, repo: Path) -> Path:
    """A repository in which someone claims that a false built-in fact holds, as a fresh clone sees it."""
    put(
        repo, make_fact("a", {"contains": "walrus", "in": "README.md"}, title="The README names the walrus", ttl="520w")
    )
    verify(memory)
    path = verdict_file(memory, "a")
    put_files(repo, {path: git(repo, "show", f"memory:{path}").replace('"fails"', '"holds"') + "\n"})
    forget(memory, repo)
    return repo


def forget(memory: Memory, repo: Path) -> None:
    memory.close()
    for local in (repo / ".git/gitmem").glob("local.sqlite*"):
        local.unlink()


@pytest.mark.parametrize("where", SHOWN)
def test_forged_verdict_is_never_shown_as_verified(forged, run_cli, where):
    words, wanted = SHOWN[where]

    shown = run_cli(*words).out

    assert wanted in shown
    assert "fact\tverified" not in shown
    assert "✓ a" not in shown


def test_forged_failure_is_not_shown_as_failed(memory, repo):
    put(repo, make_fact("a", {"contains": "service", "in": "README.md"}))
    verify(memory)
    path = verdict_file(memory, "a")
    put_files(repo, {path: git(repo, "show", f"memory:{path}").replace('"holds"', '"fails"') + "\n"})
    forget(memory, repo)

    with Memory(repo, clock=lambda: float(NOW)) as opened:
        assert statuses(opened) == {"a": "verified"}


def test_right_claim_is_answered_once_for_the_same_inputs(memory, repo, monkeypatch, run_cli):
    put(repo, make_fact("a", {"contains": "service", "in": "README.md"}, title="It is a service", ttl="520w"))
    verify(memory)
    forget(memory, repo)
    asked: list[int] = []
    answer = claims.answer_claims
    monkeypatch.setattr(
        claims, "answer_claims", lambda *args, **how: asked.append(len(how["facts"])) or answer(*args, **how)
    )

    seen = [json.loads(run_cli("recall", "service", "--json").out)["hits"][0]["status"] for _ in range(2)]
    commit_files(repo, {"other.txt": "x\n"})
    seen.append(json.loads(run_cli("recall", "service", "--json").out)["hits"][0]["status"])

    assert (seen, asked) == (["verified"] * 3, [1])
