"""What cannot be read as text proves nothing about it; line ends and byte order marks do not matter."""

from __future__ import annotations

import hashlib

from support.each import each

from gitmem.document.builtin_checks import words_of
from gitmem.document.file_checks import why_no_text
from gitmem.model import BLOCKED, BUILTIN, FAILS, HOLDS, Check
from gitmem.verify.builtin_answers import answer_file

PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0\0\0\x01\0\x08\x06\0\0\0\xff\xfe\xd8\0"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a1" * 32 + b"\nsize 12345\n"
UNREADABLE = {
    "UTF-16": "password = 1\n".encode("utf-16"),
    "UTF-16 without a mark": "password = 1\n".encode("utf-16-le"),
    "UTF-16 big-endian": "password = 1\n".encode("utf-16-be"),
    "UTF-32": "password = 1\n".encode("utf-32"),
    "Latin-1": "größe = 1\n".encode("latin-1"),
    "Shift JIS": "設定 = 1\n".encode("shift-jis"),
    "LFS pointer": POINTER,
}
CHECKS = (
    {"contains": "size", "in": "a"},
    {"contains": "password", "in": "a"},
    {"matches": "size|1$", "in": "a"},
    {"lacks": "password", "in": "a"},
    {"symbol": "password", "in": "a"},
    {"value": "a#size", "is": "1"},
)


def answer(check: dict, content: bytes):
    """Return what a check answers of a file named ``a``."""
    return answer_file(Check(BUILTIN, words_of(check)), "a", content)


@each("check", CHECKS)
@each("content", UNREADABLE.values())
def test_text_that_cannot_be_read_proves_nothing(check: dict, content: bytes) -> None:
    found = answer(check, content)

    assert found.outcome == BLOCKED
    assert found.because.startswith("a cannot be read as text: ")


@each("content", [b"", b"plain\n", "größe\n".encode(), b"\xef\xbb\xbfplain\n", PICTURE])
def test_utf8_and_binary_files_can_lack_a_text(content: bytes) -> None:
    assert why_no_text(content) == ""
    assert answer({"lacks": "password", "in": "a"}, content).outcome == HOLDS


@each(
    ("check", "content", "outcome"),
    [
        ({"matches": "^limit = 20$", "in": "a"}, b"x\r\nlimit = 20\r\ny\r\n", HOLDS),
        ({"matches": "^limit$", "in": "a"}, b"\xef\xbb\xbflimit\n", HOLDS),
        ({"matches": "20\r$", "in": "a"}, b"limit = 20\r\n", HOLDS),
        ({"contains": "one\ntwo", "in": "a"}, b"one\r\ntwo\r\n", HOLDS),
        ({"contains": "one\r\ntwo", "in": "a"}, b"one\r\ntwo\r\n", HOLDS),
        ({"lacks": "one\ntwo", "in": "a"}, b"one\r\ntwo\r\n", FAILS),
        ({"lacks": "one two", "in": "a"}, b"one\r\ntwo\r\n", HOLDS),
    ],
)
def test_line_ends_and_a_byte_order_mark_do_not_matter(check: dict, content: bytes, outcome: str) -> None:
    assert answer(check, content).outcome == outcome


def test_line_of_a_match_is_counted_in_the_file_as_it_is() -> None:
    assert answer({"matches": "^limit$", "in": "a"}, b"x\r\ny\r\nlimit\r\n").where == "a:3"


def test_checksum_is_that_of_the_file_behind_a_pointer_or_of_the_bytes() -> None:
    assert answer({"same": "a1" * 32, "in": "a"}, POINTER).outcome == HOLDS
    assert answer({"same": hashlib.sha256(POINTER).hexdigest(), "in": "a"}, POINTER).outcome == HOLDS
    assert answer({"same": "b2" * 32, "in": "a"}, POINTER).outcome == FAILS
