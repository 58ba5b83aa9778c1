"""Events that arrive twice are counted once, by many processes at a time too."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gitmem.agents import once


def test_second_arrival_is_not_the_first_and_another_event_is(tmp_path: Path) -> None:
    assert once.is_first(str(tmp_path), "a", now=100.0)
    assert not once.is_first(str(tmp_path), "a", now=101.0)
    assert once.is_first(str(tmp_path), "b", now=101.0)


def test_mark_is_forgotten_after_half_a_minute(tmp_path: Path) -> None:
    assert once.is_first(str(tmp_path), "a", now=100.0)
    assert once.is_first(str(tmp_path), "a", now=131.0)


def test_clock_that_was_set_back_costs_no_event(tmp_path: Path) -> None:
    assert once.is_first(str(tmp_path), "a", now=1000.0)
    assert once.is_first(str(tmp_path), "a", now=100.0)


def test_file_of_marks_stays_small(tmp_path: Path) -> None:
    for number in range(once.MARKS_AT_MOST + 50):
        once.is_first(str(tmp_path), f"{number:08x}", now=100.0)

    path = tmp_path / once.FOLDER / once.NAME
    assert len(path.read_text().splitlines()) == once.MARKS_AT_MOST
    assert not once.is_first(str(tmp_path), f"{once.MARKS_AT_MOST + 49:08x}", now=100.0)


@pytest.mark.parametrize("content", [b"\xff\xfe\x00garbage", b"a\n", b"a nan\n", b"a 1e999\n", b"x" * 200_000])
def test_damaged_file_of_marks_costs_nothing(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / once.FOLDER / once.NAME
    path.parent.mkdir()
    path.write_bytes(content)

    assert once.is_first(str(tmp_path), "a", now=100.0)
    assert not once.is_first(str(tmp_path), "a", now=100.0)


def test_of_many_processes_at_once_one_is_the_first(tmp_path: Path) -> None:
    ends = [os.pipe() for _ in range(8)]
    start_read, start_write = os.pipe()
    children = []
    for _, write in ends:
        child = os.fork()
        if child == 0:
            os.read(start_read, 1)
            os.write(write, b"1" if once.is_first(str(tmp_path), "a") else b"0")
            os._exit(0)
        children.append(child)
    os.write(start_write, b"12345678")
    answers = [os.read(read, 1) for read, _ in ends]
    for child in children:
        os.waitpid(child, 0)
    for fd in (start_read, start_write, *(fd for pair in ends for fd in pair)):
        os.close(fd)

    assert sorted(answers) == [b"0"] * 7 + [b"1"]


def test_where_nothing_can_be_noted_every_event_counts(tmp_path: Path) -> None:
    (tmp_path / once.FOLDER).write_text("a file is in the way")

    assert once.is_first(str(tmp_path), "a")
    assert once.is_first(str(tmp_path), "a")


def test_link_in_place_of_the_marks_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / once.FOLDER).mkdir()
    precious = tmp_path / "precious"
    precious.write_text("text")
    (tmp_path / once.FOLDER / once.NAME).symlink_to(precious)

    assert once.is_first(str(tmp_path), "a")
    assert precious.read_text() == "text"


@pytest.mark.parametrize(("text", "own"), [('{"command": "gitmem hook cursor"}', True), ("{}", False)])
def test_cursors_own_hooks_are_found_in_a_workspace_or_the_home(tmp_path: Path, text: str, own: bool) -> None:
    hooks = tmp_path / "shop" / ".cursor" / "hooks.json"
    hooks.parent.mkdir(parents=True)
    hooks.write_text(text)

    assert once.has_own_hooks([str(tmp_path / "other"), str(tmp_path / "shop")], "/nowhere") is own
    assert once.has_own_hooks(None, str(tmp_path / "shop")) is own
    assert once.has_own_hooks([7, "a\0b"], "/nowhere") is False
