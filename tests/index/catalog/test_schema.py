"""The catalog's file: opened where it can be, refused where it is none, and thrown away whole."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from support.each import each

from gitmem.index.catalog import FILE_NAME, connect, discard_file, schema


@pytest.fixture
def made(tmp_path: Path) -> str:
    """Return the path of an empty catalog."""
    path = str(tmp_path / FILE_NAME)
    schema.settle(schema.create(path))
    return path


def tables(db: sqlite3.Connection) -> set[str]:
    return {row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def test_a_settled_catalog_can_be_read_while_it_is_written(made: str) -> None:
    writer, reader = connect(made), connect(made)
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("INSERT INTO meta VALUES ('a', 'b')")

    before = reader.execute("SELECT * FROM meta").fetchall()
    writer.execute("COMMIT")

    assert before == []
    assert reader.execute("SELECT * FROM meta").fetchall() == [("a", "b")]
    writer.close()
    reader.close()


def test_a_catalog_in_memory_has_the_tables_of_one_on_disk(made: str) -> None:
    disk, memory = connect(made), schema.create(None)

    assert tables(memory) == tables(disk) != set()
    disk.close()
    memory.close()


@pytest.mark.parametrize("content", [b"", b"junk" * 2000, b"SQLite format 3\0" + b"\0" * 84])
def test_what_is_no_catalog_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / FILE_NAME
    path.write_bytes(content)

    with pytest.raises(sqlite3.DatabaseError):
        connect(str(path))


@each("name", ["a b", "100%41", "what?#x", "ünï", "new\nline", "caf\udce9", "file:x?mode=ro"])
def test_its_folder_may_have_any_name(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    path = str(tmp_path / name / FILE_NAME)
    schema.settle(schema.create(path))

    connection = connect(path)

    assert "memory" in tables(connection)
    connection.close()


def test_it_is_discarded_with_its_log(made: str) -> None:
    connection = connect(made)
    connection.execute("INSERT INTO meta VALUES ('a', 'b')")
    assert Path(f"{made}-wal").exists()

    discard_file(made)

    assert list(Path(made).parent.iterdir()) == []
    connection.close()
    discard_file(made)


def test_an_empty_folder_in_its_place_is_discarded_and_a_full_one_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").touch()

    discard_file(str(tmp_path / "empty"))
    with pytest.raises(OSError, match="full"):
        discard_file(str(tmp_path / "full"))

    assert [path.name for path in tmp_path.iterdir()] == ["full"]
    assert (tmp_path / "full/file").exists()
