"""Searches side by side: one round for all that ask at a commit, and one that cannot go on ends alone."""

from __future__ import annotations

from gitmem.errors import GitmemError
from gitmem.verify.blame.bisect import FOUND, BisectResult
from gitmem.verify.blame.rounds import search_together


def asking(*commits: str):
    answers = []
    for commit in commits:
        answers.append((yield commit))
    return BisectResult(FOUND, reason=",".join(answers))


def failing():
    raise GitmemError("no history")
    yield ""


def test_searches_that_ask_at_one_commit_do_so_together():
    rounds = []
    ended = {}

    def ask(commit, keys):
        rounds.append((commit, *keys))
        return [f"{commit}{key}" for key in keys]

    searches = {"a": asking("x", "y"), "b": asking("y"), "c": asking("x", "y"), "d": asking(), "e": failing()}
    search_together(searches, ask, ended.__setitem__)

    assert rounds == [("x", "a", "c"), ("y", "b", "a", "c")]
    assert {key: found.reason for key, found in ended.items() if key != "e"} == {
        "a": "xa,ya",
        "b": "yb",
        "c": "xc,yc",
        "d": "",
    }
    assert ended["e"].message == "no history"
