"""What is known of commits is kept in a small file, and is never trusted where it is not as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store.proofs import FOREIGN, PROOFS_FILE, PROOFS_KEPT, ROOTED, STRAY, note_proof, read_proofs

A, B = "a" * 40, "b" * 40


def test_noted_proofs_are_read_newest_last(tmp_path: Path) -> None:
    state = str(tmp_path)

    note_proof(state, A, ROOTED)
    note_proof(state, B, FOREIGN)
    note_proof(state, A, STRAY)

    assert list(read_proofs(state).items()) == [(B, FOREIGN), (A, STRAY)]
    assert [path.name for path in tmp_path.iterdir()] == [PROOFS_FILE]


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for number in range(PROOFS_KEPT + 5):
        note_proof(str(tmp_path), f"{number:040}", ROOTED)

    assert list(read_proofs(str(tmp_path))) == [f"{number:040}" for number in range(5, PROOFS_KEPT + 5)]


@pytest.mark.parametrize("content", [b"", b"gitmem-proofs 0\n" + A.encode() + b" rooted\n", b"\xff\xfe", b"x\n"])
def test_proofs_of_other_rules_or_damaged_ones_are_ignored(tmp_path: Path, content: bytes) -> None:
    (tmp_path / PROOFS_FILE).write_bytes(content)

    assert read_proofs(str(tmp_path)) == {}


def test_without_a_state_folder_nothing_is_kept(tmp_path: Path) -> None:
    note_proof(str(tmp_path / "none"), A, ROOTED)

    assert read_proofs(str(tmp_path / "none")) == {}
