"""A line that is not a memory is one bad line, reported by number, and does not affect the next line."""

from __future__ import annotations

import io

import pytest
from support.each import each

from gitmem.plugins.import_ import jsonl
from gitmem.plugins.import_.fields import ImportRecord, Unreadable
from gitmem.plugins.import_.jsonl import ARCHIVED, read_jsonl

GOOD = b'{"content": "a good one"}'


def read(data: bytes) -> list[ImportRecord | Unreadable]:
    return list(read_jsonl(io.BytesIO(data), name="k.jsonl", kind="learned"))


@each(
    ("line", "reason"),
    [
        (b"not json", "it is not JSON: Expecting value"),
        (b'{"content": "cut', "it is not JSON: Unterminated string starting at"),
        (b"[1, 2]", "it is not a JSON object"),
        (b'"text"', "it is not a JSON object"),
        (b'{"id": 7, "tags": ["two words"], "author": "Ana Blue"}', "it has neither a text (body, content, text)"),
        (b'{"content": "\x81"}', "it is not UTF-8"),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"n": ' + b"9" * 5000 + b"}", "it is not JSON: a number has too many digits"),
        (b'{"title": ""}', "it has neither a text (body, content, text) nor a title"),
        (b'{"key": "../x", "frontmatter": {}, "body": "x"}', "its key is invalid"),
        (b'{"key": "x", "frontmatter": {"ttl": "soon"}, "body": "x"}', "`ttl` must be a length of time"),
    ],
)
def test_bad_line_is_reported_and_the_next_one_read(line: bytes, reason: str) -> None:
    bad, good = read(b"\n" + line + b"\n" + GOOD + b"\n")

    assert isinstance(bad, Unreadable)
    assert bad.where == "k.jsonl:2"
    assert bad.reason.startswith(reason)
    assert isinstance(good, ImportRecord)
    assert good.where == "k.jsonl:3"


@each(
    ("line", "title", "body"),
    [
        (b'"a text alone"', "", "a text alone"),
        (b'{"Title": "Cap", "CONTENT": "of words"}', "Cap", "of words"),
        (b'{"id": 7, "message": "of words"}', "", "of words"),
        (b'{"front": "What sails?", "back": "ferries"}', "", "What sails?"),
        ('{"答え": "渡し船は六時に出る"}'.encode(), "", "渡し船は六時に出る"),
        (b'{"content": ["a ferry", "sails"]}', "", "content:\n\n- a ferry\n- sails"),
        ('"渡し船は六時に出る"'.encode(), "", "渡し船は六時に出る"),
        (b'{"content": [{"type": "text", "text": "it sails"}]}', "", "it sails"),
    ],
)
def test_words_under_other_names_are_a_memory(line: bytes, title: str, body: str) -> None:
    (found,) = read(line)

    assert isinstance(found, ImportRecord)
    assert (found.fields.get("title", ""), found.body) == (title, body)


def test_endless_line_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jsonl, "LINE_LIMIT", 64)

    long, good = read(b'{"content": "' + b"x" * 1000 + b'"}\n' + GOOD)

    assert long == Unreadable("k.jsonl:1", "the line is longer than 64 bytes")
    assert isinstance(good, ImportRecord)


def test_bom_windows_line_breaks_and_empty_lines_are_accepted() -> None:
    found = read(b"\xef\xbb\xbf" + GOOD + b"\r\n\r\n" + GOOD)

    assert [one.where for one in found if isinstance(one, ImportRecord)] == ["k.jsonl:1", "k.jsonl:3"]


def test_binary_file_is_one_unreadable_source() -> None:
    assert read(b"\x7fELF\0\0\n\0\n" * 100) == [Unreadable("k.jsonl", "it is not text")]
    assert read(b"PK\x03\x04\x14\0\0\0\n\0\n" * 100) == [Unreadable("k.jsonl", ARCHIVED)]
