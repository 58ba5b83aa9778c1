"""Paths are relative to the current folder, as git's are, and kept from the top of the work tree."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from conftest import git
from support.each import each

from gitmem.cli.paths import code_path, code_reference
from gitmem.errors import UsageError


@each(
    ("folder", "typed", "kept"),
    [
        ("", "src/auth/jwt.py", "src/auth/jwt.py"),
        ("", "src/**/*.py", "src/**/*.py"),
        ("", "./src/auth", "src/auth"),
        ("", ".", "."),
        ("src/auth", "jwt.py", "src/auth/jwt.py"),
        ("src/auth", "**/*.py", "src/auth/**/*.py"),
        ("src/auth", "*.py", "src/auth/*.py"),
        ("src", "auth/j*.py", "src/auth/j*.py"),
        ("src", "auth/", "src/auth/"),
        ("src/auth", "../../README.md", "README.md"),
        ("src/auth", "../../*.md", "*.md"),
        ("src/auth", ".", "src/auth"),
        ("src/auth", "not-yet.py", "src/auth/not-yet.py"),
        ("src/auth", ":/README.md", "README.md"),
        ("src/auth", "", ""),
    ],
)
def test_path_is_kept_from_the_top(repo: Path, folder: str, typed: str, kept: str, monkeypatch) -> None:
    monkeypatch.chdir(repo / folder)

    assert code_path(typed) == kept


def test_absolute_path_and_one_through_a_link_to_the_work_tree_are_kept_from_the_top(
    repo: Path, tmp_path: Path, monkeypatch
) -> None:
    (tmp_path / "link").symlink_to(repo)
    monkeypatch.chdir(tmp_path / "link" / "src")

    assert [code_path(os.fspath(top / "src/auth/jwt.py")) for top in (repo, tmp_path / "link")] == [
        "src/auth/jwt.py"
    ] * 2
    assert code_path("auth/jwt.py") == "src/auth/jwt.py"


@pytest.mark.parametrize(("folder", "typed"), [("", "../x"), ("src/auth", "../../../x"), ("src", "/etc/passwd")])
def test_path_that_leads_out_of_the_repository_is_refused(repo: Path, folder: str, typed: str, monkeypatch) -> None:
    monkeypatch.chdir(repo / folder)

    with pytest.raises(UsageError, match="not a path inside the repository"):
        code_path(typed)


def test_path_from_the_top_that_is_typed_in_a_folder_is_refused_with_the_one_that_was_meant(
    run_cli, repo: Path
) -> None:
    run_cli("init")

    done = run_cli("fact", "Signed", "--contains", "RS256", "--in", "src/auth/*.py", cwd=repo / "src")

    assert (done.status, done.out) == (2, "")
    assert "there is no src/src/auth: paths are relative to the current folder" in done.err
    assert "did you mean :/src/auth/*.py?" in done.err


@each(
    ("typed", "kept"),
    [
        ("jwt.py:1", "src/auth/jwt.py:1"),
        ("../../README.md:1-2", "README.md:1-2"),
        (":/README.md:1", "README.md:1"),
        ("https://example.org/a.py:3", "https://example.org/a.py:3"),
        ("run:12", "run:12"),
        ("run-7", "run-7"),
        ("jwt.py", "src/auth/jwt.py"),
    ],
)
def test_reference_is_kept_from_the_top_and_a_url_or_run_as_it_is(
    repo: Path, typed: str, kept: str, monkeypatch
) -> None:
    monkeypatch.chdir(repo / "src/auth")

    assert code_reference(typed) == kept


def test_every_command_in_a_folder_takes_paths_from_there(run_cli, repo: Path) -> None:
    run_cli("init")
    here = repo / "src/auth"
    run_cli("fact", "Signed", "--contains", "RS256", "--in", "**", "--path", "jwt.py", "--key", "f", cwd=here)
    run_cli("fact", "There is a module", "--exists", "jwt.py", "--key", "g", cwd=here)
    run_cli("remember", "A trap", "--key", "k", "--ref", "jwt.py:1", "--workspace", ".", cwd=here)
    run_cli("edit", "g", "--path", "../..", cwd=here)

    found = {key: json.loads(run_cli("show", key, "--json").out)["frontmatter"] for key in "fgk"}

    assert (found["f"]["verify"], found["f"]["paths"]) == (
        {"contains": "RS256", "in": "src/auth/**"},
        ["src/auth/jwt.py"],
    )
    assert found["g"]["verify"] == {"exists": "src/auth/jwt.py"}
    assert (found["k"]["refs"], found["k"]["workspace"]) == (["src/auth/jwt.py:1"], "src/auth")
    listed = json.loads(run_cli("list", "--path", "jwt.py", "--json", cwd=here).out)["memories"]
    recalled = json.loads(run_cli("recall", "signed", "--path", ".", "--json", cwd=here).out)["hits"]
    assert ({row["key"] for row in listed}, [row["key"] for row in recalled]) == ({"f", "k"}, ["f"])


def test_adopt_reads_documents_relative_to_the_current_folder_and_suggests_a_path(run_cli, repo: Path) -> None:
    (repo / "src/README.md").write_text("See auth/jwt.py.\n")
    git(repo, "add", "src/README.md")
    git(repo, "commit", "-qm", "Explain")

    here, top, meant = (
        run_cli("adopt", name, cwd=repo / "src") for name in ("README.md", ":/README.md", "src/README.md")
    )

    assert (here.status, top.status, meant.status) == (0, 0, 2)
    assert "did you mean :/src/README.md?" in meant.err


def test_missing_path_is_reported_with_the_one_that_was_meant(run_cli, repo: Path) -> None:
    run_cli("init")

    fact = run_cli("fact", "There is a module", "--exists", "jwt.py", cwd=repo / "src")
    ref = run_cli("remember", "A trap", "--ref", "jwt.py:1", cwd=repo / "src")

    script = run_cli("fact", "There is a target", "--script", "lnt")

    assert (fact.status, ref.status, script.status) == (2, 2, 2)
    assert "did you mean" not in script.err  # no file was named
    assert "hint: did you mean auth/jwt.py?\n" in fact.err
    assert "hint: did you mean --ref auth/jwt.py:1?\n" in ref.err


def test_absent_path_that_never_existed_is_a_warning_and_a_deleted_one_is_not(run_cli, repo: Path) -> None:
    run_cli("init")
    git(repo, "rm", "-q", "src/auth/jwt.py")
    git(repo, "commit", "-qm", "Remove it")

    gone = run_cli("fact", "There is no jwt.py", "--absent", "src/auth/jwt.py")
    never = run_cli("fact", "There is no readme", "--absent", "README.txt")

    assert (gone.status, never.status) == (0, 0)
    assert "history" not in gone.err
    assert (
        "README.txt was never in the history of HEAD, so it proves nothing that it is absent; did you mean README.md?"
        in never.err
    )


@pytest.mark.parametrize(
    "url", ["https://example.org/team/shop.git", "git@example.org:team/shop.git", "/srv/git/shop/"]
)
def test_project_has_the_name_of_the_remote(run_cli, repo: Path, url: str) -> None:
    run_cli("remember", "before", "--key", "b")
    git(repo, "remote", "add", "origin", url)
    run_cli("remember", "something else", "--key", "k")

    found = [json.loads(run_cli("show", key, "--json").out)["frontmatter"]["project"] for key in "bk"]

    assert found == [repo.name, "shop"]
