"""Whose vectors lie where: added, found, forgotten; damage, hostile files, killed writers and full disks."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support.unit_rows import MODEL, close_stored_rows, reopened, stored_rows, unit_rows

from gitmem.errors import BusyError
from gitmem.index.vectors import sqlite_vec
from gitmem.index.vectors.folders import FOLDER, VectorsLock, folder_of, list_others
from gitmem.index.vectors.rows import DamagedError
from gitmem.index.vectors.store import INDEX, Vectors

if TYPE_CHECKING:
    from collections.abc import Iterator

WIDTH = 8


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    close_stored_rows()


def index_of(folder: Path) -> Path:
    return Path(folder_of(folder, MODEL), INDEX)


def test_memory_is_found_by_its_best_piece_and_once(tmp_path: Path) -> None:
    rows = unit_rows(30, WIDTH)
    stored_rows(tmp_path, rows, pieces=3).close()
    query = rows[7]  # the second piece of the third memory
    vectors = reopened(tmp_path)

    with vectors.reading():
        found, nearest = vectors.nearest(query, 30)
        some = vectors.cosines(query, ["oid-2", "oid-5", "nobody"])
        best = vectors.best_rows(query, ["oid-2", "nobody"])

    cosines = (rows @ query).reshape(10, 3).max(axis=1)
    assert list(found) == [f"oid-{n}" for n in np.argsort(-cosines)]
    assert found == pytest.approx({f"oid-{n}": float(cosines[n]) for n in range(10)}, abs=1e-6)
    assert some == pytest.approx({"oid-2": 1.0, "oid-5": float(cosines[5])}, abs=1e-6)
    assert len(nearest.rows) == 30
    assert list(best) == ["oid-2"]
    assert np.array_equal(best["oid-2"], rows[7])


def test_two_memories_that_say_the_same_share_one_text(tmp_path: Path) -> None:
    rows = unit_rows(1, WIDTH)
    vectors = stored_rows(tmp_path, rows)
    with VectorsLock(tmp_path), vectors.writing():
        vectors.add([], [("another", b"text-0")])

    with vectors.reading():
        assert set(vectors.nearest(rows[0], 5)[0]) == {"oid-0", "another"}
        assert vectors.sizes().rows == 1


def test_text_without_pieces_is_known_and_found_by_nothing(tmp_path: Path) -> None:
    rows = unit_rows(2, WIDTH)
    vectors = stored_rows(tmp_path, rows[:1])
    with VectorsLock(tmp_path), vectors.writing():
        vectors.add([(b"empty", rows[:0])], [("blank", b"empty")])
    stored_rows(tmp_path, rows[1:], first=1)

    with vectors.reading():
        assert "blank" in vectors.list_embedded()
        assert set(vectors.nearest(rows[0], 9)[0]) == {"oid-0", "oid-1"}
        assert vectors.cosines(rows[0], ["blank"]) == {}


def test_a_reader_sees_what_another_process_adds_with_its_next_question(tmp_path: Path) -> None:
    rows = unit_rows(4, WIDTH)
    stored_rows(tmp_path, rows[:2]).close()
    vectors = reopened(tmp_path)

    with vectors.reading():
        before = len(vectors.nearest(rows[0], 9)[0])
    stored_rows(tmp_path, rows[2:], first=2).close()
    with vectors.reading():
        assert (before, len(vectors.nearest(rows[0], 9)[0])) == (2, 4)


@pytest.mark.parametrize("to", ["numpy", "sqlite-vec"])
def test_what_is_forgotten_is_gone_and_the_rest_is_found_as_before(tmp_path: Path, to: str) -> None:
    if to == "sqlite-vec" and sqlite_vec.can_load():
        pytest.skip(sqlite_vec.can_load())
    rows = unit_rows(40, WIDTH)
    vectors = stored_rows(tmp_path, rows, pieces=2)
    stays = {f"oid-{n}" for n in range(0, 20, 3)}
    query = unit_rows(1, WIDTH, seed=9)[0]
    with vectors.reading():
        before = vectors.cosines(query, stays)

    with VectorsLock(tmp_path):
        with vectors.writing():
            gone = vectors.forget_others(stays)
        vectors.compact(to)
    vectors.close()
    vectors = reopened(tmp_path)

    with vectors.reading():
        assert (gone, vectors.shape.kept) == (20 - len(stays), to)
        assert vectors.nearest(query, 40)[0] == pytest.approx(before, abs=1e-5)
        assert (vectors.sizes().rows, vectors.sizes().dead) == (2 * len(stays), 0)
    assert {path.name for path in Path(vectors.folder).iterdir()} <= {INDEX, "rows-1.f32"}


def test_vectors_of_another_length_are_refused_and_change_nothing(tmp_path: Path) -> None:
    vectors = stored_rows(tmp_path, unit_rows(2, WIDTH))

    with VectorsLock(tmp_path), pytest.raises(DamagedError, match="8 dimensions, the new ones 5"), vectors.writing():
        vectors.add([(b"x", unit_rows(1, 5))], [("x", b"x")])
    with vectors.reading():
        assert vectors.list_embedded() == {"oid-0", "oid-1"}
    with vectors.reading(), pytest.raises(DamagedError, match="the query"):
        vectors.nearest(unit_rows(1, 5)[0], 3)


def spoiled(folder: Path, sql: str) -> None:
    with closing(sqlite3.connect(index_of(folder))) as connection, connection:
        connection.execute(sql)
    connection.close()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda f: index_of(f).write_bytes(b"no database at all, but as long as one might be" * 100),
        lambda f: index_of(f).write_bytes(b""),
        lambda f: os.truncate(Path(index_of(f).parent, "rows-0.f32"), 31),
        lambda f: Path(index_of(f).parent, "rows-0.f32").unlink(),
        lambda f: spoiled(f, "UPDATE meta SET value = '1.0' WHERE name = 'format'"),
        lambda f: spoiled(f, "UPDATE meta SET value = 'other' WHERE name = 'model'"),
        lambda f: spoiled(f, "UPDATE meta SET value = '../../../etc/passwd' WHERE name = 'name'"),
        lambda f: spoiled(f, "UPDATE meta SET value = '999999999' WHERE name = 'count'"),
        lambda f: spoiled(f, "UPDATE meta SET value = '-1' WHERE name = 'dimensions'"),
        lambda f: spoiled(f, "UPDATE meta SET value = 'pickle' WHERE name = 'kept'"),
    ],
    ids=["no-database", "empty", "cut-rows", "no-rows", "format", "model", "elsewhere", "count", "negative", "kind"],
)
def test_what_cannot_be_used_is_refused_and_rebuilt(tmp_path: Path, spoil) -> None:
    stored_rows(tmp_path, unit_rows(3, WIDTH)).close()
    spoil(tmp_path)

    with pytest.raises(DamagedError):
        Vectors.open(tmp_path, MODEL)
    with VectorsLock(tmp_path):
        Vectors.create(tmp_path, MODEL).close()
    stored_rows(tmp_path, unit_rows(3, WIDTH)).close()
    with reopened(tmp_path).reading():
        pass


def test_rows_that_an_index_places_outside_of_the_file_are_no_rows(tmp_path: Path) -> None:
    rows = unit_rows(3, WIDTH)
    stored_rows(tmp_path, rows).close()
    spoiled(tmp_path, "UPDATE text SET first = -5, pieces = 1000000000000 WHERE digest = CAST('text-1' AS BLOB)")
    vectors = reopened(tmp_path)

    with vectors.reading():
        assert set(vectors.cosines(rows[0], ["oid-1"])) <= {"oid-1"}
        assert len(vectors.best_rows(rows[0], ["oid-1"])) == 1


WRITER = """
import sys; sys.path[:0] = {path!r}
from pathlib import Path
from support.unit_rows import stored_rows, unit_rows
rows = unit_rows(64, 8)
for n in range(10_000):
    stored_rows(Path({folder!r}), rows, pieces=2, first=32 * n).close()
    print(n, flush=True)
"""


@pytest.mark.parametrize("after", [2, 5])
def test_a_writer_that_is_killed_loses_at_most_what_it_was_writing(tmp_path: Path, after: int) -> None:
    script = WRITER.format(path=sys.path, folder=str(tmp_path))
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        lines = [int(writer.stdout.readline()) for _ in range(after)]
        writer.send_signal(signal.SIGKILL)

    vectors = stored_rows(tmp_path, unit_rows(2, WIDTH, seed=5), first=10**6)  # nobody holds the lock any more
    with vectors.reading():
        known = vectors.list_embedded()
        found = vectors.cosines(unit_rows(64, WIDTH)[0], known)
        assert known >= {f"oid-{n}" for n in range(32 * (lines[-1] + 1))} | {"oid-1000000"}
        assert (len(known) - 2) % 32 == 0
        assert len(found) == len(known)
        assert found["oid-0"] == pytest.approx(1, abs=1e-6)


def test_two_processes_do_not_write_at_once(tmp_path: Path) -> None:
    script = f"import sys; sys.path[:0] = {sys.path!r}\nfrom gitmem.index.vectors.folders import VectorsLock\n"
    script += f"with VectorsLock({str(tmp_path)!r}):\n print('held', flush=True)\n sys.stdin.read()"
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", script], **streams) as other:
        assert other.stdout is not None and other.stdout.readline() == b"held\n"
        with pytest.raises(BusyError), VectorsLock(tmp_path):
            pass
        other.kill()
    with VectorsLock(tmp_path):
        pass


def test_full_disk_keeps_what_was_there(tmp_path: Path) -> None:
    script = f"import sys; sys.path[:0] = {sys.path!r}\n" + (
        "import resource, signal\nfrom pathlib import Path\nfrom support.unit_rows import stored_rows, unit_rows\n"
        f"stored_rows(Path({str(tmp_path)!r}), unit_rows(3, 8)).close()\n"
        # What a disk without room does: a file may grow no further (setrlimit(2), RLIMIT_FSIZE).
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))\n"
        f"try:\n stored_rows(Path({str(tmp_path)!r}), unit_rows(5_000, 8), first=3)\n"
        "except OSError as err: print(type(err).__name__)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "OSError"
    with (vectors := reopened(tmp_path)).reading():
        assert vectors.list_embedded() == {"oid-0", "oid-1", "oid-2"}


def test_vectors_of_other_models_are_listed(tmp_path: Path) -> None:
    stored_rows(tmp_path, unit_rows(1, WIDTH)).close()
    with VectorsLock(tmp_path):
        Vectors.create(tmp_path, "older@1").close()

    assert list_others(tmp_path, [MODEL]) == [folder_of(tmp_path, "older@1")]
    assert len(list_others(tmp_path, [])) == 2
    assert list_others(tmp_path / "nowhere", []) == []
    assert (tmp_path / FOLDER / "lock").exists()
