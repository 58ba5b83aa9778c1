"""What a body was merged from is read from git: three people's edits make one text, whoever was merged first."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest
from conftest import git, memory_text

from gitmem.document.parse import parse
from gitmem.git import Git
from gitmem.git.objects import open_objects
from gitmem.git.repository import discover
from gitmem.store.merge import lineage
from gitmem.store.merge.lineage import Lineage
from gitmem.store.merge.trees import merge

PATH = "learned/a.md"
LINES = "".join(f"Line {n}.\n" for n in range(5))


class Repo:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.objects = open_objects(Git(discover(path)))

    def commit(self, body: str, *parents: str, who: str = "Ana") -> str:
        blob = git(self.path, "hash-object", "-w", "--stdin", input=memory_text("A title", body=body).encode())
        inner = git(self.path, "mktree", input=f"100644 blob {blob}\ta.md\n".encode())
        tree = git(self.path, "mktree", input=f"040000 tree {inner}\tlearned\n".encode())
        named = [word for parent in parents for word in ("-p", parent)]
        return git(self.path, "-c", f"user.name={who}", "commit-tree", tree, *named, "-m", "x")

    def merged(self, one: str, other: str) -> str:
        found = merge(self.objects, one, other, who=lambda commit, _: "somebody")
        (content,) = found.state.contents.values()
        return parse(content, path=PATH).body


@pytest.fixture
def repository(repo: Path) -> Repo:
    return Repo(repo)


def test_edits_of_three_that_overlap_make_one_text_in_every_order(repository: Repo) -> None:
    base = repository.commit(LINES)
    edits = [
        repository.commit(LINES.replace(f"Line {n}.", f"{who} {n}."), base, who=who)
        for n, who in ((1, "Ana"), (2, "Bob"), (3, "Cleo"))
    ]

    found = set()
    for one, two, three in permutations(edits):
        both = repository.commit(repository.merged(one, two), one, two, who="Dana")
        found.add(repository.merged(both, three))

    (body,) = found
    assert "**Three versions, to settle.** Ana wrote:\n\nAna 1.\nLine 2.\nLine 3.\n" in body
    assert all(body.count(text) == 1 for text in ("Bob 2.", "Cleo 3.", "Three versions", "> Bob wrote:"))


def test_a_merge_that_a_person_wrote_by_hand_counts_as_it_is(repository: Repo) -> None:
    base = repository.commit(LINES)
    one, other = (repository.commit(LINES.replace("Line 2", who), base, who=who) for who in ("Ana", "Bob"))
    by_hand = repository.commit(LINES.replace("Line 2", "Both"), one, other)
    third = repository.commit(LINES.replace("Line 2", "Cleo"), base, who="Cleo")

    body = repository.merged(by_hand, third)

    assert ("Both." in body, "Cleo." in body, "Ana." in body, "Bob." in body) == (True, True, False, False)


def test_without_an_ancestor_or_with_too_many_commits_there_is_no_history(
    repository: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = repository.commit(LINES)
    one, other = (repository.commit(LINES.replace("Line 2", who), base, who=who) for who in ("Ana", "Bob"))
    apart = repository.commit("Other.\n")

    def history(one: str, other: str) -> object:
        return Lineage(repository.objects, one, other).history("a", [PATH])

    assert history(one, other) is not None
    assert history(one, apart) is None
    monkeypatch.setattr(lineage, "MOST_COMMITS", 1)
    assert history(one, other) is None
