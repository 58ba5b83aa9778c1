"""Events that arrive twice are counted once, also by many processes at once."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from gitmem.agents import repeated_events


@pytest.mark.parametrize(
    ("callers", "counted"),
    [
        ("a a a", "yes yes yes"),  # resumed three times within a second
        ("a b", "yes no"),
        ("b a", "yes no"),
        ("a b a b a b", "yes no yes no yes no"),
        ("a a b b", "yes yes no no"),
        ("a b c b", "yes no no yes"),
    ],
)
def test_event_counts_once_whatever_settings_bring_it_and_each_time_it_happens(
    tmp_path: Path, callers: str, counted: str
) -> None:
    found = ["yes" if repeated_events.is_first(str(tmp_path), "m", caller) else "no" for caller in callers.split()]

    assert found == counted.split()
    assert repeated_events.is_first(str(tmp_path), "another", "b")


def test_file_of_counts_stays_small(tmp_path: Path) -> None:
    path = tmp_path / repeated_events.FOLDER / repeated_events.NAME
    path.parent.mkdir()
    path.write_text(json.dumps({f"{n:08x}": {"a": 1} for n in range(repeated_events.MARKS_AT_MOST - 10)}))

    for number in range(repeated_events.MARKS_AT_MOST - 10, repeated_events.MARKS_AT_MOST + 10):
        assert repeated_events.is_first(str(tmp_path), f"{number:08x}", "a")

    assert len(json.loads(path.read_text())) == repeated_events.MARKS_AT_MOST
    assert not repeated_events.is_first(str(tmp_path), f"{repeated_events.MARKS_AT_MOST + 9:08x}", "b")


@pytest.mark.parametrize(
    "content", [b"\xff\xfe\x00garbage", b"a 100.5\n", b"[]", b'{"a": 5}', b'{"a": {"one": "x"}}', b"x" * 300_000]
)
def test_damaged_file_of_counts_is_replaced(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / repeated_events.FOLDER / repeated_events.NAME
    path.parent.mkdir()
    path.write_bytes(content)

    assert repeated_events.is_first(str(tmp_path), "a", "one")
    assert not repeated_events.is_first(str(tmp_path), "a", "two")


def test_one_of_many_processes_at_once_is_the_first(tmp_path: Path) -> None:
    ends = [os.pipe() for _ in range(8)]
    start_read, start_write = os.pipe()
    children = []
    for _, write in ends:
        child = os.fork()
        if child == 0:
            os.read(start_read, 1)
            os.write(write, b"1" if repeated_events.is_first(str(tmp_path), "a", str(write)) else b"0")
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
    (tmp_path / repeated_events.FOLDER).write_text("a file is in the way")

    assert repeated_events.is_first(str(tmp_path), "a", "one")
    assert repeated_events.is_first(str(tmp_path), "a", "one")


def test_link_in_place_of_the_counts_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / repeated_events.FOLDER).mkdir()
    precious = tmp_path / "precious"
    precious.write_text("text")
    (tmp_path / repeated_events.FOLDER / repeated_events.NAME).symlink_to(precious)

    assert repeated_events.is_first(str(tmp_path), "a", "one")
    assert precious.read_text() == "text"
