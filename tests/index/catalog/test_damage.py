"""Whatever happens to the files that gitmem derives, every command answers as before, or after one rebuild."""

from __future__ import annotations

import contextlib
import random
import re
import sqlite3
from pathlib import Path

import pytest
from conftest import commit_files

from gitmem.index.catalog import FILE_NAME
from gitmem.memory import Memory

pytestmark = pytest.mark.whole_system

READS = (("list",), ("recall", "apples"), ("show", "rs"), ("status",), ("context",), ("doctor",))
COMMANDS = (*READS, ("doctor", "--fix"), ("verify",))
FLIPS = 15


@pytest.fixture
def derived(repo: Path, run_cli) -> Path:  # type: ignore[no-untyped-def]
    """Return the state folder of a repository in which most of gitmem was used once."""
    commit_files(repo, {"jwt.py": "ALGORITHM = 'RS256'\n"})
    with Memory(repo) as memory:
        for number in range(5):
            memory.remember(f"Number {number} is about apples", key=f"apple-{number}", tags=("fruit",))
    for words in (
        ("fact", "Tokens are RS256", "--key", "rs", "--contains", "RS256", "--in", "jwt.py"),
        ("verify",),
        ("view",),
        ("list", "--at", "HEAD"),
        ("doctor",),
    ):
        assert run_cli(*words).status == 0, words
    return repo / ".git" / "gitmem"


def answers(run_cli, words: tuple[str, ...]) -> tuple[int, str]:  # type: ignore[no-untyped-def]
    done = run_cli(*words)
    assert "bug" not in done.err
    return done.status, re.sub(r"\d+ ?(s|ms|seconds?)\b( ago)?", "T", done.out)


def put(file: Path, content: bytes) -> None:
    for suffix in ("-wal", "-shm"):
        Path(f"{file}{suffix}").unlink(missing_ok=True)
    file.write_bytes(content)


def is_noticed(file: Path) -> bool:
    """Return whether SQLite can see that a file is damaged."""
    try:
        with contextlib.closing(sqlite3.connect(f"file:{file}?mode=ro&immutable=1", uri=True)) as db:
            return db.execute("PRAGMA integrity_check").fetchall() != [("ok",)]
    except (sqlite3.Error, UnicodeDecodeError):
        return True


def test_one_changed_byte_anywhere_in_the_index_never_stops_a_command(run_cli, repo: Path, derived: Path) -> None:  # type: ignore[no-untyped-def]
    file = derived / FILE_NAME
    whole = file.read_bytes()
    used = [place for place, byte in enumerate(whole) if byte]
    chance = random.Random(10)
    good = {words: answers(run_cli, words) for words in (*COMMANDS, ("list",))}
    noticed = 0

    for turn, place in enumerate([*range(0, 100, 4), *chance.sample(used, FLIPS)]):  # its head, and all over it
        damaged = bytearray(whole)
        damaged[place] ^= chance.choice((0xFF, 1 << chance.randrange(8)))
        put(file, bytes(damaged))
        is_seen = is_noticed(file)
        words = COMMANDS[turn % len(COMMANDS)]
        # A changed letter is another text to SQLite: status 1 is a memory that is not found by it.
        assert answers(run_cli, words)[0] in (0, 1), (place, words)
        if is_seen:
            noticed += 1
            assert answers(run_cli, ("doctor",)) == good["doctor",], (place, words)
            assert answers(run_cli, ("list",)) == good["list",], (place, words)
    assert noticed > 10
    put(file, whole[:5000] + b"\xff" + whole[5001:])
    assert answers(run_cli, ("remember", "Pears grow", "--key", "pears"))[0] == 0
    assert answers(run_cli, ("show", "pears"))[0] == 0


def cut(file: Path) -> None:
    put(file, file.read_bytes()[: file.stat().st_size // 2])


def cleared(file: Path) -> None:
    put(file, b"\0" * file.stat().st_size)


def emptied(file: Path) -> None:
    put(file, b"")


def garbage(file: Path) -> None:
    put(file, random.Random(0).randbytes(9000))


def folder(file: Path) -> None:
    file.unlink()
    (file / "inside").mkdir(parents=True)


# Made from the branch alone: every answer is the same. The others hold what only this clone knows, which is lost.
DERIVED = ("catalog.sqlite", "proofs", "home", "at")
LOCAL = ("local.sqlite", "view.json", "clone-id", "verify-job.json")


@pytest.mark.parametrize("names", [DERIVED[:2], DERIVED[2:], LOCAL], ids="-".join)
def test_file_that_is_damaged_as_a_whole_costs_no_answer(run_cli, derived: Path, names: tuple[str, ...]) -> None:  # type: ignore[no-untyped-def]
    damages = (cut, cleared, garbage, emptied, folder)
    for at, name in enumerate(names):
        file = next((derived / "at").rglob(FILE_NAME)) if name == "at" else derived / name
        assert file.exists(), name
        for number, damage in enumerate(damages):
            # Every answer comes after some damage of every file, and after every damage of some file.
            turn = READS[(at + number) % len(damages) :: len(damages)]
            reads = (("list",), *((("recall", "apples"),) if names == LOCAL else turn))
            good = {words: answers(run_cli, words) for words in reads}
            if file.exists():  # not all are made again unasked
                damage(file)

            assert {words: answers(run_cli, words) for words in reads} == good, (name, damage)
            # Every command comes after some damage of every file, and every damage before a write.
            some = (*COMMANDS, ("list", "--at", "HEAD"))[number :: len(damages)]
            key = f"pear-{name.partition('.')[0]}-{number}"
            for words in (*some, ("remember", f"Pear {number} of {name}", "--key", key)):
                assert answers(run_cli, words)[0] == 0, (name, damage, words)
            assert key in answers(run_cli, ("list",))[1]
