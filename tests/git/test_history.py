"""The history of the code in bulk, against what git says commit by commit."""

from __future__ import annotations

from itertools import pairwise

import pytest
from conftest import commit_files, git
from support.ages import grow, opened

from gitmem.errors import ProcessError
from gitmem.git import Git
from gitmem.git.history import list_ancestors, list_touched, read_diff, read_summaries, read_trees
from gitmem.git.repository import discover


@pytest.fixture
def merged(repo):
    """A history with a branch that is merged; returns the folder's git and its commits by name."""
    start = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "side")
    side = commit_files(repo, {"side.txt": "1\n"}, "side: a change")
    git(repo, "checkout", "-q", "main")
    main = commit_files(repo, {"README.md": "# Two\n"}, "main: a change")
    git(repo, "merge", "-q", "--no-ff", "-m", "both", "side")
    return Git(discover(repo)), {"start": start, "side": side, "main": main, "both": git(repo, "rev-parse", "HEAD")}


def test_ancestors_are_those_since_a_commit_children_first(merged):
    hub, names = merged

    found = list_ancestors(hub, names["both"], without=names["start"], at_most=100)

    assert found[0].commit == names["both"]
    assert found[0].parents == (names["main"], names["side"])
    assert {one.commit for one in found} == {names["both"], names["main"], names["side"]}
    assert found[0].tree == hub.text("rev-parse", "HEAD^{tree}")
    assert len(list_ancestors(hub, names["both"], at_most=2)) == 2


def test_ancestors_since_a_commit_are_the_same_whatever_dates_say(repo):
    names = [f"n{nth}" for nth in range(12)]
    rows = [("n0", "", {}), *((name, before, {}) for before, name in pairwise(names))]
    # The side was begun at n0, whose date is newer than that of all that came behind it: git lists n0 as well.
    code = grow(repo, [*rows, ("side", "n0", {}), ("tip", "n11 side", {})], dates=[500, *range(1, 12), 600, 700])

    found = list_ancestors(opened(repo), code["tip"], without=code["n11"], at_most=100)

    assert [one.commit for one in found] == [code["tip"], code["side"]]


def test_touched_are_the_paths_that_differ_from_what_each_commit_is_compared_with(merged, repo):
    hub, names = merged
    (repo / "README.md").unlink()
    (repo / "link").symlink_to("side.txt")
    last = commit_files(repo, {}, "remove, link")

    found = list_touched(
        hub, [(names["start"], ""), (names["both"], names["main"]), (last, names["both"]), (names["main"], last)]
    )

    assert {t.path for t in found[names["start"]]} == set(
        hub.text("ls-tree", "-r", "--name-only", names["start"]).split()
    )
    assert [(t.path, t.mode, t.is_link) for t in found[names["both"]]] == [("side.txt", "100644", False)]
    assert [(t.path, t.mode, t.is_link) for t in found[last]] == [("README.md", "", False), ("link", "120000", True)]
    assert {t.path for t in found[names["main"]]} == {"README.md", "link", "side.txt"}
    with pytest.raises(ProcessError):
        list_touched(hub, [("7" * 40, "")])


def test_summaries_are_read_of_present_commits(merged):
    hub, names = merged
    tree = hub.text("rev-parse", "HEAD^{tree}")

    found = read_summaries(hub, [names["side"], "7" * 40, tree, "nonsense"])

    assert list(found) == [names["side"]]
    made = found[names["side"]]
    assert (made.author, made.date, made.subject) == (
        "Ana <ana@example.org>", "2026-09-21T14:13:20+00:00", "side: a change",
    )  # fmt: skip
    assert read_trees(hub, [names["both"], "7" * 40]) == {names["both"]: tree}


def test_diff_is_of_these_files_alone_and_says_where_it_is_cut(merged, repo, monkeypatch):
    hub, names = merged
    monkeypatch.setattr("gitmem.git.history.DIFF_LIMIT", 1000)
    long = commit_files(repo, {"a*.txt": "line\n" * 1000, "ab.txt": "no\n"}, "long")

    text, is_whole = read_diff(hub, names["start"], names["both"], ["side.txt"])
    cut = read_diff(hub, names["both"], long, ["a*.txt"])

    assert is_whole
    assert b"+1" in text
    assert b"README" not in text
    assert (len(cut[0]), cut[1], b"ab.txt" in cut[0]) == (1000, False, False)


def test_secrets_in_subjects_and_names_are_redacted(repo):
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
    git(repo, "config", "user.name", f"Ana {token}")
    (repo / "a.txt").write_text("1\n")
    git(repo, "add", "a.txt")
    git(repo, "commit", "-q", "-m", f"use {token} to deploy")
    commit = git(repo, "rev-parse", "HEAD")

    made = read_summaries(Git(discover(repo)), [commit])[commit]

    assert made.subject == "use [secret: github-token] to deploy"
    assert token not in made.author
