"""The commit that alone changed what a fact reads, among the newest ones."""

from __future__ import annotations

from conftest import commit_files, git
from support.facts import tree_of

from gitmem.git.binary import Git
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


def test_nothing_is_said_behind_a_merge(repo):
    held = judged(repo, HOLDS)
    git(repo, "checkout", "-q", "-b", "side")
    commit_files(repo, {"src/auth/jwt.py": "HS256\n"})
    failed = judged(repo, FAILS)
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "--no-ff", "-m", "both", "side")

    assert newest(repo).breaker(INPUTS, CHECK, held) == ""
    assert not newest(repo).was_fixed(INPUTS, CHECK, failed)
