"""A change touches exactly the facts whose inputs differ, however few trees are listed."""

from __future__ import annotations

import json
import shutil

import pytest
from conftest import NOW, commit_files, git
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from support.code_changes import RS256
from support.facts import approve_all, make_fact, put, tree_of, verify

from gitmem.commands.check.facts import Trees, find_touched, first_difference, list_facts, spots_of
from gitmem.git import Git
from gitmem.memory import Memory
from gitmem.model import Check
from gitmem.verify.inputs import digest
from gitmem.verify.overview.finding import Spot

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
    handle = Git(memory.repository.git.repository)
    return find_touched(
        facts,
        Trees(handle, base, lambda: head, handle.diff_trees(base, head)),
        (),
        catalog=memory.repository.catalog(),
        store=memory.repository,
    )


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    assert [t.fact.row.key for t in found] == differ


def test_changed_files_are_those_that_the_fact_reads(memory, repo, facts):
    base = commit_tree(repo, {"a/x": "1", "a/y": "1", "b/x": "1"})
    head = commit_tree(repo, {"a/x": "2", "a/y": "2", "b/x": "1", "c": "1"})

    changed = {t.fact.row.key: [c.path for c in t.changed] for t in touched_by(memory, repo, facts, base, head)}

    everything = ["a/x", "a/y", "c"]
    assert changed == {
        "all": ["a/y"], "contains": ["a/x", "a/y"], "nowhere": everything, "one": ["a/x"], "whole": everything,
    }  # fmt: skip


def test_builtin_checks_that_no_changed_file_concerns_need_no_tree(memory, repo):
    put(repo, make_fact("a", RS256), make_fact("b", {"exists": "README.md"}))
    base = git(repo, "rev-parse", "HEAD")
    head = commit_files(repo, {"other.py": ""})
    trees = Trees(memory.repository.git, base, pytest.fail, memory.repository.git.diff_trees(base, head))

    found = find_touched(
        list_facts(memory.repository.catalog(), ()),
        trees,
        (),
        catalog=memory.repository.catalog(),
        store=memory.repository,
    )

    assert (found, "base" in vars(trees), "head" in vars(trees)) == ([], False, False)


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

    named = {t.fact.row.key: [change.path for change in t.changed] for t in found}
    assert named == {"a": ["src/auth/jwt.py"], "b": ["src/new.py"]}


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (b"a\nb\nc\n", b"a\nB\nc\n", 2),
        (b"a\n", b"a\nb\n", 2),
        (b"a\nb\n", b"a\n", 1),
        (b"a\nb\nc\n", b"b\nc\n", 1),
        (b"", b"a\n", 1),
        (b"a\n", b"", 1),
        (b"a\n", b"a", 1),
    ],
)
def test_first_line_that_differs_lies_in_the_new_file(old, new, line):
    assert first_difference(old, new) == line


def test_files_are_named_once_with_their_lines_and_deleted_ones_last(memory, repo):
    base = commit_files(repo, {"gone": "x", "changed": "1\n2\n3\n", "was": "x"})
    git(repo, "rm", "-q", "gone")
    (repo / "was").unlink()
    (repo / "was").symlink_to("changed")
    head = commit_files(repo, {"changed": "1\n2\n4\n", "new": "a"})
    changes = {change.path: change for change in memory.repository.git.diff_trees(base, head)}

    found = spots_of(
        memory.repository.git, [[changes[name] for name in ("gone", "changed", "new")], [changes["was"]], []]
    )

    assert found == [(Spot("changed", 3), Spot("new", 1), Spot("gone")), (Spot("was"),), ()]
