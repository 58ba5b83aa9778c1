"""A write reports that old memories moved to the archive, alone or in a queue."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import commit_all, commit_files, put_files

from gitmem.memory import Memory


@pytest.mark.parametrize("is_queued", [False, True], ids=["one by one", "queued"])
def test_rotation_is_reported(memory: Memory, repo: Path, is_queued: bool) -> None:
    put_files(repo, {"gitmem.toml": "[rotation]\nlimit = 3\nmove = 1\n"})

    with memory.bulk.batch() as batch:
        for number in range(5):
            (batch if is_queued else memory).remember(f"Gateway number {number}", key=f"k{number}")

    lines = [notice.split(" ", 1)[0] for notice in memory.notices]
    assert lines == (["2"] if is_queued else ["3", "1", "1"])
    assert "gitmem restore KEY" in memory.notices[-1]


def test_rotation_is_announced_before_it_happens(memory: Memory, repo: Path) -> None:
    put_files(repo, {"gitmem.toml": "[rotation]\nlimit = 2\nmove = 1\n"})

    memory.remember("One thing", key="a")
    memory.remember("Another matter", key="b")

    assert memory.notices == [
        "2 live memories of kind learned; the limit is 2: the write that exceeds it moves the 1 oldest to the archive, "
        "where recall --all finds them; to keep all: gitmem policy set rotation.limit 0"
    ]


@pytest.mark.parametrize("write", ["remember", "fact"])
def test_a_path_that_never_existed_is_named(memory: Memory, repo: Path, write: str) -> None:
    commit_files(repo, {"src/pool.py": "a\n", "src/gone.py": "b\n"})
    (repo / "src/gone.py").unlink()
    commit_all(repo)
    (repo / "new.py").write_text("not committed\n")

    paths = ["src/pol.py", "src/pool.py", "src/gone.py", "src", "src/", "new.py", "lib/**", "app/[id]/*.ts"]
    if write == "fact":
        memory.fact("The pool is there", verify={"exists": "src/pool.py"}, paths=paths)
    else:
        memory.remember("Close the pool before a fork", paths=paths)

    assert memory.notices == [
        "src/pol.py does not exist, and no commit of HEAD had it; did you mean src/pool.py?",
    ]
