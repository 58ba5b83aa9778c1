"""The code at one commit: names, folders, and what git ignores."""

import time

import pytest
from conftest import commit_files
from support.each import each

from gitmem.commands.adopt.code import Code
from gitmem.git import Git
from gitmem.git.repository import discover


@each(
    ("path", "is_ignored"),
    [
        ("build/out.py", True),
        ("sub/build/x", True),
        ("a.log", True),
        ("keep.log", False),
        ("docs/gen/a.md", True),
        ("sub/docs/gen/a.md", False),
        ("src/a.py", False),
    ],
)
def test_ignore_files_of_the_tree_count(repo, path, is_ignored):
    commit = commit_files(repo, {".gitignore": "build/\n*.log\n!keep.log\n/docs/gen\n"})

    assert Code(Git(discover(repo)), commit).is_ignored(path) == is_ignored


@pytest.mark.parametrize("pattern", ["/", "//", "!/"])
def test_pattern_that_names_nothing_ignores_nothing(repo, pattern):
    commit = commit_files(repo, {".gitignore": f"*.log\n{pattern}\n"})
    code = Code(Git(discover(repo)), commit)

    assert (code.is_ignored("a.log"), code.is_ignored("src/a.py")) == (True, False)


def test_files_and_folders_are_found_by_their_last_parts(repo):
    code = Code(Git(discover(repo)), commit_files(repo, {"a/b/c.py": "C = 1\n"}))

    assert code.has("a/b") and code.has("a/b/c.py") and not code.has("b")
    assert (code.list_ending_with("b/c.py"), code.list_ending_with("b")) == (["a/b/c.py"], ["a/b"])


@each(
    ("path", "is_ignored"),
    [("a/b/x.log", False), ("a/x.log", True), ("b/gen/x", False), ("a/gen/x", True), ("a", False)],
)
def test_ignore_file_of_a_folder_counts_below_it_and_after_those_above(repo, path, is_ignored):
    commit = commit_files(repo, {".gitignore": "*.log\n", "a/.gitignore": "/gen\n", "a/b/.gitignore": "!x.log\n"})

    assert Code(Git(discover(repo)), commit).is_ignored(path) == is_ignored


def test_path_of_thousands_of_folders_is_read_at_once(repo):
    commit = commit_files(repo, {".gitignore": "*.log\n/docs/gen\n", "x/.gitignore": "**/gen/**\n"})
    code = Code(Git(discover(repo)), commit)
    before = time.process_time()

    assert not code.is_ignored("x/" * 2000)
    assert time.process_time() - before < 5  # each level read all levels above it anew: a minute
