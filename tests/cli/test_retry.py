"""A command that meets a damaged index runs once more, unless that would do something twice."""

from __future__ import annotations

import io
import sqlite3
from pathlib import Path

import pytest
from conftest import tip

from gitmem.cli import status
from gitmem.cli.retry import plain
from gitmem.errors import DamagedIndexError, GitmemError
from gitmem.index.catalog import Catalog
from gitmem.memory import Memory

DISK_FULL, LOCKED = sqlite3.OperationalError("database or disk is full"), sqlite3.OperationalError("database is locked")
DISK_FULL.sqlite_errorcode, LOCKED.sqlite_errorcode = sqlite3.SQLITE_FULL, sqlite3.SQLITE_BUSY
DISK_FULL.sqlite_errorname, LOCKED.sqlite_errorname = "SQLITE_FULL", "SQLITE_BUSY"


@pytest.fixture
def catalog_file(memory: Memory, repo: Path) -> Path:
    """Return the catalog of a repository with one memory."""
    memory.remember("Deploys need VPN", key="vpn")
    memory.close()
    return repo / ".git/gitmem/catalog.sqlite"


@pytest.mark.parametrize(
    ("err", "calls", "exit_status"),
    [
        (sqlite3.DatabaseError("malformed"), 2, 70),
        (sqlite3.IntegrityError("NOT NULL"), 2, 70),
        (DamagedIndexError("thrown away"), 2, 3),
        (KeyError("a kind that cannot be"), 2, 70),
        (GitmemError("no"), 1, 3),
        (DISK_FULL, 1, 3),
        (LOCKED, 1, 3),
        (PermissionError(13, "Permission denied"), 1, 3),
    ],
)
def test_only_possible_damage_is_retried_and_only_once(
    run_cli, catalog_file: Path, monkeypatch: pytest.MonkeyPatch, err: Exception, calls: int, exit_status: int
) -> None:
    ran = []

    def broken(*_: object) -> int:
        ran.append(catalog_file.exists())
        raise err

    monkeypatch.setattr(status, "run", broken)

    assert run_cli("-C", ".", "status").status == exit_status
    assert ran == [True, False][:calls]


def write(_: object, __: object) -> None:
    with Memory() as memory:
        memory.remember("Tests need a database", key="database")


@pytest.mark.parametrize(
    ("command", "does", "hint"),
    [
        (("remember", "Printed"), lambda _, out: out.line("printed"), "run the command again"),
        (("remember", "Written"), write, "gitmem list"),
        (("remember", "-"), lambda _, __: None, "run the command again"),
        (("fact", "Said", "--body=-", "--exists", "src"), lambda _, __: None, "run the command again"),
        (("session", "note", "Appended"), lambda _, __: None, "run the command again"),
    ],
)
def test_command_that_printed_wrote_or_read_input_is_not_repeated(
    run_cli, catalog_file: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...], does, hint: str
) -> None:
    ran = []

    def broken(*given: object) -> int:
        ran.append(1)
        does(*given)
        raise DamagedIndexError("the index was damaged", hint="run the command again")

    monkeypatch.setattr(f"gitmem.cli.{'.'.join(command[:2] if command[0] == 'session' else command[:1])}.run", broken)

    done = run_cli(*command)

    assert (done.status, len(ran)) == (3, 1), done.err
    assert hint in done.err
    assert not catalog_file.exists()


def test_memory_from_standard_input_is_not_lost_to_an_empty_second_reading(
    run_cli, repo: Path, catalog_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tip(repo)
    monkeypatch.setattr(Catalog, "meta", lambda *_: 1 / 0)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Tests need a database")))

    assert run_cli("remember", "-").status == 70
    assert tip(repo) == before


def test_deleted_plugin_is_named() -> None:
    with pytest.raises(ModuleNotFoundError) as missing:
        __import__("gitmem.plugins.nothing_here")

    assert str(plain(missing.value)) == "this gitmem was installed without its plug-in nothing_here"
    other = ModuleNotFoundError("No module named 'nothing'", name="nothing")
    assert plain(other) is other
