"""A commit of a copy of the index: it is what git would commit, and nothing of the person's is touched."""

from __future__ import annotations

from pathlib import Path

from conftest import git
from support.console import snapshot

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.verify.ground.private_commits import Apart


def test_private_commit_has_the_index_and_is_only_in_its_folder(repo: Path, tmp_path: Path) -> None:
    (repo / "README.md").write_text("staged\n")
    git(repo, "add", "-A")
    (repo / "README.md").write_text("not staged\n")
    before = snapshot(repo)
    handle = Git(discover(repo))

    apart = Apart(handle, tmp_path / "apart", repo / ".git" / "index")
    made = apart.commit(git(repo, "rev-parse", "HEAD"), "what is staged")

    assert snapshot(repo) == before
    assert not handle.has(made, "commit")
    seeing = Git(handle.repository, objects=apart.objects)
    assert seeing.run("show", f"{made}:README.md").stdout == b"staged\n"
    assert seeing.is_ancestor("HEAD", made)
    assert seeing.resolve(made, "tree") == git(repo, "write-tree")


def test_missing_index_gives_an_empty_commit_without_a_parent(repo: Path, tmp_path: Path) -> None:
    apart = Apart(Git(discover(repo)), tmp_path / "apart", tmp_path / "missing")

    made = apart.commit(None, "nothing")

    seeing = Git(discover(repo), objects=apart.objects)
    assert seeing.list_paths(made) == []
    assert seeing.text("log", "--format=%P", made) == ""
