"""A learning of a commit goes with it: reworded by an amend, retired with a reset, and back with another commit."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git

from gitmem.memory import Memory

SAID = "retries hide the timeout of the gateway"


def learn(memory: Memory, repo: Path) -> None:
    """Do what the hooks do after a commit or a rewrite."""
    memory.captures.add_commits([git(repo, "rev-parse", "HEAD")])
    memory.captures.drain()


def live(memory: Memory) -> dict[str, list[str]]:
    rows = memory.repository.catalog().rows(
        "SELECT title, key FROM memory WHERE shadowed = 0 AND archived = 0 AND kind = 'learned'"
    )
    return {title: memory.show(key).document["frontmatter"].get("refs", []) for title, key in rows}


@pytest.fixture
def taught(memory: Memory, repo: Path) -> Memory:
    commit_files(repo, {"a": "1"}, "first")
    commit_files(repo, {"a": "2"}, f"raise\n\nLearned: {SAID}")
    learn(memory, repo)
    assert list(live(memory)) == [SAID]
    return memory


@pytest.mark.parametrize(
    "reworded", ["the gateway hides timeouts because it retries", "retries hide the timeout of the old gateway"]
)
def test_amend_that_rewords_it_replaces_it(taught: Memory, repo: Path, reworded: str) -> None:
    git(repo, "commit", "-q", "--amend", "--no-verify", "-m", f"raise\n\nLearned: {reworded}")

    learn(taught, repo)

    assert live(taught) == {reworded: [f"commit:{git(repo, 'rev-parse', 'HEAD')}"]}


def test_amend_that_leaves_it_alone_keeps_it_with_the_new_commit(taught: Memory, repo: Path) -> None:
    git(repo, "commit", "-q", "--amend", "--no-verify", "-m", f"raise it\n\nLearned: {SAID}")

    learn(taught, repo)

    assert live(taught) == {SAID: [f"commit:{git(repo, 'rev-parse', 'HEAD')}"]}


def test_reset_that_drops_the_commit_retires_it_and_another_commit_brings_it_back(taught: Memory, repo: Path) -> None:
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    taught.captures.drain()
    assert live(taught) == {}

    commit_files(repo, {"a": "3"}, f"again\n\nLearned: {SAID}")
    learn(taught, repo)

    assert list(live(taught)) == [SAID]


def test_next_write_after_a_reset_retires_it(taught: Memory, repo: Path) -> None:
    git(repo, "reset", "-q", "--hard", "HEAD~1")

    with Memory(repo) as other:
        other.remember("Deploys need the VPN")

    assert list(live(taught)) == ["Deploys need the VPN"]


def test_commit_of_another_branch_keeps_its_memory(taught: Memory, repo: Path) -> None:
    git(repo, "checkout", "-q", "-b", "other", "HEAD~1")
    taught.captures.drain()

    assert list(live(taught)) == [SAID]


def test_what_a_remote_has_stays(taught: Memory, repo: Path) -> None:
    git(repo, "update-ref", "refs/remotes/origin/memory", "refs/heads/memory")
    git(repo, "reset", "-q", "--hard", "HEAD~1")
    taught.captures.drain()

    assert list(live(taught)) == [SAID]
