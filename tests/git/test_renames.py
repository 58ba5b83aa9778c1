"""Where files went, by git's rename detection: through history, with folders, and never where it is not clear."""

from __future__ import annotations

import pytest
from conftest import commit_files, git

from gitmem.git import Git
from gitmem.git.renames import Renames
from gitmem.git.repository import discover


def renames(repo, paths, since=""):
    hub = Git(discover(repo))
    return Renames(hub, hub.resolve("HEAD"), {entry[2] for entry in hub.list_paths("HEAD")}).find(paths, since)


def move(repo, old, new):
    (repo / new).parent.mkdir(parents=True, exist_ok=True)
    git(repo, "mv", old, new)
    git(repo, "commit", "-q", "-m", f"move {old}")


@pytest.mark.parametrize("is_known", [True, False])
def test_a_chain_of_renames_is_followed_with_and_without_a_beginning(repo, is_known):
    start = git(repo, "rev-parse", "HEAD")
    move(repo, "src/auth", "lib/auth")
    move(repo, "lib", "vendor")

    found = renames(repo, ["src/auth/jwt.py", "src/gone.py"], start if is_known else "")

    assert found == {"src/auth/jwt.py": "vendor/auth/jwt.py"}


def test_a_rename_on_a_merged_branch_is_found(repo):
    start = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "-b", "side")
    move(repo, "src/auth", "lib/auth")
    git(repo, "checkout", "-q", "main")
    commit_files(repo, {"README.md": "# Two\n"}, "main goes on")
    git(repo, "merge", "-q", "--no-ff", "-m", "both", "side")

    assert renames(repo, ["src/auth/jwt.py"], start) == {"src/auth/jwt.py": "lib/auth/jwt.py"}


def test_of_equal_files_each_goes_where_the_others_of_its_folder_went(repo):
    same = "# the same header in every package\n" * 3
    files = {f"src/{name}/{end}": same for name in "ab" for end in ("x.py", "y.py")}
    files |= {f"src/{name}/own.py": f"only in {name}\n" * 9 for name in "ab"}
    start = commit_files(repo, files, "equal files")
    git(repo, "mv", "src/a", "zz")
    git(repo, "mv", "src/b", "aa")
    git(repo, "commit", "-q", "-m", "move both")

    found = renames(repo, sorted(files), start)

    assert found == {path: path.replace("src/a", "zz").replace("src/b", "aa") for path in files}


def test_of_equal_files_in_equal_folders_each_goes_where_its_path_is_still_the_same(repo):
    """No other file of these folders tells where it went; one of them was edited while it moved."""
    same = "# the same header in every package\n" * 9
    files = {f"src/{name}/x/__init__.py": same for name in "abcd"}
    start = commit_files(repo, files, "equal files")
    (repo / "lib").mkdir()
    for name in "abcd":
        git(repo, "mv", f"src/{name}", f"lib/{name}")
    (repo / "lib/b/x/__init__.py").write_text(f"{same}# edited\n", encoding="ascii")
    git(repo, "add", "-A")
    git(repo, "commit", "-q", "-m", "move them")

    assert renames(repo, sorted(files), start) == {path: path.replace("src/", "lib/") for path in files}


def test_a_file_that_became_equal_to_others_as_it_moved_is_distinguished_from_them(repo):
    same = "# the same header in every package\n" * 9
    files = {f"src/{name}/x/__init__.py": same for name in "abcd"} | {"src/c/x/__init__.py": f"{same}# own\n"}
    start = commit_files(repo, files, "one of them has more")
    (repo / "lib").mkdir()
    for name in "abcd":
        git(repo, "mv", f"src/{name}", f"lib/{name}")
    commit_files(repo, {"lib/c/x/__init__.py": same}, "move them")

    assert renames(repo, sorted(files), start) == {path: path.replace("src/", "lib/") for path in files}


def test_an_empty_file_is_only_where_its_name_is(repo):
    start = commit_files(repo, {"src/pkg/__init__.py": "", "src/pkg/.keep": ""}, "empty files")
    git(repo, "rm", "-q", "src/pkg/.keep")
    commit_files(repo, {"lib/py.typed": ""}, "another empty file")

    assert renames(repo, ["src/pkg/.keep"], start) == {}


def test_a_commit_that_is_not_in_this_history_is_compared_directly(repo):
    start = git(repo, "rev-parse", "HEAD")
    git(repo, "checkout", "-q", "--orphan", "other")
    (repo / "lib").mkdir()
    git(repo, "mv", "src/auth", "lib/auth")
    git(repo, "commit", "-q", "-m", "another history")

    assert renames(repo, ["src/auth/jwt.py"], start) == {"src/auth/jwt.py": "lib/auth/jwt.py"}
