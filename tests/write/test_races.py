"""Two writers at once: each plan is made on the tip it lands on, so nothing is overwritten unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip

from gitmem.memory import Memory
from gitmem.model import HOLDS
from gitmem.recall.query import Query
from gitmem.store import commit
from gitmem.verify.options import Options

REF = "refs/heads/memory"


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Return a function that has something done once, between the plan of the next write and its compare-and-swap."""

    def arrange(act: Callable[[], object]) -> None:
        real, done = commit._import, []

        def slower(*args: object, **kwargs: object) -> object:
            if not done:
                done.append(True)
                act()
            return real(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(commit, "_import", slower)

    return arrange


def push(repo: Path, text: str, path: str = "learned/a.md") -> Callable[[], object]:
    return lambda: put_files(repo, {path: text})


def test_forgetting_keeps_what_someone_wrote_meanwhile(repo: Path, memory: Memory, meanwhile) -> None:  # type: ignore[no-untyped-def]
    memory.remember("text", key="a")
    newer = memory.repository.text_of("a") + "\nby somebody else\n"
    meanwhile(push(repo, newer))

    memory.forget("a")

    assert "by somebody else" in memory.repository.text_of("a")
    assert "retired" in memory.repository.text_of("a")


def test_of_two_memories_with_one_explicit_key_the_latest_wins_with_history(
    repo: Path, memory: Memory, meanwhile: Callable[[Callable[[], object]], None]
) -> None:
    meanwhile(push(repo, memory_text("theirs")))

    change = memory.remember("ours", key="a")

    assert not change.is_new
    assert "title: ours" in memory.repository.text_of("a")
    assert git(repo, "log", "--format=%s", REF, "--", "learned/a.md").splitlines() == ["learned: update a", "pushed"]


def test_a_key_that_is_taken_meanwhile_by_another_text_gets_a_hash(repo: Path, memory: Memory, meanwhile) -> None:  # type: ignore[no-untyped-def]
    text = "The gateway retries three times before it gives up, and then it says so"
    key = "the-gateway-retries-three-times-before"
    meanwhile(push(repo, memory_text("Something else altogether"), f"learned/{key}.md"))

    change = memory.remember(text)

    assert change.key.startswith("the-gateway-retries-three-times-")
    assert change.key != key
    assert "Something else" in memory.repository.text_of(key)


def test_superseding_is_checked_against_the_current_tip(repo: Path, memory: Memory, meanwhile) -> None:  # type: ignore[no-untyped-def]
    memory.remember("old", key="old")
    newer = memory.repository.text_of("old") + "\nby somebody else\n"
    meanwhile(push(repo, newer, "learned/old.md"))

    memory.remember("new", key="new", supersedes=["old"])

    assert "by somebody else" in memory.repository.text_of("old")
    assert "superseded_by: new" in memory.repository.text_of("old")


def test_verdicts_land_beside_what_is_written_while_facts_are_judged(repo: Path, memory: Memory) -> None:
    for name in ("README.md", "pyproject.toml"):
        memory.remember(
            f"There is {name}", key=name.lower().replace(".", "-"), kind="fact", more={"verify": {"exists": name}}
        )
    written = []

    def messages(*_: object) -> None:
        with Memory(repo, clock=lambda: float(NOW)) as other:
            written.append(other.remember(f"meanwhile {len(written)}", key=f"meanwhile-{len(written)}").key)

    run = memory.verify(options=Options(), report=messages)

    assert run.recorded is not None
    assert [result.verdict.outcome for result in run.results] == [HOLDS, HOLDS]
    assert len([p for p in git(repo, "ls-tree", "-r", "--name-only", REF).split() if p.startswith("verdicts/")]) == 2
    assert {hit.key for hit in memory.list(Query()).hits} >= set(written)
    assert run.standing.statuses["verified"] == 2


def test_a_reader_that_was_opened_earlier_sees_every_write(repo: Path, memory: Memory) -> None:
    with Memory(repo, clock=lambda: float(NOW)) as reader:
        for number in range(4):
            memory.remember(f"gateway {number}", key=f"k{number}")

            assert len(reader.recall(Query("gateway")).hits) == number + 1


def test_a_reader_goes_on_after_the_branch_could_not_be_read(repo: Path, memory: Memory) -> None:
    memory.remember("gateway", key="a")
    good = tip(repo)
    with Memory(repo) as reader:
        assert len(reader.recall(Query("gateway")).hits) == 1
        tree = git(repo, "hash-object", "--literally", "-w", "-t", "tree", "--stdin", input=b"junk")
        made = git(repo, "commit-tree", "-m", "m", "-p", good, tree)
        git(repo, "update-ref", REF, made)
        assert len(reader.recall(Query("gateway")).hits) == 1, "the last good tree is shown"

        git(repo, "update-ref", REF, good)

        assert len(reader.recall(Query("gateway")).hits) == 1
