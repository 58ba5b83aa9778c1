from __future__ import annotations

from pathlib import Path

from conftest import git


def test_store_is_removed_from_the_list_even_if_it_no_longer_exists(run_cli, repo: Path) -> None:
    git(repo, "config", "--add", "gitmem.stores", "../gone")
    git(repo, "config", "--add", "gitmem.stores", "there=../there")

    assert run_cli("stores", "remove", "gone").out == "gone\n"
    assert run_cli("stores", "remove", str(repo.parent / "there")).out == "there\n"
    assert run_cli("stores", "remove", "gone").status == 1
    assert git(repo, "config", "--get-all", "gitmem.stores", check=False) == ""
