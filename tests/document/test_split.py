from __future__ import annotations

import pytest
from support.each import each

from gitmem.document.split import MAX_BYTES, MAX_FRONTMATTER_BYTES, Parts, decode, split
from gitmem.errors import FormatError


@each(
    ("text", "parts"),
    [
        ("---\na: 1\n---\nb\n", Parts("---\n", "a: 1\n", "---\n", "b\n")),
        ("---\r\na: 1\r\n---\r\nb", Parts("---\r\n", "a: 1\r\n", "---\r\n", "b")),
        ("\ufeff---\na: 1\n---", Parts("\ufeff---\n", "a: 1\n", "---", "")),
        ("---  \n---\t\n\n---\n", Parts("---  \n", "", "---\t\n", "\n---\n")),
        ("---\na: ----\n----\n--- x\n---\n", Parts("---\n", "a: ----\n----\n--- x\n", "---\n", "")),
    ],
    ids=["plain", "windows", "bom and no last line break", "spaces and no fields", "lines that are no fence"],
)
def test_file_is_cut_at_its_fences_and_nothing_is_lost(text: str, parts: Parts) -> None:
    found = split(text)

    assert found == parts
    assert found.head + found.frontmatter + found.fence + found.body == text


@each(
    ("text", "code"),
    [
        ("", "empty-file"),
        ("\ufeff\n \r\n", "empty-file"),
        ("# title\n", "no-frontmatter"),
        ("\n---\na: 1\n---\n", "no-frontmatter"),
        ("----\na: 1\n---\n", "no-frontmatter"),
        ("---\ra: 1\r---\r", "no-frontmatter"),
        ("---", "unclosed-frontmatter"),
        ("---\na: 1\n", "unclosed-frontmatter"),
        ("---\n" + "\n---x" * 10_000, "unclosed-frontmatter"),
        (f"---\n{'a' * MAX_FRONTMATTER_BYTES}\n---\n", "frontmatter-too-large"),
        (f"---\n{'é' * (MAX_FRONTMATTER_BYTES // 2)}\n---\n", "frontmatter-too-large"),
    ],
)
def test_file_without_whole_frontmatter_is_refused(text: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        split(text)

    assert caught.value.code == code


def test_frontmatter_may_have_exactly_its_limit() -> None:
    frontmatter = "a" * (MAX_FRONTMATTER_BYTES - 1) + "\n"

    assert split(f"---\n{frontmatter}---\n").frontmatter == frontmatter


@each(
    ("data", "code", "line"),
    [
        (b"a" * (MAX_BYTES + 1), "too-large", 0),
        ("é" * (MAX_BYTES // 2 + 1), "too-large", 0),
        (b"---\na: \xff\n---\n", "not-utf8", 2),
        (b"\xed\xa0\x80", "not-utf8", 1),
        ("a\n\ud800", "not-utf8", 2),
        (b"a\n\nb\0", "nul-character", 3),
    ],
)
def test_bytes_that_are_no_text_are_refused(data: bytes | str, code: str, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        decode(data)

    assert (caught.value.code, caught.value.line) == (code, line)


def test_file_may_have_exactly_its_limit() -> None:
    assert decode(b"a" * MAX_BYTES) == "a" * MAX_BYTES
