"""A branch of the code is told from one of memories before one becomes part of the other."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import git, tip
from proposing import AUTH, forge, keys, opened, propose, refs, remember, shared_folder  # noqa: F401 - fixtures

from gitmem.errors import ConflictError


def test_remote_branch_of_the_code_is_no_proposal_and_what_to_type_is_told(repo: Path, hub: Path) -> None:
    remember(repo, one="Tokens rotate daily")
    git(hub, "branch", "gitmem/auth", "main")
    code = tip(hub, AUTH)

    with pytest.raises(ConflictError, match="gitmem/auth of origin is a branch of code") as refused:
        propose(repo, "auth")

    assert tip(hub, AUTH) == code
    assert keys(repo) == ["idle", "one"]
    renamed, switched, again = refused.value.hint.partition(": ")[2].split(" && ")
    subprocess.run(renamed.split(), cwd=repo, check=True)
    with opened(repo) as memory:
        memory.switch_proposal(switched.split()[-1])
    assert again == "gitmem propose"
    assert (propose(repo).added, "refs/heads/gitmem/auth-2" in refs(hub)) == (("one",), True)


def test_remote_branch_of_the_code_never_comes_into_the_memory(repo: Path, hub: Path) -> None:
    git(hub, "update-ref", "refs/heads/memory", "main")
    git(repo, "update-ref", "-d", "refs/gitmem/seen/origin/memory")
    before = tip(repo)

    for how in ({"dry_run": True}, {}):
        with opened(repo) as memory, pytest.raises(ConflictError, match="memory of origin is a branch of code"):
            memory.sync(**how)

    assert (tip(repo), tip(hub)) == (before, git(hub, "rev-parse", "main"))
