"""Where files moved is written down at once: checks, paths and refs, each check proved at its new place."""

from __future__ import annotations

import json

from conftest import commit_files, git
from support.facts import approve_all, count_commits, make_fact, make_memory, put, statuses, tracked, verify

from gitmem.memory.memory import Memory

RS = {"contains": "RS256", "in": "src/auth/*.py"}


def moved_store(memory: Memory, repo, *more: dict) -> None:
    """Put facts about a folder, verify them, and move the folder."""
    put(
        repo,
        make_fact("rs", RS, paths=["src/auth/*.py"], refs=["src/auth/jwt.py:1"]),
        make_fact("grep", "grep -q RS256 ./src/auth/jwt.py && test -d src/auth/"),
        make_fact("retries", {"contains": "RETRIES", "in": "src/gateway/retry.py"}),
        make_memory("keys", "Keys are public", refs=["src/auth/jwt.py:4-5", "https://example.org/src/auth/jwt.py"]),
        *more,
    )
    approve_all(memory)
    verify(memory)
    (repo / "lib").mkdir()
    git(repo, "mv", "src/auth", "lib/auth")
    git(repo, "commit", "-q", "-m", "move")
    verify(memory)


def fields_of(memory: Memory, key: str) -> dict:
    return memory.show(key).document["frontmatter"]


def test_all_that_moved_is_re_pointed_in_one_commit(memory, repo):
    moved_store(memory, repo)
    before = count_commits(repo)

    found = memory.bulk.settle_moved(approve=True)

    assert {one.key: one.skipped for one in found} == {"rs": "", "grep": "", "keys": ""}
    assert len({one.commit for one in found}) == 1
    assert fields_of(memory, "rs")["verify"] == {"contains": "RS256", "in": "lib/auth/*.py"}
    assert fields_of(memory, "rs")["paths"] == ["lib/auth/*.py"]
    assert fields_of(memory, "rs")["refs"] == ["lib/auth/jwt.py:1"]
    assert fields_of(memory, "grep")["verify"] == "grep -q RS256 ./lib/auth/jwt.py && test -d lib/auth/"
    assert fields_of(memory, "keys")["refs"] == ["lib/auth/jwt.py:4-5", "https://example.org/src/auth/jwt.py"]
    assert count_commits(repo) == before + 2  # the memories, and their verdicts
    assert {key: status for key, status in statuses(memory).items() if status} == {
        "rs": "verified", "grep": "verified", "retries": "verified"
    }  # fmt: skip
    assert memory.status().document["moved"] == []
    assert verify(memory).due == 0


def test_a_command_that_nobody_can_approve_stays_as_it_is(memory, repo, run_cli):
    moved_store(memory, repo)

    said = run_cli("settle", "--moved", "--json")

    found = json.loads(said.out)
    assert (said.status, [one["key"] for one in found["moved"]]) == (1, ["keys", "rs"])
    assert [one["key"] for one in found["skipped"]] == ["grep"]
    assert memory.status().document["moved"] == ["grep"]


def test_a_dry_run_shows_what_would_change_and_changes_nothing(memory, repo, run_cli):
    moved_store(memory, repo)
    before = count_commits(repo)

    said = run_cli("settle", "--moved", "rs", "--dry-run")

    assert "rs  {contains: RS256, in: src/auth/*.py} → {contains: RS256, in: lib/auth/*.py}" in said.out
    assert "1 memory would change; nothing was written" in said.err
    assert count_commits(repo) == before


def test_a_fact_of_the_code_tree_is_re_pointed_in_its_file(memory, repo):
    commit_files(repo, tracked(make_fact("home", RS)), "a fact")
    moved_store(memory, repo)

    memory.bulk.settle_moved("home")

    assert "lib/auth/*.py" in (repo / ".memory/facts/home.md").read_text()


def test_a_fact_that_fails_at_its_new_place_is_left_to_a_person(memory, repo):
    moved_store(memory, repo)
    commit_files(repo, {"lib/auth/jwt.py": "nothing\n"}, "break")
    verify(memory)

    found = {one.key: one.skipped for one in memory.bulk.settle_moved(approve=True)}

    assert "it fails where its files are now" in found["rs"]
