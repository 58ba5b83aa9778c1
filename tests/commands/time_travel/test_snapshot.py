"""The memory at a commit of the code: texts, statuses and counts of that time, and nothing of today."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from conftest import NOW, commit_files, git, memory_text, put_files, tip
from support.ages import says_good
from support.facts import DAY, Clock, make_memory, put, tracked

from gitmem.errors import GitmemError, NotFoundError, UsageError
from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.verify.options import Options


def verify(memory: Memory) -> None:
    memory.verify(options=Options(), report=lambda *_: None)


def listed(memory: Memory, rev: str) -> dict[str, str]:
    """Return the statuses of that time by key."""
    with memory.at(rev) as past:
        return {hit.key: hit.status for hit in past.list(Query(limit=100)).hits}


@pytest.fixture(scope="module")
def made(template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with a past: the fact f held at A, was not looked at at B, failed at C, and holds at D.

    ``gateway`` rests on it; ``late`` came with C, when the text of ``gateway`` changed, and ``old`` was retired.
    """
    repo = tmp_path_factory.mktemp("past") / "service"
    git(repo.parent, "clone", "-q", str(template), "service")
    git(repo, "config", "user.name", "Ana")
    git(repo, "config", "user.email", "ana@example.org")
    git(repo, "tag", "nothing")
    with Memory(repo, clock=Clock()) as memory:
        memory.init(offline=True)
        commit_files(repo, {"f.txt": "good"})
        git(repo, "tag", "A")
        put(repo, says_good(ttl="30d"))
        verify(memory)
        memory.remember("The first text", title="Gateway", key="gateway", requires=["f"])
        memory.remember("To be retired", key="old")
        commit_files(repo, {"f.txt": "good, in other words"})
        git(repo, "tag", "B")
        commit_files(repo, {"f.txt": "bad"})
        git(repo, "tag", "C")
        verify(memory)
        memory.edit("gateway", lambda text: text.replace("The first", "The second"))
        memory.remember("Learnt late", key="late")
        memory.forget("old")
        commit_files(repo, {"f.txt": "very good"})
        git(repo, "tag", "D")
        verify(memory)
    return repo


@pytest.fixture
def memory(made: Path) -> Iterator[Memory]:
    with Memory(made, clock=Clock(NOW + 400 * DAY)) as opened:
        yield opened


def test_statuses_are_those_of_that_time_and_no_time_to_live_has_passed(memory: Memory) -> None:
    assert listed(memory, "A") == {"f": "verified", "gateway": "", "old": ""}
    assert listed(memory, "B") == {"f": "stale", "gateway": "", "old": ""}
    assert listed(memory, "C") == {"f": "failed", "gateway": "suspect", "late": ""}
    assert listed(memory, "D") == {"f": "verified", "gateway": "", "late": ""}


def test_text_is_the_one_of_that_time(memory: Memory) -> None:
    with memory.at("B") as past:
        old, found = past.show("gateway").document, past.recall(Query("first text"))
    with memory.at("C") as past:
        new, gone = past.show("gat").document, past.recall(Query("first"))

    assert (old["body"], new["body"]) == ("The first text\n", "The second text\n")
    assert ([hit.key for hit in found.hits][:1], gone.hits) == (["gateway"], ())
    assert new["because"] == ["f"]


def test_what_was_known_then_and_what_is_known_now_are_distinguished(memory: Memory, made: Path) -> None:
    a, b, c, d = (git(made, "rev-parse", name) for name in "ABCD")
    with memory.at("B") as past:
        found = past.show("f").document

    assert (found["status"], found["now"]["status"]) == ("stale", "stale")
    assert found["now"]["because"] == f"held at {a[:12]}, failed from {c[:12]}, unknown between"
    assert [(one["outcome"], one["from"], one["to"]) for one in found["truth"]] == [
        ("holds", a, a), ("fails", c, c), ("holds", d, d),
    ]  # fmt: skip
    assert found["at"] == {"rev": "B", "code": b, "commit": git(made, "rev-parse", "memory~5")}


def test_status_counts_what_there_was(memory: Memory) -> None:
    with memory.at("C") as past:
        found = past.status().document
    with memory.at("nothing") as past:
        nothing = past.status().document

    assert (found["memories"], found["statuses"]["failed"], found["archived"]) == (3, 1, 1)
    assert [line["key"] for line in found["failed"] + found["suspect"]] == ["f", "gateway"]
    assert (nothing["memories"], nothing["is_empty"]) == (0, True)
    assert "nothing was known yet at nothing" in memory.notices[-1]


def test_what_was_not_known_yet_is_reported(memory: Memory) -> None:
    with memory.at("B") as past, pytest.raises(NotFoundError, match="late was not known yet at B") as caught:
        past.show("late")

    assert caught.value.hint == "see when it was written: gitmem log late"
    assert listed(memory, "nothing") == {}


def test_commit_of_the_memory_itself_is_that_state(memory: Memory) -> None:
    assert listed(memory, "memory~5") == listed(memory, "A")
    assert listed(memory, "memory") == listed(memory, "D")


def test_commit_of_the_memory_whose_code_is_not_here_has_texts_and_no_statuses(repo: Path) -> None:
    with Memory(repo, clock=Clock()) as memory:
        memory.init(offline=True)
        put(repo, says_good())
        lost = git(repo, "commit-tree", "memory^{tree}", "-p", "memory", "-m", f"pushed\n\nCode-Commit: {'d' * 40}")
        git(repo, "update-ref", "refs/heads/memory", lost)
        verify(memory)

        assert listed(memory, lost) == {"f": "unproven"}
        with memory.at(lost) as past:
            assert past.show("f").document["now"] is None

    assert f"{lost} is a commit of the memory that names no code in this clone: statuses are unknown" in memory.notices


def test_other_scopes_and_todays_index_are_not_of_the_past(memory: Memory) -> None:
    with memory.at("A") as past:
        with pytest.raises(UsageError, match="only the project's"):
            past.list(Query(scopes=("private",)))
        with pytest.raises(UsageError, match="--syntax uses the current index"):
            past.recall(Query("kind:fact", syntax=True))


def test_looking_back_writes_to_no_branch_and_counts_no_look(memory: Memory, made: Path) -> None:
    refs, looks = git(made, "for-each-ref"), memory.repository.local.accesses(["f"])

    with memory.at("C") as past:
        past.show("f")
        past.recall(Query("good"))

    assert (git(made, "for-each-ref"), memory.repository.local.accesses(["f"])) == (refs, looks)


def test_read_only_and_bare_repositories_look_back_too(made: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--bare", f"file://{made}", "bare")
    # Whoever runs the tests may be root, who may write everywhere: a file is in the way of every folder.
    (tmp_path / "bare" / "gitmem").write_text("")

    with Memory(tmp_path / "bare", clock=Clock()) as bare:
        assert listed(bare, "C") == {"f": "failed", "gateway": "suspect", "late": ""}


def test_damaged_catalog_of_the_past_is_thrown_away(made: Path) -> None:
    with Memory(made, clock=Clock()) as memory:
        listed(memory, "A")
        commit = memory.at("A").commit
    kept = made / ".git/gitmem/at" / commit[:12] / "catalog.sqlite"
    with closing(sqlite3.connect(kept)) as catalog, catalog:
        (page,) = catalog.execute("SELECT rootpage FROM sqlite_master WHERE name = 'packed'").fetchone()
    catalog.close()
    pages = bytearray(kept.read_bytes())
    pages[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    kept.write_bytes(pages)

    with (
        pytest.raises(GitmemError, match="the index was damaged and has been deleted; no memories are lost,"),
        Memory(made, clock=Clock()) as memory,
    ):
        listed(memory, "A")

    with Memory(made, clock=Clock()) as memory:
        assert listed(memory, "A")["f"] == "verified"


def test_gate_of_a_task_that_is_not_passed_is_no_failure(repo: Path) -> None:
    with Memory(repo, clock=Clock()) as memory:
        memory.tasks.add("Make it blue", verify={"contains": "blue", "in": "README.md"}, key="t")
        memory.verify(options=Options(keys=("t",)), report=lambda *_: None)

        with memory.at("HEAD") as past:
            found = past.show("t").document

    assert (found["truth"][0]["outcome"], found["now"]["status"]) == ("fails", "unproven")


def test_shallow_clone_says_what_it_cannot_tell(made: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "--depth=3", f"file://{made}", "shallow")
    git(tmp_path / "shallow", "fetch", "-q", "--depth=1", "origin", "memory:memory")

    with Memory(tmp_path / "shallow", clock=Clock()) as shallow:
        assert listed(shallow, "HEAD") == {"f": "verified", "gateway": "", "late": ""}
        assert shallow.notices == ["this clone is shallow: older history is missing; git fetch --unshallow"]
        with pytest.raises(GitmemError, match="cannot go back to HEAD~2") as untold:
            shallow.at("HEAD~2")
        with pytest.raises(NotFoundError, match="no such commit") as unknown:
            shallow.at("HEAD~5")

    assert (untold.value.exit_status, unknown.value.exit_status) == (3, 1)
    assert "--unshallow" in untold.value.hint
    assert "--unshallow" in unknown.value.hint


def test_verdicts_of_this_clone_count_as_known_at_the_commits_they_were_made_on(repo: Path) -> None:
    with Memory(repo, clock=Clock()) as memory:
        memory.init(offline=True)
        put(repo, says_good())
        git(repo, "switch", "-q", "-c", "topic")
        first = commit_files(repo, {"f.txt": "good"})
        memory.remember("Here", key="here")
        second = commit_files(repo, {"f.txt": "bad"})
        verify(memory)

        assert (listed(memory, first)["f"], listed(memory, second)["f"]) == ("unproven", "failed")
        with memory.at(first) as past:
            assert (
                past.show("f").document["now"]["because"]
                == f"first known at {second[:12]}, where it failed; unknown before"
            )


def test_memories_of_the_code_tree_are_those_of_that_commit(repo: Path) -> None:
    before = git(repo, "rev-parse", "HEAD")
    first = commit_files(repo, tracked(make_memory("a", "In the tree", "old words")))
    commit_files(repo, tracked(make_memory("a", "In the tree", "new words"), make_memory("b", "Later")))
    with Memory(repo, clock=Clock()) as memory:
        with memory.at(first) as past:
            found = past.show("a").document
        keys = (listed(memory, before), listed(memory, first), listed(memory, "HEAD"))

    assert (found["body"], [list(one) for one in keys]) == ("old words", [[], ["a"], ["a", "b"]])


def test_no_command_of_a_memory_runs(repo: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    put_files(repo, {"facts/f.md": memory_text("F", kind="fact", verify=f"touch {mark}")})
    with Memory(repo, clock=Clock()) as memory, memory.at(tip(repo)) as past:
        past.show("f")
        past.recall(Query("f"))

    assert not os.path.lexists(mark)
