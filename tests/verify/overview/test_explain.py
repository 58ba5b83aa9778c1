"""Why a fact is due, in terms of files."""

from __future__ import annotations

import pytest
from conftest import commit_files, git
from support.facts import approve_all, make_fact, put, verify

from gitmem.frozen import replace
from gitmem.memory import Memory
from gitmem.verify.inputs import CodeTree
from gitmem.verify.options import Options
from gitmem.verify.overview.explain import INPUTS_NAMED, explain


def changed(memory: Memory, reads: str | None = None) -> dict[str, tuple[str, ...]]:
    """What changed for each fact that is due; *reads* stands for what its verdict read."""
    head = git(memory.repository.git.repository.work_tree, "rev-parse", "HEAD")
    dues = [d for d in memory.repository.session(Options(dry_run=True)).list_due() if d.verdict]
    if reads is not None:
        dues = [replace(d, verdict=replace(d.verdict, reads=reads)) for d in dues]
    return {d.row.key: d.changed for d in explain(memory.repository.git, CodeTree(memory.repository.git, head), dues)}


@pytest.fixture
def proved(memory, repo):
    put(
        repo,
        make_fact("declared", "test -f README.md", paths=["*.md"]),
        make_fact("known", {"contains": "RS256", "in": "src/**"}),
        make_fact("unknown", "test -d src"),
    )
    approve_all(memory)
    verify(memory)
    return memory


def test_each_fact_is_due_for_what_it_reads(proved, repo):
    commit_files(repo, {"new.md": "x\n", "src/new.py": "x\n", "other.txt": "x\n"})

    assert changed(proved) == {
        "declared": ("new.md",),
        "known": ("src/new.py",),
        "unknown": ("new.md", "other.txt", "src/new.py"),
    }


@pytest.mark.parametrize(
    ("reads", "expected"),
    [
        ("1 =new =other.txt", ("new/a", "new/b")),
        ("1 /", ("gone/x", "new/a", "new/b")),  # and not src, which is a folder as before
        ("1 /src", ("src/new.py",)),
        ("1 =gone/x", ("gone/x",)),
        ("1 =src", ()),
    ],
)
def test_observed_reads_are_reported_by_the_files_that_changed(memory, repo, reads, expected):
    put(repo, make_fact("a", "test -d src"))
    approve_all(memory)
    commit_files(repo, {"gone/x": "x\n"})
    verify(memory)
    git(repo, "rm", "-qr", "gone")
    commit_files(repo, {"new/a": "x\n", "new/b": "x\n", "src/new.py": "x\n", "src/auth/jwt.py": "RS256 too\n"})

    assert changed(memory, reads) == {"a": expected}


def test_a_few_are_named_and_none_where_the_old_commit_is_not_here(proved, repo):
    commit_files(repo, {f"{n}.md": "x\n" for n in range(INPUTS_NAMED + 3)})
    named = changed(proved)["declared"]
    head = git(repo, "rev-parse", "HEAD")
    dues = [replace(d, verdict=replace(d.verdict, commit="0" * 40)) for d in proved.repository.session().list_due()]

    assert len(named) == INPUTS_NAMED
    assert {d.changed for d in explain(proved.repository.git, CodeTree(proved.repository.git, head), dues)} == {()}
