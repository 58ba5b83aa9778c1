"""A change touches exactly the facts whose inputs differ, however few trees are listed."""

from __future__ import annotations

import json
import shutil

import pytest
from conftest import NOW, commit_files, git
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.code_changes import RS256, store_change
from support.facts import approve_all, make_fact, put, tree_of, verify

from gitmem.commands.check.facts import find_touched, list_facts
from gitmem.memory import Memory
from gitmem.model import Check
from gitmem.verify.inputs import digest

CHECKS = {
    "exists": ({"exists": "a/x"}, []),
    "absent": ({"absent": "b/**"}, []),
    "contains": ({"contains": "1", "in": "a/*"}, []),
    "folder": ({"lacks": "2", "in": "b"}, []),
    "one": ("grep 1 a/x", ["a/x"]),
    "all": ("grep 1 b/*", ["b/**", "a/y"]),
    "nowhere": ("make", ["missing"]),
    "whole": ("make", []),
}
PATHS = ("a/x", "a/y", "b/x", "b/c/y", ".gitattributes")
TREES = st.dictionaries(st.sampled_from(PATHS), st.sampled_from("12"))


@pytest.fixture
def facts(memory, repo):
    put(repo, *(make_fact(key, check, paths=paths) for key, (check, paths) in CHECKS.items()))
    return list_facts(memory.repository.catalog(), ())


def commit_tree(repo, files):
    """Commit a tree of these files alone and return the commit; no work tree is touched."""
    blobs = {text: git(repo, "hash-object", "-w", "--stdin", input=text) for text in set(files.values())}
    git(repo, "read-tree", "--empty")
    index = "".join(f"100644 {blobs[text]}\t{path}\n" for path, text in files.items())
    git(repo, "update-index", "--index-info", input=index)
    return git(repo, "commit-tree", "-m", "x", git(repo, "write-tree"))


def touched_by(memory, repo, facts, base, head):
    return find_touched(facts, store_change(memory, base, head), memory.repository.catalog())


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TREES, TREES)
@example({"a/x": "1"}, {"a/x": "1", ".gitattributes": "1"})
@example({"a/x": "1", "b/x": "1"}, {"a/x": "2", "b/x": "1"})
def test_touched_are_exactly_the_facts_whose_inputs_digests_differ(memory, repo, facts, before, behind):
    base, head = commit_tree(repo, before), commit_tree(repo, behind)
    trees = tree_of(repo, base), tree_of(repo, head)

    found = touched_by(memory, repo, facts, base, head)

    def inputs(row, tree):
        return digest(tree, json.loads(row.inputs), Check(row.form, tuple(json.loads(row.words))))

    differ = [f.row.key for f in facts if inputs(f.row, trees[0]) != inputs(f.row, trees[1])]
    assert [t.key for t in found] == differ


def test_changed_files_are_those_that_the_fact_reads(memory, repo, facts):
    base = commit_tree(repo, {"a/x": "1", "a/y": "1", "b/x": "1"})
    head = commit_tree(repo, {"a/x": "2", "a/y": "2", "b/x": "1", "c": "1"})

    changed = {t.key: [c.path for c in t.changed] for t in touched_by(memory, repo, facts, base, head)}

    everything = ["a/x", "a/y", "c"]
    assert changed == {
        "all": ["a/y"], "contains": ["a/x", "a/y"], "nowhere": everything, "one": ["a/x"], "whole": everything,
    }  # fmt: skip


def test_builtin_checks_that_no_changed_file_concerns_need_no_tree(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"exists": "README.md"}))
    base = git(repo, "rev-parse", "HEAD")
    head = commit_files(repo, {"other.py": ""})
    change = store_change(memory, base, head)

    found = find_touched(list_facts(memory.repository.catalog(), ()), change, memory.repository.catalog())

    assert (found, {"base", "head", "behind"} & vars(change.trees).keys()) == ([], set())


def test_of_observed_facts_only_the_changed_files_that_were_read_are_named(memory, repo, monkeypatch):
    if shutil.which("strace") is None:
        pytest.skip("strace is not installed")
    monkeypatch.setenv("GITMEM_TRACE", "auto")
    put(repo, make_fact("a", "grep -q RS256 src/auth/jwt.py"), make_fact("b", "test $(ls src | wc -l) = 2"))
    with Memory(repo, clock=lambda: float(NOW)) as opened:
        approve_all(opened)
        verify(opened)
        base = git(repo, "rev-parse", "HEAD")
        head = commit_files(repo, {"src/auth/jwt.py": "", "src/new.py": "", "README.md": ""})

        found = touched_by(opened, repo, list_facts(opened.repository.catalog(), ()), base, head)

    named = {t.key: [change.path for change in t.changed] for t in found}
    assert named == {"a": ["src/auth/jwt.py"], "b": ["src/new.py"]}
