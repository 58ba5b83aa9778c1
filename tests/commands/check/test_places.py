"""The places shown for a change: the first changed line of the most relevant files."""

from __future__ import annotations

import pytest
from conftest import commit_files, git

from gitmem.commands.check.places import first_difference, spots_of
from gitmem.verify.overview.finding import Spot


@pytest.mark.parametrize(
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
def test_first_line_that_differs_lies_in_the_new_file(old, new, line):
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
