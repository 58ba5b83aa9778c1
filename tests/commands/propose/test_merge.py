"""Sync detects a merged proposal, however the forge merged it, and no others."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import git, tip
from support.proposals import AUTH, clone, forge, keys, merge_on_forge, opened, propose, remember, shared_folder  # noqa: F401 - fixtures

from gitmem.commands.propose.merge import how_merged


def sync(folder: Path) -> list[str]:
    with opened(folder) as memory:
        memory.sync()
        return [*memory.notices]


def how(folder: Path) -> str:
    with opened(folder) as memory:
        return how_merged(memory.repository.git, tip(folder, AUTH), [tip(folder)])


@pytest.mark.whole_system
@pytest.mark.parametrize(("merged", "found"), [("merge", "ancestry"), ("squash", "content"), ("rebase", "content")])
def test_sync_detects_a_merged_proposal_and_returns_to_memory(repo: Path, hub: Path, merged: str, found: str) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    merge_on_forge(hub, merged)

    message = sync(repo)

    assert message == [
        "the proposal auth is merged: new memories go to memory again"
        " (gitmem propose --drop auth deletes its branch here)"
    ]
    assert how(repo) == found
    assert keys(repo) == ["idle", "one"]
    assert sync(repo) == []


@pytest.mark.whole_system
def test_merged_proposal_is_detected_after_later_changes(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    with opened(repo) as memory:
        memory.edit("idle", fields={}, body="After a minute.\n", approve=False)
        memory.proposals.send()
    merge_on_forge(hub, "squash")
    git(hub, "update-ref", "-d", AUTH)  # as forges do behind a merge
    with opened(other) as memory:
        memory.sync()
        memory.edit("idle", fields={}, body="After two minutes.\n", approve=False)
        memory.sync()

    sync(repo)

    assert how(repo) == "content"
    remember(repo, three="Sessions end after an hour")
    assert propose(repo, "auth").added == ("three",)


@pytest.mark.whole_system
def test_partly_merged_proposal_continues(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    merge_on_forge(hub, "squash")
    remember(repo, two="Keys live in the vault")

    assert sync(repo) == ["the proposal auth includes the fetched memories"]

    assert how(repo) == ""
    done = propose(repo)
    assert (done.added, done.changed, done.pushed) == (("two",), (), True)


@pytest.mark.whole_system
def test_proposal_merged_by_lines_is_detected_by_content(repo: Path, hub: Path) -> None:
    body = "".join(f"Line {number} says something.\n" for number in range(9))
    with opened(repo) as memory:
        memory.edit("idle", fields={}, body=body, approve=False)
        memory.sync()
    other = clone(repo)
    propose(repo, "auth")
    for folder, was in ((repo, "Line 0"), (other, "Line 8")):
        with opened(folder) as memory:
            memory.edit("idle", fields={}, body=body.replace(was, f"{was} now"), approve=False)
    propose(repo)
    sync(other)
    merge_on_forge(hub, "squash")

    sync(repo)

    assert how(repo) == "content"


@pytest.mark.whole_system
def test_additions_by_others_count_for_a_merged_proposal(repo: Path, hub: Path) -> None:
    other = clone(repo)
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    with opened(other) as memory:
        memory.proposals.switch("auth")
        memory.edit("one", fields={}, body="They rotate at night.\n", approve=False)
        memory.proposals.send()
    git(repo, "fetch", "-q")
    merge_on_forge(hub, "squash")

    assert sync(repo)[0].startswith("the proposal auth is merged")


def test_unmerged_proposal_is_not_reported_as_merged(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    propose(repo, "auth")
    assert how(repo) == ""
    git(repo, "commit-tree", "-m", "nothing", "-p", AUTH, f"{AUTH}^{{tree}}")

    assert sync(repo) == []

    with opened(repo) as memory:
        assert memory.status().document["proposal"] == "auth"


def test_error_for_a_protected_branch_suggests_propose(repo: Path, hub: Path) -> None:
    from gitmem.errors import RemoteError

    hook = hub / "hooks/update"
    hook.write_text(
        '#!/bin/sh\n[ "$1" != refs/heads/memory ] || { echo "GH006: Protected branch update failed" >&2; exit 1; }\n'
    )
    hook.chmod(0o755)
    remember(repo, one="Tokens rotate daily")

    with pytest.raises(RemoteError) as message:
        sync(repo)

    assert message.value.hint == "the branch is protected there: propose your changes with gitmem propose NAME"
    assert propose(repo, "auth").pushed
    assert sync(repo) == []
