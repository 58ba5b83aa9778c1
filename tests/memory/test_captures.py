"""Readers of waiting captures share one index on disk, which never hides a capture."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import NOW, commit_files, put_files
from e2e.test_state_damage import HELD, SHAPES, damage
from support.branch import keys_found

from gitmem.index.catalog import FILE_NAME, OVERLAY_FOLDER
from gitmem.memory import Memory
from gitmem.store.state.spool import Spool

TEXT = "The gateway drops idle connections"
BUILDER = "gitmem.commands.capture.drain"
LOOK = f"import sys; from gitmem.cli import main; main(sys.argv[1:]); print({BUILDER!r} in sys.modules)"


def shared(repo: Path) -> Path:
    """Return the file of the index."""
    return repo / ".git/gitmem" / OVERLAY_FOLDER / FILE_NAME


def answers(repo: Path) -> str:
    """Return what a reader that has just opened the repository prints."""
    with Memory(repo, clock=lambda: float(NOW)) as reader:
        shown = reader.show("gateway")
        hits = [(hit.key, hit.status, hit.kind, hit.title) for hit in reader.list().hits]
        found = [(hit.key, hit.status) for hit in reader.recall("gateway connections").hits]
        return json.dumps([shown.document, shown.status, hits, found], default=str)


def is_built(repo: Path) -> bool:
    """Return whether a command that reads made the index again, or anything else of what it needs."""
    argv = [sys.executable, "-c", LOOK, "recall", "gateway"]
    done = subprocess.run(argv, cwd=repo, capture_output=True, text=True, check=True)
    assert "gateway" in done.stdout
    return done.stdout.endswith("True\n")


def test_second_reader_reads_what_the_first_one_made_and_says_the_same(memory: Memory, repo: Path) -> None:
    memory.fact("There is a README", exists="README.md", key="readme")
    memory.capture(TEXT, key="gateway")

    first, second = answers(repo), answers(repo)

    assert first == second
    assert "verified" in first
    assert not is_built(repo)


@pytest.mark.parametrize(
    "change",
    [
        lambda memory, repo: memory.capture("The gateway is slow on Mondays"),
        lambda memory, repo: put_files(repo, {"gitmem.toml": "[rotation]\nlimit = 7\n"}),
        lambda memory, repo: Spool(repo / ".git/gitmem").append({"text": "unreadable", "options": [1]}),
    ],
)
def test_new_capture_or_commit_makes_it_again(memory: Memory, repo: Path, change) -> None:  # type: ignore[no-untyped-def]
    memory.capture(TEXT, key="gateway")
    answers(repo)

    change(memory, repo)

    assert is_built(repo)


def test_capture_that_could_not_be_read_is_shown_as_soon_as_it_can_be(memory: Memory, repo: Path) -> None:
    memory.capture(TEXT, key="gateway")
    name = Spool(repo / ".git/gitmem").append({"text": "Pelicans dive"})
    place = repo / ".git/gitmem/spool/waiting" / name
    content = place.read_bytes()
    place.unlink()
    place.mkdir()
    answers(repo)

    place.rmdir()
    place.write_bytes(content)

    with Memory(repo) as reader:
        assert keys_found(reader, "pelicans") == ["pelicans-dive"]


@pytest.mark.parametrize("shape", SHAPES)
def test_damage_of_it_hides_nothing(memory: Memory, repo: Path, run_cli, shape: str) -> None:  # type: ignore[no-untyped-def]
    memory.capture(TEXT, key="gateway")
    answers(repo)
    HELD.clear()
    damage(shared(repo), shape)

    done = [run_cli("recall", "gateway"), run_cli("list"), run_cli("show", "gateway")]

    assert [one.status for one in done] == [0, 0, 0], done
    assert all("gateway" in one.out for one in done)


def test_statuses_follow_the_code_while_captures_wait(memory: Memory, repo: Path) -> None:
    memory.fact("There is a README", exists="README.md", key="readme")
    memory.capture(TEXT, key="gateway")
    answers(repo)

    commit_files(repo, {"other.py": "x = 1\n"})
    (repo / "README.md").unlink()
    commit_files(repo, {"third.py": "x = 1\n"})

    with Memory(repo) as reader:
        statuses = {hit.key: hit.status for hit in reader.list().hits}
    with Memory(repo) as reader:
        reader.captures.drain()
        assert {hit.key: hit.status for hit in reader.list().hits} == statuses


def test_nothing_of_it_is_left_when_the_captures_are_committed(memory: Memory, repo: Path) -> None:
    memory.capture(TEXT, key="gateway")
    answers(repo)
    assert shared(repo).exists()

    memory.captures.drain()

    assert list(shared(repo).parent.glob(f"{FILE_NAME}*")) == []
