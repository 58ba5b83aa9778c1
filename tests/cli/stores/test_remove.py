from __future__ import annotations

from pathlib import Path

from conftest import git


def test_a_store_is_taken_off_the_list_even_where_it_is_gone(run_cli, repo: Path) -> None:
    git(repo, "config", "--add", "gitmem.stores", "../gone")
    git(repo, "config", "--add", "gitmem.stores", "there=../there")

    assert run_cli("stores", "remove", "gone").out == "gone\n"
    assert run_cli("stores", "remove", str(repo.parent / "there")).out == "there\n"
    assert run_cli("stores", "remove", "gone").status == 1
    assert git(repo, "config", "--get-all", "gitmem.stores", check=False) == ""
