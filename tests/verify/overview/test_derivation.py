"""Answers after a change are the same as if every file were read, with fewer files read."""

from __future__ import annotations

import pytest
from conftest import commit_files, git
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.facts import tree_of

from gitmem.git import Git
from gitmem.git.repository import discover
from gitmem.model import BUILTIN, FAILS, HOLDS, Check
from gitmem.verify import builtin_answers
from gitmem.verify.builtin_answers import BuiltinAnswer, answer_all
from gitmem.verify.inputs import CodeTree
from gitmem.verify.overview.derivation import answer_behind

CHECKS = [
    Check(BUILTIN, words)
    for words in (
        ("contains", "1", "a/*"),
        ("contains", "1", "a/x"),
        ("matches", "^[2]", "a/**"),
        ("matches", "(", "a/**"),
        ("lacks", "1", "a/*"),
        ("lacks", "2", "**"),
        ("exists", "a/x"),
        ("absent", "a"),
        ("same", "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", "a/y"),
    )
]
CONTENTS = ("1", "2", "12", "")
TREES = st.dictionaries(st.sampled_from(("a/x", "a/y", "a/b/z", "c")), st.sampled_from(CONTENTS), max_size=4)


class Trees:
    """Trees of these contents, made without a process each."""

    def __init__(self, folder) -> None:
        self.git = Git(discover(folder))
        self._oids = {text: git(folder, "hash-object", "-w", "--stdin", input=text) for text in CONTENTS}

    def __call__(self, files: dict[str, str]) -> CodeTree:
        tree = CodeTree.__new__(CodeTree)
        super(CodeTree, tree).__init__(("100644", self._oids[text], path) for path, text in files.items())
        return tree


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, TREES)
def test_answers_are_those_of_reading_every_file(repo, before, behind):
    trees = Trees(repo)
    base, head = trees(before), trees(behind)

    found = answer_behind(trees.git, base, head, answer_all(trees.git, base, CHECKS))

    assert {c: a.outcome for c, a in found.items()} == {
        c: a.outcome for c, a in answer_all(trees.git, head, CHECKS).items()
    }


@pytest.mark.parametrize(
    ("words", "read"),
    [
        (("contains", "RS256", "src/**"), 2),
        (("contains", "EdDSA", "src/**"), 2),
        (("lacks", "HS256", "src/**"), 2),
        (("lacks", "RS256", "src/**"), 2),
        (("contains", "one", "src/**"), 2 + 3),
    ],
    ids=["another file has it", "none had it", "none has it", "another file has it still", "the changed one had it"],
)
def test_only_changed_files_are_read_where_that_is_enough(repo, monkeypatch, words, read):
    commit_files(repo, {"src/a.py": "one", "src/b.py": "RS256", "src/c.py": "x"})
    git(repo, "rm", "-q", "-r", "src/auth", "src/gateway")
    base = tree_of(repo, commit_files(repo, {}))
    head = tree_of(repo, commit_files(repo, {"src/a.py": "two"}))
    handle, check = Git(discover(repo)), Check(BUILTIN, words)
    before = answer_all(handle, base, [check])
    asked: list[str] = []
    read_blobs = Git.read_blobs

    def counted(self, oids, **limits):
        asked.extend(names := list(oids))
        return read_blobs(self, names, **limits)

    monkeypatch.setattr(Git, "read_blobs", counted)

    found = answer_behind(handle, base, head, before)

    assert len(asked) == read
    assert found == answer_all(handle, head, [check])


def test_what_cannot_be_read_any_more_is_not_taken_for_what_did_not_change(repo, monkeypatch):
    base = tree_of(repo, commit_files(repo, {"lib/a": "RS256", "lib/b": "x"}))
    head = tree_of(repo, commit_files(repo, {"lib/a": "y"}))
    handle, check = Git(discover(repo)), Check(BUILTIN, ("contains", "RS256", "lib/*"))
    monkeypatch.setattr(builtin_answers, "FILE_LIMIT", 3)

    found = answer_behind(handle, base, head, {check: BuiltinAnswer(HOLDS, "")})

    assert found[check].outcome == FAILS
