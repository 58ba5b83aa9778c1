"""The first-parent line of real repositories: what existed, and what removed it."""

from conftest import commit_files, git

from gitmem.commands.adopt.mainline import Mainline
from gitmem.git import Git
from gitmem.git.repository import discover


def line_of(repo):
    return Mainline(Git(discover(repo)), git(repo, "rev-parse", "HEAD"))


def test_paths_of_a_commit_are_known_without_its_tree(repo):
    first = commit_files(repo, {"src/a.py": "A", "src/b/c.py": "C", "src.txt": "x"})
    git(repo, "rm", "-q", "src/b/c.py")
    second = commit_files(repo, {"new.py": "N"})
    line = line_of(repo)

    assert [line.has(first, path) for path in ("src/a.py", "src/b", "src/b/c.py", "sr", "new.py")] == [
        *(True, True, True, False, False),
    ]
    assert [line.has(second, path) for path in ("src", "src/b", "src/b/c.py", "new.py")] == [True, False, False, True]
    assert line.list_ending_with(first, "b/c.py") == ["src/b/c.py"]
    assert line.list_ending_with(second, "c.py") == []


def test_removal_is_the_newest_commit_that_took_a_file_or_the_last_one_of_a_folder(repo):
    commit_files(repo, {"old/a": "1", "old/b": "2", "odd name.md": "3"})
    git(repo, "rm", "-q", "old/a")
    git(repo, "commit", "-qm", "half")
    git(repo, "rm", "-q", "old/b", "odd name.md")
    git(repo, "commit", "-qm", "rest")
    last = git(repo, "rev-parse", "HEAD")

    found = line_of(repo).find_removals(["old", "old/b", "odd name.md", "never"])

    assert found == {"old": last, "old/b": last, "odd name.md": last}


def test_merge_is_on_the_line_and_the_commits_of_its_branch_are_not(repo):
    commit_files(repo, {"a": "1"})
    git(repo, "checkout", "-q", "-b", "side")
    side = commit_files(repo, {"b": "1"})
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "--no-edit", "side")
    line = line_of(repo)

    (change,) = line.changes("b")

    assert change.status == "A"
    assert change.commit in line.merges
    assert not line.knows(side)


def test_walk_that_is_limited_to_paths_finds_what_the_walk_of_all_does(repo):
    commit_files(repo, {"README.md": "1", "old/a": "1", "x": "1"})
    commit_files(repo, {"README.md": "2", "y": "1"})
    git(repo, "rm", "-q", "-r", "old")
    git(repo, "mv", "x", "z")
    git(repo, "commit", "-qm", "less")
    few, every = line_of(repo), line_of(repo)
    assert every.has(git(repo, "rev-parse", "HEAD~1"), "old/a")
    assert (every.is_read, few.is_read) == (True, False)

    for path in ("README.md", "old/a", "x", "z", "old", "never"):
        assert few.changes(path) == every.changes(path)
        assert few.find_removals([path]) == every.find_removals([path])
    assert sorted(few.list_removed(0)) == sorted(every.list_removed(0)) == ["old/a", "x"]


def test_path_that_is_too_long_for_an_argument_never_existed(repo):
    commit_files(repo, {"a": "1"})
    line, long = line_of(repo), "a/" * 100_000

    assert line.changes(long) == []
    assert line.find_removals([long, "b"]) == {}
