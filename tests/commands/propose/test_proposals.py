"""The list of proposals, and deleting one: unmerged commits are never lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, git, tip
from support.proposals import AUTH, clone, forge, keys, merge_on_forge, opened, propose, refs, remember, shared_folder  # noqa: F401 - fixtures

from gitmem.commands.propose.proposals import as_table
from gitmem.errors import ConflictError, NotFoundError, RefusedError


@pytest.mark.whole_system
def test_proposals_are_listed_with_changes_and_commits(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(other, far="Only at the remote")
    propose(other, "far")
    git(repo, "fetch", "-q")
    git(repo, "branch", "gitmem/code", "main")
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    merge_on_forge(hub, "squash")
    with opened(repo) as memory:
        memory.sync()
        memory.proposals.send("mine", push=False)
        memory.remember("Keys live in the vault", key="two")
        memory.edit("idle", fields={"tags": ["net"]}, body=None, approve=False)
        found = memory.proposals.list()
        table = as_table(found, now=NOW + 60)

    values = {
        one.name: (bool(one.commit), bool(one.remote_commit), one.ahead, one.is_pushed, one.merged) for one in found
    }
    assert values == {
        "mine": (True, False, 2, False, ""),
        "auth": (True, True, 0, True, "content"),
        "far": (False, True, 0, True, ""),
    }
    assert found[0].name == table["current"] == "mine"
    assert table["proposals"][0] == {
        "name": "mine",
        "branch": "gitmem/mine",
        "current": True,
        "commit": tip(repo, "refs/heads/gitmem/mine"),
        "remote_commit": "",
        "ahead": 2,
        "pushed": False,
        "merged": "",
        "added": ["two"],
        "changed": ["idle"],
        "retired": [],
        "at": "2026-09-21T14:13:20Z",
        "age_s": 60,
    }


def test_dropped_unpushed_proposal_is_kept_under_a_ref(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth", push=False)
    lost = tip(repo, AUTH)
    with opened(repo) as memory:
        with pytest.raises(RefusedError, match="has 1 unpushed commit"):
            memory.proposals.drop("auth")
        assert AUTH in refs(repo)

        _, kept = memory.proposals.drop("auth", force=True)

        assert memory.status().document["proposal"] == ""
    assert AUTH not in refs(repo)
    assert [tip(repo, ref) for ref in kept] == [lost]
    assert keys(repo) == ["idle"]
    git(repo, "branch", "gitmem/auth", kept[0])
    with opened(repo) as memory:
        memory.proposals.switch("auth")
    assert keys(repo) == ["idle", "one"]


@pytest.mark.whole_system
def test_remote_branch_is_deleted_only_on_request_and_if_unmoved(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    with opened(repo) as memory:
        memory.proposals.drop("auth")
        assert AUTH in refs(hub)
        with pytest.raises(NotFoundError) as stdin:
            memory.proposals.drop("auth")
        assert stdin.value.hint == "gitmem propose --drop auth --remote"
        with pytest.raises(RefusedError, match="is not merged"):
            memory.proposals.drop("auth", remote=True)
        remember(other, two="Keys live in the vault")
        propose(other, "auth")
        with pytest.raises(ConflictError, match="someone pushed to it in the meantime"):
            memory.proposals.drop("auth", remote=True, force=True)
        assert AUTH in refs(hub)
        git(repo, "fetch", "-q")

        _, kept = memory.proposals.drop("auth", remote=True, force=True)

        assert AUTH not in refs(hub)
        assert memory.proposals.list() == []
        assert tip(repo, kept[0]) == tip(other, AUTH)
        memory.proposals.send("auth", push=False)
        assert [one.commit for one in memory.proposals.list()] == [""]
        memory.proposals.drop("auth")
        assert memory.proposals.list() == []


def test_refused_drop_has_a_hint_for_this_proposal(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth", push=False)
    with opened(repo) as memory:
        memory.proposals.switch("memory")
        with pytest.raises(RefusedError) as alone:
            memory.proposals.drop("auth")
        memory.proposals.switch("auth")
        memory.proposals.send()
        with pytest.raises(RefusedError) as pushed:
            memory.proposals.drop("auth", remote=True)

    forced = "delete it, keeping the commits under a ref in this clone: gitmem propose --drop auth"
    assert alone.value.hint == f"push it: gitmem propose --switch auth && gitmem propose\n{forced} --force"
    assert pushed.value.hint == f"delete it in this clone only: gitmem propose --drop auth\n{forced} --remote --force"


def test_checked_out_proposal_is_not_deleted(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    git(repo, "worktree", "add", "-q", str(repo.parent / "tree"), "gitmem/auth")

    with opened(repo) as memory, pytest.raises(ConflictError, match="gitmem/auth is checked out in"):
        memory.proposals.drop("auth", remote=True, force=True)

    assert AUTH in refs(repo)
    assert AUTH in refs(hub)


@pytest.mark.whole_system
def test_merged_proposal_is_dropped_without_force(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    merge_on_forge(hub, "rebase")
    git(hub, "update-ref", "-d", AUTH)
    with opened(repo) as memory:
        memory.sync()

        one, kept = memory.proposals.drop("auth", remote=True)

    assert (one.merged, kept) == ("content", [])
    assert [ref for ref in refs(repo) if "auth" in ref] == []
