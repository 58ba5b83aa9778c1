"""One catalog: built whole or not at all, one writer at a time, and in memory where nothing can be written."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from support.each import each

from gitmem.errors import GitmemError
from gitmem.index import catalog as catalogs
from gitmem.index.catalog import FILE_NAME, Catalog, connect, discard_damaged, schema
from gitmem.store.local import is_busy, is_unwritable

ANALYSIS = "an analysis"


def fill(catalog: Catalog) -> None:
    catalog.set_meta("analysis", ANALYSIS)
    catalog.set_meta("commit", "a commit")


@pytest.fixture
def catalog(tmp_path: Path):
    """Return a catalog on disk with nothing in it."""
    made = schema.build(tmp_path, fill)
    yield made
    made.close()


def reopened(folder: Path, analysis: str = ANALYSIS) -> Catalog | None:
    return Catalog.open(folder, analysis=analysis)


def test_a_catalog_that_was_built_can_be_opened(catalog: Catalog, tmp_path: Path) -> None:
    again = reopened(tmp_path)

    assert again is not None
    assert again.meta("commit") == "a commit"
    assert again.meta("none") == ""
    again.close()


def test_where_there_is_none_none_is_opened(tmp_path: Path) -> None:
    assert reopened(tmp_path / "nothing") is None
    assert not (tmp_path / "nothing").exists()


def test_one_of_another_analysis_is_not_opened(catalog: Catalog, tmp_path: Path) -> None:
    assert reopened(tmp_path, analysis="another") is None


def test_one_of_another_format_is_not_opened(catalog: Catalog, tmp_path: Path) -> None:
    catalog.set_meta("format", "0")

    assert reopened(tmp_path) is None


@pytest.mark.parametrize("content", [b"", b"junk" * 2000])
def test_a_damaged_one_is_not_opened(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE_NAME).write_bytes(content)

    assert reopened(tmp_path) is None


def test_a_build_that_fails_leaves_the_former_catalog(catalog: Catalog, tmp_path: Path) -> None:
    def fail(_: Catalog) -> None:
        raise KeyError("a bug")

    with pytest.raises(KeyError):
        schema.build(tmp_path, fail)

    again = reopened(tmp_path)
    assert again is not None
    again.close()
    schema.build(tmp_path, fill).close()


def test_whoever_has_the_former_catalog_open_goes_on_reading_it(catalog: Catalog, tmp_path: Path) -> None:
    other = schema.build(tmp_path, lambda c: c.set_meta("commit", "another"))

    assert catalog.meta("commit") == "a commit"
    assert other.meta("commit") == "another"
    other.close()


def test_a_state_folder_is_no_one_elses_to_read(tmp_path: Path) -> None:
    schema.build(tmp_path / "state", fill).close()

    assert (tmp_path / "state").stat().st_mode & 0o777 == 0o700


def test_where_nothing_can_be_written_it_is_made_in_memory(tmp_path: Path) -> None:
    (tmp_path / "state").touch()

    made = schema.build(tmp_path / "state", fill)

    assert made.path is None
    assert made.meta("commit") == "a commit"
    made.close()


def test_where_no_file_may_grow_it_is_made_in_memory(tmp_path: Path) -> None:
    script = (
        "import resource, sys; from gitmem.index.catalog import schema\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "print(schema.build(sys.argv[1], lambda c: c.set_meta('a', 'b')).path)"
    )

    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, check=False)

    assert done.stdout == "None\n", done.stderr
    assert not (tmp_path / f"{FILE_NAME}.new").exists()


# Transactions


def test_changes_are_kept_together(catalog: Catalog) -> None:
    with pytest.raises(ZeroDivisionError), catalog.writing():
        catalog.set_meta("commit", "lost")
        _ = 1 // 0

    assert catalog.meta("commit") == "a commit"
    with catalog.writing():
        catalog.set_meta("commit", "kept")
    assert catalog.meta("commit") == "kept"


def test_a_transaction_inside_another_is_part_of_it(catalog: Catalog, tmp_path: Path) -> None:
    other = reopened(tmp_path)
    assert other is not None

    with catalog.writing():
        with catalog.writing():
            catalog.set_meta("commit", "new")
        seen = other.meta("commit")

    assert (seen, other.meta("commit")) == ("a commit", "new")
    other.close()


def test_only_one_process_writes_at_a_time(catalog: Catalog, tmp_path: Path) -> None:
    other = reopened(tmp_path)
    assert other is not None
    other.connection.execute("PRAGMA busy_timeout = 10")

    with catalog.writing(), pytest.raises(sqlite3.OperationalError) as caught, other.writing():
        pass

    assert is_busy(caught.value)
    assert not is_unwritable(caught.value)
    other.close()


def test_in_one_reading_every_question_has_one_state(catalog: Catalog, tmp_path: Path) -> None:
    other = reopened(tmp_path)
    assert other is not None

    with other.reading():
        before = other.meta("commit")
        catalog.set_meta("commit", "new")
        after = other.meta("commit")

    assert (before, after, other.meta("commit")) == ("a commit", "a commit", "new")
    other.close()


# Questions


def test_a_list_of_any_length_can_be_asked_for(catalog: Catalog) -> None:
    wanted = list(range(2500))

    found = [row[0] for row in catalog.each("SELECT value FROM json_each('[1, 2400]') WHERE value IN ({})", wanted)]

    assert found == [1, 2400]
    assert list(catalog.each("SELECT 1 WHERE 1 IN ({})", [])) == []


def test_a_question_without_an_answer_is_none(catalog: Catalog) -> None:
    assert catalog.row("SELECT * FROM memory") is None
    assert catalog.rows("SELECT * FROM memory") == []


def test_one_becomes_another(catalog: Catalog) -> None:
    other = schema.in_memory(lambda c: c.set_meta("commit", "another"))

    catalog.become(other)

    assert (catalog.meta("commit"), catalog.path) == ("another", None)


# Errors


@each(
    ("text", "busy", "unwritable"),
    [
        ("database is locked", True, False),
        ("database table is locked", True, False),
        ("database or disk is full", False, True),
        ("attempt to write a readonly database", False, True),
        ("disk I/O error", False, True),
        ("unable to open database file", False, True),
        ("no such table: memory", False, False),
        ("database disk image is malformed", False, False),
    ],
)
def test_an_error_says_whether_to_wait_or_to_do_without(text: str, busy: bool, unwritable: bool) -> None:
    err = sqlite3.OperationalError(text)

    assert (is_busy(err), is_unwritable(err)) == (busy, unwritable)


def test_a_damaged_catalog_is_thrown_away_and_said_so(catalog: Catalog, tmp_path: Path) -> None:
    with pytest.raises(
        GitmemError, match="the index was damaged and has been deleted; no memories are lost,"
    ) as caught:
        discard_damaged(sqlite3.DatabaseError("database disk image is malformed"), tmp_path)

    assert caught.value.exit_status == 3
    assert not (tmp_path / FILE_NAME).exists()


@pytest.mark.parametrize(
    "err",
    [None, sqlite3.OperationalError("database is locked"), sqlite3.OperationalError("disk I/O error"), KeyError()],
)
def test_for_any_other_error_it_is_kept(catalog: Catalog, tmp_path: Path, err: BaseException | None) -> None:
    discard_damaged(err, tmp_path)

    assert (tmp_path / FILE_NAME).exists()


def test_what_is_kept_lasts_until_anybody_changes_the_catalog(catalog: Catalog, tmp_path: Path) -> None:
    first, second = catalog.query_cache(), catalog.query_cache()
    assert first is None
    assert second == {}
    second["term"] = 1
    assert catalog.query_cache() is second

    catalog.set_meta("a", "1")
    mine = catalog.query_cache()
    mine["term"] = 1
    other = Catalog(str(tmp_path), connect(catalog.path))
    with other.writing():
        other.set_meta("a", "2")
    theirs = catalog.query_cache()
    theirs["term"] = 1
    catalog.become(other)

    assert (mine, theirs, catalog.query_cache()) == ({"term": 1}, {"term": 1}, {})
    assert theirs is not mine


def test_what_is_kept_is_of_the_state_that_is_read(catalog: Catalog) -> None:
    catalog.query_cache()
    other = Catalog(catalog.path, connect(catalog.path))

    with catalog.reading():
        kept = catalog.query_cache()
        with other.writing():
            other.set_meta("a", "2")
        assert catalog.query_cache() is kept
    assert catalog.query_cache() is not kept
    other.close()


def test_catalog_that_is_replaced_while_it_is_opened_is_opened_again(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    schema.build(other, lambda made: made.set_meta("commit", "a later commit")).close()
    catalog.close()
    register = catalogs.register

    def replacing(connection: sqlite3.Connection) -> None:
        register(connection)
        if (other / FILE_NAME).exists():  # as another process does, once this one has the old file open
            (other / FILE_NAME).replace(tmp_path / FILE_NAME)

    monkeypatch.setattr(catalogs, "register", replacing)

    opened = Catalog(str(tmp_path / FILE_NAME), connect(str(tmp_path / FILE_NAME)))

    assert opened.meta("commit") == "a later commit"
    opened.close()


def test_missing_catalog_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError, match="unable to open"):
        connect(str(tmp_path / FILE_NAME))

    assert not (tmp_path / FILE_NAME).exists()


@each("name", ["a?mode=memory", "100%20", "a#b", "größe", "odd\udcff"])
def test_folder_of_any_name_can_have_a_catalog(tmp_path: Path, name: str) -> None:
    schema.build(tmp_path / name, fill).close()

    again = reopened(tmp_path / name)

    assert again is not None
    again.close()
