"""``gitmem uninstall git-hooks``."""

from __future__ import annotations

from pathlib import Path


def test_uninstall_says_what_it_did_and_then_that_nothing_is_there(run_cli, repo: Path) -> None:
    run_cli("install", "git-hooks")

    shown = run_cli("uninstall", "git-hooks", "--print")
    ran, again = run_cli("uninstall", "git-hooks"), run_cli("uninstall", "git-hooks")

    assert "-#!/bin/sh\n" in shown.out
    assert ran.out.count("remove  ") == 4
    assert not (repo / ".git" / "hooks" / "post-commit").exists()
    assert (again.status, again.out) == (0, "there is nothing of gitmem's here\n")
