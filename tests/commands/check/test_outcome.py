"""Outcomes of touched facts: without a session if nothing runs; only HEAD's runs are stored."""

from __future__ import annotations

from support.code_changes import RS256, change, check, kinds
from support.facts import approve_all, make_fact, put, verify

EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}


def test_verdicts_are_stored_for_head_and_not_for_another_branch(memory, repo):
    put(repo, make_fact("ran", "grep -q RS256 src/auth/jwt.py", paths=["src/auth/*"]))
    approve_all(memory)
    verify(memory)
    head = change(repo, EDDSA)
    before = memory.repository.local.serial()

    memory.repository.git.run("update-ref", "--no-deref", "HEAD", "refs/heads/main")
    assert kinds(check(memory, head=head)) == {"ran": "newly_false"}
    elsewhere = memory.repository.local.serial()
    memory.repository.git.run("update-ref", "--no-deref", "HEAD", head)
    assert kinds(check(memory)) == {"ran": "newly_false"}

    assert (elsewhere, memory.repository.local.serial() > before) == (before, True)


def test_only_commands_open_a_session(memory, repo, monkeypatch):
    put(repo, make_fact("a", RS256), make_fact("b", requires=["a"], verify={"exists": "README.md"}))
    change(repo, EDDSA)
    monkeypatch.setattr(type(memory.repository), "session", None)

    assert kinds(check(memory)) == {"a": "newly_false", "b": "suspect"}
