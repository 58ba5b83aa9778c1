"""A seal is ours or it is not: of the same words and the same key, which stays the same and is private."""

from __future__ import annotations

from pathlib import Path

from gitmem.index.whoosh.seal import KEY_BYTES, KEY_FILE, key_in, seal, sum_of


def test_key_stays_the_same_and_is_private(tmp_path: Path) -> None:
    folder = tmp_path / "state" / "gitmem"

    assert key_in(folder) == key_in(folder)
    assert (folder / KEY_FILE).stat().st_mode & 0o777 == 0o600


def test_key_that_was_half_written_is_made_anew(tmp_path: Path) -> None:
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
