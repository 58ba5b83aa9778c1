"""Outcomes of touched facts: without a session if nothing runs; only HEAD's runs are stored."""

from __future__ import annotations

import pytest
from conftest import commit_files, git
from support.code_changes import RS256, change, check, finding, kinds
from support.facts import approve_all, make_fact, put, verify

EDDSA = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n'}


def test_verdicts_are_stored_for_head_and_not_for_another_branch(memory, repo):
    put(repo, make_fact("ran", "grep -q RS256 src/auth/jwt.py", paths=["src/auth/*"]))
    approve_all(memory)
    verify(memory)
    head = change(repo, EDDSA)
    before = memory.repository.local.serial()

    memory.repository.git.run("update-ref", "--no-deref", "HEAD", "refs/heads/main")
    assert kinds(check(memory, head=head)) == {"ran": "newly_false"}
    elsewhere = memory.repository.local.serial()
    memory.repository.git.run("update-ref", "--no-deref", "HEAD", head)
    assert kinds(check(memory)) == {"ran": "newly_false"}

    assert (elsewhere, memory.repository.local.serial() > before) == (before, True)


def test_only_commands_open_a_session(memory, repo, monkeypatch):
    put(repo, make_fact("a", RS256), make_fact("b", requires=["a"], verify={"exists": "README.md"}))
    change(repo, EDDSA)
    monkeypatch.setattr(type(memory.repository), "session", None)

    assert kinds(check(memory)) == {"a": "newly_false", "b": "suspect"}


LINES = "first = 1\n\n\nLIMIT = 3\n\n\ndef close_pool():\n    pass\n\n\nlast = 1\n"


@pytest.mark.parametrize(
    ("verify", "after", "line"),
    [
        # The first changed line is 1 in each: what the check reads is elsewhere.
        ({"symbol": "close_pool"}, LINES.replace("close_pool", "shut_pool"), 7),
        ({"symbol": "close_pool"}, LINES.replace("def close_pool():\n    pass\n", ""), 6),
        ({"symbol": "close_pool"}, "# new\n# lines\n" + LINES.replace("close_pool", "shut_pool"), 9),
        ({"contains": "LIMIT = 3"}, LINES.replace("LIMIT = 3", "LIMIT = 4"), 4),
        ({"matches": "^last = 1"}, LINES.replace("last = 1", "last = 2"), 11),
        ({"lacks": "open_pool"}, LINES.replace("close_pool", "open_pool"), 7),
    ],
)
def test_line_shown_is_the_one_on_which_the_check_depends(memory, repo, verify, after, line):
    commit_files(repo, {"src/pool.py": LINES})
    put(repo, make_fact("pool", {**verify, "in": "src/pool.py"}))
    change(repo, {"src/pool.py": after.replace("first = 1", "first = 2")})

    assert [(spot.path, spot.line) for spot in finding(check(memory), "pool").places] == [("src/pool.py", line)]


def test_line_shown_does_not_depend_on_how_diffs_are_configured(memory, repo):
    commit_files(repo, {"src/pool.py": LINES, ".gitattributes": "*.py -diff\n"})
    git(repo, "config", "diff.interHunkContext", "20")
    put(repo, make_fact("pool", {"symbol": "close_pool", "in": "src/pool.py"}))
    change(repo, {"src/pool.py": "# new\n# lines\n" + LINES.replace("close_pool", "shut_pool")})

    assert [(spot.path, spot.line) for spot in finding(check(memory), "pool").places] == [("src/pool.py", 9)]


def test_first_changed_line_is_shown_if_the_check_names_none(memory, repo):
    commit_files(repo, {"src/pool.py": LINES})
    put(repo, make_fact("pool", "grep -q close_pool src/pool.py", paths=["src/pool.py"]))
    approve_all(memory)
    change(repo, {"src/pool.py": LINES.replace("close_pool", "shut_pool").replace("first = 1", "first = 2")})

    assert [(spot.path, spot.line) for spot in finding(check(memory), "pool").places] == [("src/pool.py", 1)]
