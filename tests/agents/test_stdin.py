"""Reading standard input is bounded in size and time, whatever the other end does."""

from __future__ import annotations

import os
import pty
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from support.each import each

from gitmem.agents import stdin
from gitmem.agents.stdin import read_input
from gitmem.store.state.hook_log import UnusableError


@contextmanager
def piped(*parts: bytes, closes: bool = True, pause_s: float = 0.0) -> Iterator[int]:
    """Yield a descriptor that brings parts, written by another thread."""
    read, write = os.pipe()

    def run() -> None:
        for part in parts:
            view = memoryview(part)
            while view:
                view = view[os.write(write, view) :]
            time.sleep(pause_s)
        if closes:
            os.close(write)

    thread = threading.Thread(target=run)
    thread.start()
    yield read
    thread.join()
    os.close(read)
    if not closes:
        os.close(write)


def test_payload_that_comes_in_parts_is_read_whole() -> None:
    with piped(b'{"a": ', b'"\xc3', b'\xa4"}', pause_s=0.02) as fd:
        assert read_input(fd).payload() == {"a": "ä"}


def test_pipe_that_is_never_closed_is_not_waited_for_behind_a_whole_object(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "PATIENCE_S", 60.0)
    with piped(b'{"a": 1}\n', closes=False) as fd:
        begun = time.monotonic()
        message = read_input(fd)

    assert message.payload() == {"a": 1}
    assert time.monotonic() - begun < 30


def test_silent_pipe_is_left_alone_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdin, "PATIENCE_S", 0.1)
    with piped(closes=False) as fd:
        assert read_input(fd).is_empty
    with piped(b'{"a": ', closes=False) as fd:
        message = read_input(fd)

    with pytest.raises(UnusableError, match=r"6 bytes, and it did not end in time"):
        message.payload()


def test_large_payload_is_read_to_its_end_and_not_kept() -> None:
    with piped(b'{"a": "', b"x" * (8 * 1024 * 1024), b'"}') as fd:
        message = read_input(fd)

    assert message.size == 8 * 1024 * 1024 + 9
    assert len(message.content) <= stdin.PARSED_AT_MOST + stdin.CHUNK
    with pytest.raises(UnusableError, match="larger than 4194304 bytes"):
        message.payload()


def test_terminal_is_not_read() -> None:
    parent, child = pty.openpty()
    try:
        assert read_input(child).is_empty
    finally:
        os.close(parent)
        os.close(child)


def test_closed_descriptor_brings_nothing() -> None:
    read, write = os.pipe()
    os.close(read)
    os.close(write)

    assert read_input(read).is_empty


@each(
    "content",
    [b"[1]", b"7", b"null", b'{"a": ', b"\x00\x01", b"[" * 100_000, b'{"a":' * 50_000, b"1" * 5000, b'"\\ud800"'],
    ids=["list", "number", "null", "cut", "bytes", "deep", "deeper", "many digits", "half a character"],
)
def test_what_is_no_object_is_refused_without_a_word_of_it(content: bytes) -> None:
    with piped(content) as fd, pytest.raises(UnusableError) as caught:
        read_input(fd).payload()

    assert str(caught.value) == f"the payload is not a JSON object ({len(content)} bytes)"


@each("content", [b'\xef\xbb\xbf{"a": 1}', b' \n{"a": 1}\n\n'])
def test_mark_of_the_encoding_and_space_are_no_harm(content: bytes) -> None:
    with piped(content) as fd:
        assert read_input(fd).payload() == {"a": 1}


def test_invalid_byte_becomes_one_replacement_character() -> None:
    with piped(b'{"a": "x\xffy"}') as fd:
        assert read_input(fd).payload() == {"a": "x\ufffdy"}


def test_mark_is_of_the_content() -> None:
    marks = []
    for content in (b'{"a": 1}', b'{"a": 1}', b'{"a": 2}'):
        with piped(content) as fd:
            marks.append(read_input(fd).mark)

    assert marks[0] == marks[1] != marks[2]
    assert all(mark.isalnum() for mark in marks)
