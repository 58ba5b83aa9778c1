"""Doctor's findings about signatures."""

from __future__ import annotations

import pytest
from conftest import NOW, git
from support.facts import make_fact, put, statuses
from support.signers import Signer, allow, ask, needs_ssh_keygen

from gitmem.commands.doctor.signatures import list_signature_problems
from gitmem.memory import Memory

pytestmark = needs_ssh_keygen


@pytest.fixture
def ana(tmp_path):
    return Signer(tmp_path, "ana@example.com")


@pytest.fixture
def bob(tmp_path):
    return Signer(tmp_path, "bob@example.com")


def found(repo) -> set[str]:
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        statuses(opened)
        repository = opened.repository
        return {one.code for one in list_signature_problems(repository, repository.catalog())}


def test_nothing_is_reported_where_nothing_asks(repo, memory):
    assert found(repo) == set()


def test_setup_in_which_nothing_counts_is_named(repo, memory, ana, bob):
    ask(memory, "verdicts")
    assert found(repo) == {"signatures-no-signers", "signatures-not-made", "signatures-policy"}

    bob.configure(repo)
    allow(repo, ana.line())
    assert found(repo) == {"signatures-not-allowed", "signatures-policy"}

    git(repo, "config", "gitmem.signatures", "verdicts")
    allow(repo, ana.line(), bob.line())
    assert found(repo) == set()


def test_memories_that_do_not_count_are_counted(repo, memory, ana):
    allow(repo, ana.line())
    ana.configure(repo)
    put(repo, make_fact("a", {"exists": "README.md"}))
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        ask(opened, "memories")

    assert found(repo) == {"signatures-missing"}


def test_missing_program_is_named(repo, memory, ana, monkeypatch, tmp_path):
    ask(memory, "verdicts")
    monkeypatch.setattr("gitmem.commands.doctor.signatures.is_checkable", lambda: False)

    assert "signatures-unchecked" in found(repo)
