"""``gitmem sources remove``: a source goes with everything that came from it."""

from __future__ import annotations

from pathlib import Path

from conftest import git


def test_removed_source_is_gone_with_its_documents(run_cli, repo: Path) -> None:
    run_cli("sources", "add", "code")
    run_cli("pull")

    done = run_cli("sources", "remove", "code")

    assert (done.status, done.out) == (0, "code\n")
    assert git(repo, "for-each-ref", "refs/gitmem/sources") == ""
    assert run_cli("sources", "remove", "code").status == 1
