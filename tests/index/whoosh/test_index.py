"""The Whoosh index shows what the catalog shows, follows it, and is made anew wherever it cannot be trusted."""

from __future__ import annotations

import fcntl
import os
import warnings
from pathlib import Path

import pytest
from conftest import memory_text
from hypothesis import given, settings
from hypothesis import strategies as st
from support.catalogs import catalog_of

from gitmem.errors import ConflictError, GitmemError
from gitmem.index import WHOOSH_FOLDER
from gitmem.index.catalog import Catalog
from gitmem.index.whoosh import index
from gitmem.index.whoosh.index import (
    KEY_BYTES,
    KEY_FILE,
    SearchableIndex,
    key_in,
    name_of,
    names_in,
    refresh_whoosh,
    seal,
    sum_of,
)
from gitmem.model import ENGLISH

THREE = {"one": "The gateway drops connections", "two": "Tokens are signed", "three": "Retries are limited"}


def catalog_at(commit: str, titles: dict[str, str]) -> Catalog:
    """Return the catalog of a commit with these memories; a text of its own is a blob of its own."""
    catalog = catalog_of({f"learned/{key}.md": memory_text(title) for key, title in titles.items()})
    catalog.set_meta("commit", commit)
    for number, title in catalog.rows("SELECT id, title FROM memory"):
        catalog.connection.execute("UPDATE memory SET oid = ? WHERE id = ?", (title.encode().hex(), number))
    return catalog


def found_in(shown: SearchableIndex) -> dict[tuple[str, bytes], set[bytes]]:
    """Return the names of the memories behind every term of every field."""
    names = {number: name for name, number in names_in(shown.reader)}
    found = {}
    for field, term in shown.reader.all_terms():
        matcher = shown.reader.postings(field, term)
        if numbers := {names[n] for n in matcher.all_ids() if n in names}:
            found[field, term] = numbers
    return found


def names_of(catalog: Catalog) -> set[bytes]:
    return {name_of(path, oid) for path, oid in catalog.rows("SELECT path, oid FROM memory")}


def test_every_memory_is_in_it_under_each_field(tmp_path: Path) -> None:
    text = memory_text(
        "A title",
        body="Some body",
        kind="gotcha",
        tags="[auth]",
        by="{who: Ana, agent: dev}",
        created="2026-01-05T10:00:00Z",
        task="BD-7",
    )
    catalog = catalog_of({"gotchas/a-key.md": text})

    shown = refresh_whoosh(tmp_path, catalog)

    texts = {(field, term.decode()) for field, term in found_in(shown) if field != "created"}
    assert texts == {
        ("title", "titl"), ("body", "bodi"), ("names", "auth"), ("names", "key"), ("kind", "gotcha"), ("key", "a-key"),
        ("tag", "auth"), ("by", "ana"), ("by", "dev"), ("task", "bd-7"), ("names", "bd"), ("names", "7"),
    }  # fmt: skip
    assert any(field == "created" for field, _ in found_in(shown))


@settings(max_examples=8)
@given(
    states=st.lists(
        st.dictionaries(st.sampled_from(list(THREE)), st.sampled_from([*THREE.values(), "Others wait"])), max_size=4
    )
)
def test_followed_through_any_changes_it_is_as_if_made_from_nothing(
    tmp_path_factory: pytest.TempPathFactory, states: list[dict[str, str]]
) -> None:
    state_dir = tmp_path_factory.mktemp("state")

    for number, titles in enumerate([THREE, *states]):
        catalog = catalog_at(f"{number:040}", titles)
        followed = refresh_whoosh(state_dir, catalog)
        anew = refresh_whoosh(state_dir / "anew", catalog, rebuild=True)

        assert (followed.commit, followed.behind) == (f"{number:040}", "")
        assert {name for name, _ in names_in(followed.reader)} == names_of(catalog)
        assert found_in(followed) == found_in(anew)


def test_of_the_same_commit_it_is_not_written_again(tmp_path: Path) -> None:
    refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE))
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / WHOOSH_FOLDER).iterdir()}

    refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE))

    assert {path.name: path.stat().st_mtime_ns for path in (tmp_path / WHOOSH_FOLDER).iterdir()} == before


def _a(folder: Path, suffix: str) -> Path:
    return next(path for path in folder.iterdir() if path.name.endswith(suffix))


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 0xFF
    path.write_bytes(content)


DAMAGE = {
    "a byte of a segment": lambda folder: _flip(_a(folder, ".seg")),
    "a byte of the table of contents": lambda folder: _flip(_a(folder, ".toc")),
    "a truncated segment": lambda folder: os.truncate(_a(folder, ".seg"), 100),
    "no table of contents": lambda folder: _a(folder, ".toc").unlink(),
    "no stamp": lambda folder: (folder / "stamp.json").unlink(),
    "a stamp of nonsense": lambda folder: (folder / "stamp.json").write_text('["x"]'),
    "another format": lambda folder: _restamp(folder, '"format": 2', '"format": 0'),
    "a seal of another key": lambda folder: _restamp(folder, '"seal": "', '"seal": "f'),
    "a commit that is not sealed": lambda folder: _restamp(folder, "1" * 40, "2" * 40),
    "another analysis": lambda folder: _restamp(folder, "unicode", "unicorn"),
}


def _restamp(folder: Path, old: str, new: str) -> None:
    stamp = (folder / "stamp.json").read_text()
    assert old in stamp
    (folder / "stamp.json").write_text(stamp.replace(old, new))


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_or_of_another_format_it_is_rebuilt(tmp_path: Path, damage) -> None:
    catalog = catalog_at("1" * 40, THREE)
    refresh_whoosh(tmp_path, catalog)
    damage(tmp_path / WHOOSH_FOLDER)

    shown = refresh_whoosh(tmp_path, catalog)

    assert (len(found_in(shown)), shown.behind) == (len(found_in(refresh_whoosh(tmp_path / "anew", catalog))), "")
    assert index._read(tmp_path / WHOOSH_FOLDER, ENGLISH) is not None


def test_index_that_came_with_a_copied_repository_is_not_opened(tmp_path: Path, monkeypatch) -> None:
    catalog = catalog_at("1" * 40, THREE)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "theirs"))
    refresh_whoosh(tmp_path, catalog)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "ours"))

    assert index._read(tmp_path / WHOOSH_FOLDER, ENGLISH) is None
    assert len(list(names_in(refresh_whoosh(tmp_path, catalog).reader))) == 3
    assert index._read(tmp_path / WHOOSH_FOLDER, ENGLISH) is not None


def test_a_file_in_the_folders_place_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / WHOOSH_FOLDER).write_text("no folder")

    shown = refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE))

    assert len(list(names_in(shown.reader))) == 3
    assert (tmp_path / WHOOSH_FOLDER / "stamp.json").is_file()


def test_writer_killed_before_its_stamp_leaves_nothing_that_stays(tmp_path: Path, monkeypatch) -> None:
    refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE))
    two = catalog_at("2" * 40, {"one": THREE["one"]})
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(index, "_stamp", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        refresh_whoosh(tmp_path, two)
    (tmp_path / WHOOSH_FOLDER / "MAIN_orphan0000000000.seg").write_bytes(b"half a segment")

    shown = refresh_whoosh(tmp_path, two)

    assert {name for name, _ in names_in(shown.reader)} == names_of(two)
    assert len(list((tmp_path / WHOOSH_FOLDER).glob("*.seg"))) == 1


@pytest.fixture
def busy(tmp_path: Path):
    """Hold the lock as another process that writes the index."""
    lock = os.open(tmp_path / f"{WHOOSH_FOLDER}.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    yield
    os.close(lock)


def test_while_another_process_writes_it_the_last_good_one_answers_and_says_so(tmp_path: Path, request) -> None:
    refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE))
    request.getfixturevalue("busy")

    shown = refresh_whoosh(tmp_path, catalog_at("2" * 40, {"four": "Something new"}))

    assert (shown.commit, len(list(names_in(shown.reader)))) == ("1" * 40, 3)
    assert shown.behind == (
        "the Whoosh index is being updated by another process; showing 111111111111, but the tip is 222222222222"
    )


@pytest.mark.usefixtures("busy")
def test_while_another_process_makes_the_first_one_an_answer_comes_from_memory(tmp_path: Path) -> None:
    shown = refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE))

    assert (len(list(names_in(shown.reader))), shown.behind) == (3, "")
    assert not (tmp_path / WHOOSH_FOLDER).exists()


@pytest.mark.usefixtures("busy")
def test_who_asks_for_the_index_itself_is_told_that_another_process_writes_it(tmp_path: Path) -> None:
    with pytest.raises(ConflictError, match="another process is writing the Whoosh index"):
        refresh_whoosh(tmp_path, catalog_at("1" * 40, THREE), is_named=True)


def test_where_the_disk_cannot_be_written_to_it_is_made_in_memory(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    shown = refresh_whoosh(tmp_path / "file" / "state", catalog_at("1" * 40, THREE))

    assert len(list(names_in(shown.reader))) == 3


def test_of_many_memories_it_is_made_only_when_asked_for(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(index, "WHOOSH_AT_MOST", 2)
    catalog = catalog_at("1" * 40, THREE)

    with pytest.raises(GitmemError, match="there is no Whoosh index, and for") as caught:
        refresh_whoosh(tmp_path, catalog)
    asked = refresh_whoosh(tmp_path, catalog, is_named=True)

    assert caught.value.hint.endswith("gitmem index --engine whoosh")
    assert asked.commit == refresh_whoosh(tmp_path, catalog).commit == "1" * 40


def test_only_what_whoosh_warns_of_is_silent_and_only_while_it_is_imported() -> None:
    with pytest.warns() as seen:
        with index.QuietImport():
            warnings.warn("an escape", SyntaxWarning, stacklevel=1)
            warnings.warn("another matter", UserWarning, stacklevel=1)
        warnings.warn("an escape of ours", SyntaxWarning, stacklevel=1)

    assert [str(one.message) for one in seen] == ["another matter", "an escape of ours"]


def test_key_stays_the_same_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "gitmem"

    assert key_in(folder) == key_in(folder)
    assert (folder / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_key_that_was_half_written_is_rebuilt(tmp_path: Path) -> None:
    (tmp_path / KEY_FILE).write_bytes(b"half")

    assert len(key_in(tmp_path)) == KEY_BYTES
    assert key_in(tmp_path) == key_in(tmp_path)


def test_where_no_key_can_be_kept_no_seal_of_another_process_is_ours(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    assert key_in(tmp_path / "file" / "state") != key_in(tmp_path / "file" / "state")


def test_seal_tells_every_change_but_one_of_itself() -> None:
    key, other = b"k" * KEY_BYTES, b"o" * KEY_BYTES
    stamp = {"commit": "1", "files": {"a": "2"}}

    assert seal(stamp, key) == seal({**stamp, "seal": "x"}, key)
    assert len({seal(stamp, key), seal(stamp, other), seal({**stamp, "files": {}}, key)}) == 3


def test_sum_tells_a_changed_byte(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"one")
    (tmp_path / "b").write_bytes(b"onf")

    assert sum_of(tmp_path / "a") != sum_of(tmp_path / "b")
