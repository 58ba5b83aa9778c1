"""Readers and writers while a folder is split: every key is found in either layout, and none is lost."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import NOW, git, memory_text, put_files, tip

from gitmem.memory import Memory
from gitmem.recall.query import Query
from gitmem.store import layout

REF = "refs/heads/memory"
FULL = layout.SPLIT_ABOVE


def fill(repo: Path, count: int = FULL, *, folder: str = "learned", stem: str = "k") -> None:
    kind = {"learned": "learned", "gotchas": "gotcha", "archive/learned": "learned"}[folder]
    put_files(repo, {f"{folder}/{stem}{n}.md": memory_text(f"gateway {n}", kind=kind) for n in range(count)})


def paths(repo: Path, folder: str = "learned") -> list[str]:
    names = git(repo, "ls-tree", "-r", "-z", "--name-only", REF, f"{folder}/").split("\0")
    return [name for name in names if name]


def is_split(path: str) -> bool:
    place = layout.place_of(path)
    assert isinstance(place, layout.StorePath), place
    return place.split


def commits(repo: Path) -> int:
    return int(git(repo, "rev-list", "--count", REF))


def test_every_memory_is_found_before_and_after(repo: Path, memory: Memory) -> None:
    fill(repo)
    with Memory(repo, clock=lambda: float(NOW)) as earlier:
        assert len(earlier.list(Query(limit=999)).hits) == FULL

        memory.remember("new", key="new")

        for reader in (memory, earlier):
            assert len(reader.list(Query(limit=999)).hits) == FULL + 1
            assert "gateway 7" in reader.repository.text_of("k7")
            assert reader.repository.text_of("new")
    assert memory.repository.catalog().rows("SELECT * FROM problem") == []


def test_a_folder_split_by_hand_in_part_is_read_whole_and_stays_so(repo: Path, memory: Memory) -> None:
    fill(repo, 3)
    put_files(repo, {layout.memory_path("learned", "apart", split=True): memory_text("gateway apart")})

    change = memory.remember("new", key="new")

    assert is_split(change.path)
    assert {hit.key for hit in memory.list(Query(limit=99)).hits} == {"k0", "k1", "k2", "apart", "new"}


def test_a_folder_that_was_merged_far_past_the_limit_is_split_whole(repo: Path, memory: Memory) -> None:
    fill(repo, FULL + 200)

    memory.remember("new", key="new")

    assert len(paths(repo)) == FULL + 201
    assert all(map(is_split, paths(repo)))


def test_a_split_memory_is_forgotten_and_comes_back(repo: Path, memory: Memory) -> None:
    fill(repo)
    memory.remember("new", key="new")

    memory.forget("k5")
    gone = {hit.key for hit in memory.list(Query(limit=999)).hits}
    back = memory.remember("gateway, again", key="k5")

    assert "k5" not in gone
    assert is_split(back.path)
    assert paths(repo, "archive") == []


def test_the_history_of_a_memory_goes_on_through_a_split(repo: Path, memory: Memory) -> None:
    memory.remember("gateway first", key="k3")
    fill(repo)
    memory.remember("new", key="new")
    memory.edit("k3", lambda text: text + "more\n")

    subjects = [row.subject for row in memory.log("k3", limit=20)]

    assert subjects[0] == "learned: edit k3"
    assert subjects[-1] == "learned: add k3"


def test_a_lost_race_beside_a_split_loses_nothing(repo: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(repo)
    memory.repository.catalog()
    from gitmem.store import commit

    real, raced = commit._import, []

    def slower(*args: object, **kwargs: object) -> object:
        if not raced:
            raced.append(put_files(repo, {"learned/theirs.md": memory_text("theirs")}))
        return real(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(commit, "_import", slower)
    memory.remember("new", key="new")

    assert git(repo, "rev-parse", f"{REF}^") == raced[0]
    assert len(paths(repo)) == FULL + 2
    assert all(map(is_split, paths(repo)))
    assert tip(repo) == memory.repository.catalog().meta("commit")
