"""Anchors: what the lines of a reference said, and where they are found again."""

from __future__ import annotations

from support.each import each

from gitmem.document.anchors import (
    LineReference,
    find_lines,
    format_anchor,
    lines_of,
    make_anchor,
    parse_anchor,
    parse_reference,
)

BLOB = "a" * 40
FILE = b"one\ndef f():\n    return 1\nend\n"


@each(
    ("text", "reference"),
    [
        ("src/a.py:3", LineReference("src/a.py", 3, 3)),
        ("./a.py:3-5", LineReference("a.py", 3, 5)),
        ("https://example.org:80", None),
        ("src/a.py", None),
        ("a.py:5-3", None),
        ("a.py:0", None),
        ("a.py:x", None),
    ],
)
def test_reference_to_lines_is_a_path_and_numbers(text: str, reference: LineReference | None) -> None:
    assert parse_reference(text) == reference


def test_anchor_is_one_text() -> None:
    anchor = make_anchor(LineReference("a b.py", 2, 3), BLOB, FILE)

    assert anchor is not None
    assert parse_anchor(format_anchor(anchor)) == anchor


@each("text", ["", "a.py:1", f"a.py:1 @ {BLOB}", "a.py:1 @ HEAD x", f"a.py:1 @ {BLOB} 12\nHEAD:b", "x @ y z"])
def test_text_that_is_no_anchor_is_left_out(text: str) -> None:
    assert parse_anchor(text) is None


def test_lines_that_a_file_does_not_have_are_not_anchored() -> None:
    assert make_anchor(LineReference("a.py", 4, 5), BLOB, FILE) is None


@each(
    ("now", "place"),
    [
        (FILE, "a.py:2-3"),
        (b"new\n" + FILE, "a.py:3-4"),
        (b"one\n    def f():\n        return 1\n", "a.py:2-3"),
        (b"def f():\n    return 1\nx\nx\nx\nx\nx\ndef f():\n    return 1\n", "a.py:1-2"),
        (b"one\ndef f():\n    return 2\n", None),
        (b"", None),
    ],
)
@each("is_known", [True, False])
def test_lines_are_found_at_the_nearest_place(now: bytes, place: str | None, is_known: bool) -> None:
    anchor = make_anchor(LineReference("a.py", 2, 3), BLOB, FILE)
    assert anchor is not None

    found = find_lines(anchor, lines_of(now), lines_of(FILE)[1:3] if is_known else ())

    assert (str(found) if found else None) == place
