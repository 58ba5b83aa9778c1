"""The second home: memories that the code branch tracks in ``.memory/`` (row F9)."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import commit_files, git, tip
from support.facts import (
    Clock,
    make_fact,
    make_memory,
    outcomes,
    put,
    statuses,
    tracked,
    trailers,
    verdict_keys,
    verify,
)

from gitmem.memory import Memory
from gitmem.recall.query import Query


def listed(memory: Memory) -> dict[str, str]:
    """Return where each live memory lies, by key."""
    return {hit.key: hit.path for hit in memory.list(Query(limit=100)).hits}


RS256 = make_fact("rs256", {"contains": "RS256", "in": "src/auth/jwt.py"}, title="Tokens are signed with RS256")
EDDSA = make_fact("eddsa", {"contains": "EdDSA", "in": "src/auth/jwt.py"}, title="Tokens are signed with EdDSA")


@pytest.fixture
def both(repo: Path):
    """Return a repository with one fact on the branch and another in the code tree."""
    put(repo, RS256)
    commit_files(repo, tracked(EDDSA))
    with Memory(repo, clock=Clock()) as memory:
        yield memory


def test_both_homes_are_read(both: Memory) -> None:
    assert listed(both) == {"rs256": "facts/rs256.md", "eddsa": ".memory/facts/eddsa.md"}
    assert [h.key for h in both.recall(Query("EdDSA")).hits] == ["eddsa"]


def test_verdicts_of_the_code_tree_s_facts_are_written_on_the_memory_branch(both: Memory, repo: Path) -> None:
    run = verify(both)

    assert outcomes(run) == {"rs256": "holds", "eddsa": "fails"}
    assert verdict_keys(repo) == ["eddsa", "rs256"]
    assert "Gitmem-Failed: eddsa" in trailers(repo, "memory")
    assert statuses(both) == {"rs256": "verified", "eddsa": "failed"}


def test_statuses_are_right_on_every_checkout_of_the_code(repo: Path) -> None:
    commit_files(repo, tracked(RS256))
    with Memory(repo, clock=Clock()) as memory:
        verify(memory)
        assert statuses(memory) == {"rs256": "verified"}

        git(repo, "switch", "-q", "-c", "eddsa")
        changed = RS256["facts/rs256.md"].replace("RS256", "EdDSA")
        code = {"src/auth/jwt.py": 'ALGORITHM = "EdDSA"\n', ".memory/facts/rs256.md": changed}
        commit_files(repo, {**code, **tracked(EDDSA)})
        assert statuses(memory) == {"rs256": "unproven", "eddsa": "unproven"}
        assert verify(memory).is_local
        assert statuses(memory) == {"rs256": "verified", "eddsa": "verified"}

        git(repo, "switch", "-q", "main")
        assert statuses(memory) == {"rs256": "verified"}

        git(repo, "merge", "-q", "eddsa")
        assert statuses(memory) == {"rs256": "verified", "eddsa": "verified"}
        before = tip(repo)
        assert verify(memory).due == 0
        assert tip(repo) != before  # what was proved on the branch is written down without another run


def test_a_fresh_clone_sees_them_and_their_verdicts(both: Memory, repo: Path, tmp_path: Path) -> None:
    verify(both)
    git(tmp_path, "clone", "-q", str(repo), "clone")

    with Memory(tmp_path / "clone", clock=Clock()) as clone:
        assert statuses(clone) == {"rs256": "verified", "eddsa": "failed"}


def test_key_in_both_homes_means_the_code_trees_memory_in_that_checkout(repo: Path) -> None:
    put(repo, make_memory("a", "what the branch says"))
    git(repo, "switch", "-q", "-c", "other")
    commit_files(repo, tracked(make_memory("a", "what the code says")))

    with Memory(repo, clock=Clock()) as memory:
        assert memory.show("a").document["title"] == "what the code says"
        assert [(p.code, p.path) for p in memory.doctor(fix=False).problems] == [("key-in-both-homes", "gotchas/a.md")]
        git(repo, "switch", "-q", "main")
        assert memory.show("a").document["title"] == "what the branch says"
        assert memory.doctor(fix=False).problems == ()


def test_a_repository_may_have_memories_in_its_code_alone(repo: Path) -> None:
    commit_files(repo, tracked(RS256, make_memory("a", "The gateway drops idle connections")))

    with Memory(repo, clock=Clock()) as memory:
        assert [h.key for h in memory.recall(Query("gateway")).hits] == ["a"]
        assert memory.status().document["memories"] == 2
        verify(memory)
        assert statuses(memory)["rs256"] == "verified"
        memory.remember("The branch starts with this", key="b")
        assert set(listed(memory)) == {"rs256", "a", "b"}


def test_suspicion_spreads_from_one_home_to_the_other(repo: Path) -> None:
    put(repo, make_memory("rests", "rests on it", requires=["eddsa"]))
    commit_files(repo, tracked(EDDSA))

    with Memory(repo, clock=Clock()) as memory:
        verify(memory)
        assert statuses(memory) == {"eddsa": "failed", "rests": "suspect"}


def test_linked_work_trees_see_each_its_own(both: Memory, repo: Path, tmp_path: Path) -> None:
    git(repo, "worktree", "add", "-q", "-b", "old", str(tmp_path / "old"), "HEAD~1")
    git(repo, "worktree", "add", "-q", "-b", "new", str(tmp_path / "new"))
    commit_files(tmp_path / "new", tracked(make_memory("new", "only here")))

    with Memory(tmp_path / "old") as old, Memory(tmp_path / "new") as new:
        for _ in range(2):
            assert set(listed(old)) == {"rs256"}
            assert set(listed(new)) == {"rs256", "eddsa", "new"}
            assert set(listed(both)) == {"rs256", "eddsa"}


@pytest.mark.parametrize("kind", ["a file", "a link", "a repository"])
def test_file_in_place_of_the_folder_is_not_a_code_tree(repo: Path, kind: str) -> None:
    put(repo, make_memory("a", "good"))
    if kind == "a file":
        (repo / ".memory").write_text("x")
    elif kind == "a link":
        os.symlink("src", repo / ".memory")
    else:
        shutil.copytree(repo, repo / ".memory")
    git(repo, "-c", "advice.addEmbeddedRepo=false", "add", "-A")
    git(repo, "commit", "-qm", kind)

    with Memory(repo, clock=Clock()) as memory:
        assert set(listed(memory)) == {"a"}


def test_a_damaged_note_of_the_second_home_is_rebuilt(both: Memory, repo: Path) -> None:
    known = listed(both)
    note = repo / ".git" / "gitmem" / "home"
    head = tip(repo, "HEAD")
    for damaged in (f"{head} " + "\0" * 41, f"{head} {'f' * 7}\n", f"{head} "):
        note.write_text(damaged, encoding="ascii")
        with Memory(repo, clock=Clock()) as memory:
            assert listed(memory) == known


def test_each_disallowed_file_is_one_problem(repo: Path) -> None:
    odd = {
        ".memory/README.md": "for people\n",
        ".memory/gitmem.toml": "",
        ".memory/facts/No Key.md": "x",
        ".memory/notes/bad.md": "-",
    }
    commit_files(repo, {**odd, **tracked(make_memory("a", "good"))})
    os.symlink("/etc/passwd", repo / ".memory/facts/link.md")
    git(repo, "add", "-A")
    git(repo, "commit", "-qm", "a link")

    with Memory(repo, clock=Clock()) as memory:
        assert set(statuses(memory)) == {"a"}
        found = {(p.path, p.code) for p in memory.doctor(fix=True).problems}
    assert found == {
        (".memory/gitmem.toml", "not-in-code"),
        (".memory/facts/No Key.md", "bad-name"),
        (".memory/facts/link.md", "symlink"),
        (".memory/notes/bad.md", "no-frontmatter"),
    }


def test_a_folder_of_that_name_on_the_memory_branch_is_no_second_home(repo: Path) -> None:
    put(repo, make_memory("a", "good"), tracked(make_memory("evil", "pushed")))

    with Memory(repo, clock=Clock()) as memory:
        assert set(statuses(memory)) == {"a"}
