"""What is known of commits is kept in a small file, and is never trusted where it is not as it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

from gitmem.store import proof

A, B = "a" * 40, "b" * 40


def test_what_was_noted_is_read_again_the_newest_last(tmp_path: Path) -> None:
    state = str(tmp_path)

    proof.note(state, A, proof.ROOTED)
    proof.note(state, B, proof.FOREIGN)
    proof.note(state, A, proof.STRAY)

    assert list(proof.read(state).items()) == [(B, proof.FOREIGN), (A, proof.STRAY)]
    assert [path.name for path in tmp_path.iterdir()] == [proof.FILE_NAME]


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for number in range(proof.KEPT + 5):
        proof.note(str(tmp_path), f"{number:040}", proof.ROOTED)

    assert list(proof.read(str(tmp_path))) == [f"{number:040}" for number in range(5, proof.KEPT + 5)]


@pytest.mark.parametrize("content", [b"", b"gitmem-proofs 0\n" + A.encode() + b" rooted\n", b"\xff\xfe", b"x\n"])
def test_a_file_of_other_rules_or_of_rubbish_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / proof.FILE_NAME).write_bytes(content)

    assert proof.read(str(tmp_path)) == {}


def test_without_a_state_folder_nothing_is_kept(tmp_path: Path) -> None:
    proof.note(str(tmp_path / "none"), A, proof.ROOTED)

    assert proof.read(str(tmp_path / "none")) == {}
