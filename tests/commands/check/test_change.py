"""The commits of a change, in realistic histories, and the first lines that differ."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_files, git
from support.each import each

from gitmem.commands.check.change import find_span, first_difference, spots_of
from gitmem.errors import GitmemError
from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.verify.overview.finding import Spot


def span(folder: Path, *, base: str = "", head: str = "", default: str = "refs/heads/main"):
    return find_span(Git(discover(folder)), base=base, head=head, default=default)


@pytest.fixture
def forked(repo: Path) -> Path:
    """Return a repository whose branch `change` left `main` one commit ago, each with a commit of its own."""
    git(repo, "checkout", "-q", "-b", "change")
    commit_files(repo, {"a": "a"})
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"b": "b"})
    git(repo, "checkout", "-q", "change")
    return repo


def test_base_is_where_the_head_left_what_it_is_compared_with(forked):
    left = git(forked, "rev-parse", "main~1")

    found = span(forked)

    assert (found.base, found.head) == (left, git(forked, "rev-parse", "change"))
    assert found.note == f"compared with {left[:12]}, where HEAD left main"


def test_base_that_is_an_ancestor_is_used_as_it_is(forked):
    found = span(forked, base="HEAD~1")

    assert (found.base, found.note) == (git(forked, "rev-parse", "HEAD~1"), "")


@pytest.mark.parametrize(
    ("base", "head", "message"),
    [
        ("change", "", "HEAD is the same commit as change; "),
        ("change", "main~1", "change already contains main~1; "),
        ("", "main", "main is the same commit as main; "),
    ],
    ids=["the same", "newer than the head", "on the default branch"],
)
def test_head_without_a_change_of_its_own_is_reported(forked, base, head, message):
    found = span(forked, base=base, head=head)

    assert found.base == found.head
    assert found.note.startswith(message) and f"gitmem check --base {head or 'HEAD'}~1" in found.note


def test_one_of_several_merge_bases_is_used_and_named(forked):
    git(forked, "merge", "-q", "-m", "one way", "main")
    git(forked, "checkout", "-q", "main")
    git(forked, "merge", "-q", "-m", "the other", "change~1")

    found = span(forked, head="change")

    assert found.base in git(forked, "merge-base", "--all", "main", "change").split()
    assert "one of 2 merge bases" in found.note


def test_histories_without_anything_in_common_are_compared_as_they_stand_when_asked_for(forked):
    git(forked, "checkout", "-q", "--orphan", "other")
    commit_files(forked, {"c": "c"})

    assert "no history in common" in span(forked, base="main").note
    with pytest.raises(GitmemError, match="have no common history") as caught:
        span(forked)
    assert caught.value.exit_status == 3


def test_shallow_clone_says_how_to_deepen_it(forked, tmp_path):
    git(tmp_path, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{forked}", "shallow")

    with pytest.raises(GitmemError, match="shallow") as caught:
        span(tmp_path / "shallow", default="refs/remotes/origin/main")

    assert (caught.value.exit_status, "git fetch --deepen" in caught.value.hint) == (3, True)


@pytest.mark.parametrize(
    ("options", "message", "hint"),
    [
        ({"base": "origin/main"}, "there is no commit origin/main in this clone", "git log --all"),
        ({"head": "--output=x"}, "there is no commit --output=x in this clone", "git log --all"),
        ({"default": ""}, "there is no default branch", "--base REV"),
    ],
    ids=["a base that is not here", "an option for a name", "no default branch"],
)
def test_missing_commit_is_an_error(repo, options, message, hint):
    with pytest.raises(GitmemError, match=message) as caught:
        span(repo, **options)

    assert (caught.value.exit_status, hint in caught.value.hint) == (3, True)


def test_commit_that_a_remote_may_have_is_to_be_fetched(repo):
    git(repo, "remote", "add", "origin", "https://example.org/x.git")

    with pytest.raises(GitmemError) as caught:
        span(repo, base="origin/main")

    assert "git fetch" in caught.value.hint


def test_repository_without_a_commit_says_so(tmp_path):
    git(tmp_path, "init", "-q", "-b", "main", ".")

    with pytest.raises(GitmemError, match="HEAD has no commit yet"):
        span(tmp_path)


@each(
    ("old", "new", "line"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n", 2),
        (b"a\n", b"a\nb\n", 2),
        (b"a\nb\n", b"a\n", 1),
        (b"a\nb\nc\n", b"b\nc\n", 1),
        (b"", b"a\n", 1),
        (b"a\n", b"", 1),
        (b"a\n", b"a", 1),
    ],
)
def test_first_differing_line_is_a_line_of_the_new_file(old, new, line):
    assert first_difference(old, new) == line


def test_files_are_named_once_with_their_lines_and_deleted_ones_last(memory, repo):
    base = commit_files(repo, {"gone": "x", "changed": "1\n2\n3\n", "was": "x"})
    git(repo, "rm", "-q", "gone")
    (repo / "was").unlink()
    (repo / "was").symlink_to("changed")
    head = commit_files(repo, {"changed": "1\n2\n4\n", "new": "a"})
    changes = {change.path: change for change in memory.repository.git.diff_trees(base, head)}

    found = spots_of(
        memory.repository.git, [[changes[name] for name in ("gone", "changed", "new")], [changes["was"]], []]
    )

    assert found == [(Spot("changed", 3), Spot("new", 1), Spot("gone")), (Spot("was"),), ()]
