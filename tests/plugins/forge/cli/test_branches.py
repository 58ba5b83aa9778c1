"""``gitmem forge branches``: the memory of a merged pull request is merged, that of a closed one is dropped."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import git
from support.companions import BRANCH, branched, forge, opened, shared_folder, slow_down, sync  # noqa: F401 - fixtures
from support.forge_server import pull, serving

REF = f"refs/heads/gitmem/branch/{BRANCH}"
MERGED, SHUT = {"state": "closed", "merged_at": "2026-10-01T11:00:00Z"}, {"state": "closed", "merged_at": None}


@pytest.mark.parametrize(
    ("how", "expected", "is_merged", "is_left"),
    [
        (
            MERGED,
            "feature/slow is merged (pull request 7): its memory gitmem/branch/feature/slow is merged as well",
            True,
            False,
        ),
        (SHUT, "gitmem/branch/feature/slow is deleted from the remote: pull request 7 was closed", False, False),
        ({}, "", False, True),
    ],
)
def test_the_memory_of_a_branch_ends_as_its_pull_request_did(
    branch: Path,
    hub: Path,
    run_cli,
    monkeypatch: pytest.MonkeyPatch,
    how,
    expected: str,
    is_merged: bool,
    is_left: bool,  # type: ignore[no-untyped-def]
) -> None:
    with opened(branch) as memory:
        slow_down(memory)
    sync(branch)
    job = hub.parent / "job"
    git(hub.parent, "clone", "-q", str(hub), str(job))
    git(hub, "update-ref", "-d", f"refs/heads/{BRANCH}")
    with serving() as server:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        server.pulls.append(pull(7, BRANCH, **how))
        planned = run_cli("forge", "branches", "--dry-run", "--json", cwd=job)
        foreseen = run_cli("forge", "branches", "--dry-run", cwd=job).out
        done = run_cli("forge", "branches", cwd=job)
        again = run_cli("sync", cwd=job)

    state = {(): "open"}.get(tuple(how), "merged" if how.get("merged_at") else "closed")
    assert json.loads(planned.out)["branches"] == [{"branch": BRANCH, "pull": 7, "state": state}]
    end = {"merged": "merged", "closed": "deleted", "open": "kept"}[state]
    assert foreseen == f"{BRANCH}  its memory would be {end}: pull request 7 is {state}\n"
    assert (done.status, done.out.strip(), again.status) == (0, expected, 0)
    assert ("RETRIES = 5" in git(hub, "show", "refs/heads/memory:facts/retries.md")) is is_merged
    assert bool(git(hub, "for-each-ref", REF)) is is_left
