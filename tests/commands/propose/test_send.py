"""Pushing a proposal: never by force, with others' changes merged in by meaning."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from conftest import git, tip
from support.proposals import AUTH, clone, forge, keys, merge_on_forge, opened, propose, remember, shared_folder  # noqa: F401 - fixtures

from gitmem.commands.propose.send import as_table, push_url
from gitmem.errors import ConflictError, NoRepositoryError, RemoteError, UsageError
from gitmem.git.remotes import RemoteOptions


def edit(folder: Path, key: str, body: str) -> None:
    with opened(folder) as memory:
        memory.edit(key, fields={}, body=body, approve=False)


@pytest.mark.whole_system
def test_two_clones_with_one_name_share_a_proposal(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(repo, one="Tokens rotate daily")
    remember(other, two="Keys live in the vault")

    first, second = propose(repo, "auth"), propose(other, "auth")

    assert (first.joined, second.joined, second.added) == (0, 1, ("one", "two"))
    assert tip(hub, AUTH) == tip(other, AUTH)
    assert git(hub, "merge-base", "--is-ancestor", tip(repo, AUTH), "gitmem/auth") == ""
    assert propose(repo).joined == 1
    assert tip(repo, AUTH) == tip(hub, AUTH)


@pytest.mark.whole_system
def test_two_clones_can_push_a_proposal_at_once(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(repo, one="Tokens rotate daily")
    remember(other, two="Keys live in the vault")
    threads = [threading.Thread(target=propose, args=(folder, "auth")) for folder in (repo, other)]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert {"learned/one.md", "learned/two.md"} <= set(git(hub, "ls-tree", "-r", "--name-only", AUTH).split("\n"))


@pytest.mark.whole_system
def test_proposal_merges_the_memory_by_meaning_before_the_forge(repo: Path, hub: Path) -> None:
    other = clone(repo)
    propose(repo, "auth")
    edit(repo, "idle", "After two minutes.\n")
    propose(repo)
    edit(other, "idle", "After ten.\n")
    with opened(other) as memory:
        memory.sync()

    done = propose(repo)

    assert [(c.key, c.fields) for c in done.conflicts] == [("idle", ("body",))]
    assert (done.added, done.changed) == ((), ("idle",))
    merge_on_forge(hub, "merge")
    said = git(hub, "show", "memory:learned/idle.md")
    assert "After two minutes." in said and "After ten." in said


def test_unpushed_memory_is_not_part_of_a_proposal(repo: Path, hub: Path) -> None:
    propose(repo, "auth")
    remember(repo, one="Tokens rotate daily")
    with opened(repo) as memory:
        memory.proposals.switch("memory")
        memory.remember("Keys live in the vault", key="waits")
        memory.proposals.switch("auth")
        done = memory.proposals.send()

    assert (done.added, done.moved) == (("one", "waits"), 1)


def test_proposal_for_an_unreachable_remote_is_pushed_later(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    away = hub.rename(hub.parent / "away.git")

    with pytest.raises(RemoteError) as stdin:
        propose(repo, "auth")

    assert (
        stdin.value.hint
        == "nothing is lost: the proposal is the branch gitmem/auth in this clone; try again later: gitmem propose"
    )
    assert keys(repo) == ["idle", "one"]
    with opened(repo) as memory:
        memory.proposals.switch("memory")
    git(repo, "update-ref", "-d", "refs/remotes/origin/memory")
    with pytest.raises(RemoteError) as stdin:
        propose(repo, "other")
    assert stdin.value.hint == "nothing was changed; try again later: gitmem propose other"
    away.rename(hub)
    assert propose(repo, "auth").pushed
    assert tip(hub, AUTH) == tip(repo, AUTH)


@pytest.mark.whole_system
@pytest.mark.parametrize("how", ["merge", "squash"])
def test_writes_after_a_merge_on_the_forge_are_kept(repo: Path, hub: Path, how: str) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    merge_on_forge(hub, how)
    git(hub, "update-ref", "-d", AUTH)
    remember(repo, two="Keys live in the vault")

    done = propose(repo)

    assert (done.pushed, done.added, done.merged) == (True, ("two",), "")
    assert tip(hub, AUTH) == done.commit


def test_setting_in_the_hint_chooses_the_remote(repo: Path, hub: Path) -> None:
    git(repo, "remote", "rename", "origin", "work")
    git(repo, "remote", "add", "zoo", str(hub))
    remember(repo, one="Tokens rotate daily")

    with pytest.raises(NoRepositoryError) as stdin:
        propose(repo, "auth")
    git(repo, *stdin.value.hint.rpartition(": git ")[2].split())

    done = propose(repo, "auth")
    assert (done.remote, done.pushed) == ("work", True)


def test_proposal_rewritten_or_removed_at_the_remote_is_refused(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    git(hub, "update-ref", AUTH, tip(hub))
    with pytest.raises(ConflictError, match="was rewritten") as stdin:
        propose(repo)
    assert "gitmem propose --accept-rewritten" in stdin.value.hint
    git(hub, "update-ref", "-d", AUTH)
    with pytest.raises(ConflictError, match="was deleted from"):
        propose(repo)

    assert propose(repo, accept_rewritten=True).pushed


def test_merged_proposal_is_not_pushed_again(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    merge_on_forge(hub, "squash")

    done = propose(repo)

    assert (done.merged, done.pushed) == ("content", False)
    assert keys(repo) == ["idle", "one"]
    with opened(repo) as memory:
        assert memory.status().document["proposal"] == ""
        with pytest.raises(UsageError, match="no proposal is current"):
            memory.proposals.send()


def test_link_uses_the_push_url_without_its_secret(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    git(repo, "config", "remote.origin.url", "gh:ana/service")
    git(repo, "config", "url.https://x:ghp_secret@github.com/.insteadOf", "gh:")
    with opened(repo) as memory:
        assert push_url(memory.repository.git, "origin") == "https://x:ghp_secret@github.com/ana/service"
    git(repo, "config", f"url.{hub}.insteadOf", "https://x:ghp_secret@github.com/ana/service")
    git(repo, "config", "--unset", "url.https://x:ghp_secret@github.com/.insteadOf")
    git(repo, "config", "remote.origin.url", "https://x:ghp_secret@github.com/ana/service")

    done = propose(repo, "auth", talk=RemoteOptions(timeout_s=20))

    assert done.pushed
    assert "secret" not in str(as_table(done))
