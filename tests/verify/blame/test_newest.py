"""The commit that alone changed what a fact reads, among the newest ones."""

from __future__ import annotations

import pytest
from conftest import commit_files, git
from support.facts import tree_of

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, FAILS, HOLDS, Check, Verdict
from gitmem.verify.blame.newest import NewestCommits
from gitmem.verify.inputs import digest

CHECK = Check(BUILTIN, ("contains", "RS256", "src/auth/jwt.py"))
INPUTS = ["builtin"]


def judged(repo, outcome):
    tree = tree_of(repo)
    return Verdict("k", "s", "c", outcome, tree.commit, digest(tree, INPUTS, CHECK), 100)


def newest(repo):
    return NewestCommits(Git(discover(repo)), lambda: tree_of(repo))


def test_breaker_is_the_one_commit_that_changed_the_inputs_since_the_fact_held(repo):
    held = judged(repo, HOLDS)
    commit_files(repo, {"README.md": "# Other\n"})
    bad = commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    failed = judged(repo, FAILS)
    commit_files(repo, {"README.md": "# More\n"})

    assert newest(repo).breaker(INPUTS, CHECK, held) == bad
    assert not newest(repo).was_fixed(INPUTS, CHECK, failed)
    commit_files(repo, {"src/auth/jwt.py": "nothing\n"})
    assert newest(repo).breaker(INPUTS, CHECK, held) == ""
    assert newest(repo).was_fixed(INPUTS, CHECK, failed)


@pytest.mark.parametrize(
    ("inputs", "check", "is_known"),
    [
        (["paths", "src/auth/jwt.py"], Check("shell", ("grep -q RS256 src/auth/jwt.py",)), True),
        (INPUTS, CHECK, False),
    ],
    ids=["command", "built-in"],
)
def test_what_moved_before_it_broke_was_not_broken_by_the_move(repo, inputs, check, is_known):
    tree, moves = tree_of(repo), "src/auth/jwt.py\tlib/jwt.py"
    held = Verdict("k", "s", "c", HOLDS, tree.commit, digest(tree, inputs, check), 100)
    (repo / "lib").mkdir()
    git(repo, "mv", "src/auth/jwt.py", "lib/jwt.py")
    git(repo, "commit", "-q", "-m", "move")

    assert newest(repo).breaker(inputs, check, held, moves) == git(repo, "rev-parse", "HEAD")
    bad = commit_files(repo, {"lib/jwt.py": "HS256\n"})
    assert newest(repo).breaker(inputs, check, held, moves) == (bad if is_known else "")


def test_no_commit_is_named_behind_a_merge(repo):
    held = judged(repo, HOLDS)
    git(repo, "checkout", "-q", "-b", "side")
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    failed = judged(repo, FAILS)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "both", "side")

    assert newest(repo).breaker(INPUTS, CHECK, held) == ""
    assert not newest(repo).was_fixed(INPUTS, CHECK, failed)
