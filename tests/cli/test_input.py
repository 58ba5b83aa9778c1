"""Text from standard input, and files that a person names."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pytest

from gitmem.cli.input import read_file, read_text
from gitmem.errors import NotFoundError, RefusedError


def standard_input(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="ascii"))


@pytest.mark.parametrize(
    ("raw", "text"),
    [(b"", ""), ("müde\r\n".encode(), "müde\r\n"), (b"\xef\xbb\xbfa", "a"), (b"x" * 10, "x" * 10)],
    ids=["empty", "line ends", "byte order mark", "just small enough"],
)
def test_standard_input_is_read_as_utf_8_whatever_the_locale(
    monkeypatch: pytest.MonkeyPatch, raw: bytes, text: str
) -> None:
    standard_input(monkeypatch, raw)

    assert read_text("-", 10) == text


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"x" * 11, "standard input is larger than 10 bytes"),
        (b"ab\xff", "standard input is not valid UTF-8 \\(byte 2\\)"),
    ],
)
def test_invalid_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch, raw: bytes, message: str) -> None:
    standard_input(monkeypatch, raw)

    with pytest.raises(RefusedError, match=message):
        read_text("-", 10)


def test_closed_standard_input_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)

    assert read_text("-", 10) == ""


def test_pipe_of_a_shell_is_read_and_a_folder_is_named(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a run")
    os.close(writing)

    assert read_file(f"/dev/fd/{reading}", 3, hint="") == b"a ru"
    os.close(reading)
    with pytest.raises(RefusedError, match="cannot be read: Is a directory"):
        read_file(str(tmp_path), 3, hint="")
    with pytest.raises(NotFoundError, match="there is no file"):
        read_file(str(tmp_path / "none"), 3, hint="")
