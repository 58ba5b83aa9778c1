"""The line to the bad commit, and what merges brought in, on histories made up here."""

from __future__ import annotations

from support.each import each

from gitmem.git.history import Ancestor
from gitmem.verify.blame.trunk import first_parents, trunk_of


def history(*commits: str) -> dict[str, Ancestor]:
    """Return commits written ``name:parents``, parents before children."""
    pairs = [commit.split(":") for commit in commits]
    made = [Ancestor(name, "", at, tuple(filter(None, of.split(",")))) for at, (name, of) in enumerate(pairs)]
    return {one.commit: one for one in reversed(made)}


@each(
    ("good", "commits", "brought"),
    [
        ("g", ["g", "a", "m", "z"], {"m": {"x", "y"}}),
        ("s", ["s", "x", "y", "m", "z"], {"m": {"a"}}),
        ("none", [], {}),
    ],
    ids=["first-parents", "where-they-do-not-lead-there", "no-ancestor"],
)
def test_line_leads_from_the_good_commit_by_first_parents_where_it_can(good, commits, brought):
    ancestors = history("a:g", "x:s", "y:x", "m:a,y", "z:m")

    line = trunk_of(ancestors, good, "z")

    assert list(line.commits) == commits
    assert {commit: them for commit, them in line.brought.items() if them} == brought


def test_line_without_a_good_commit_begins_where_history_does():
    ancestors = history("g:", "a:g", "x:g", "m:a,x")

    assert list(trunk_of(ancestors, "", "m").commits) == ["g", "a", "m"]
    assert first_parents(ancestors, "m", {"m"}) == ["m", "a"]
