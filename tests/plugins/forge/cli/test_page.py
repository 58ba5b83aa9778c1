"""``gitmem forge page``: writes the page, says where, and shows it without writing."""

from __future__ import annotations

import json
from pathlib import Path

from conftest import git, tip


def test_page_is_written_once_and_shown_without_writing(run_cli, repo: Path) -> None:
    run_cli("init")
    before = tip(repo)

    shown = run_cli("forge", "page", "--dry-run")
    unchanged = tip(repo)
    written, again = run_cli("forge", "page"), json.loads(run_cli("forge", "page", "--json").out)

    assert "# What this repository knows" in shown.out
    assert unchanged == before
    assert f"the page is in {tip(repo)[:12]}" in written.err
    assert again == {"commit": "", "page": git(repo, "show", "memory:README.md") + "\n"}
