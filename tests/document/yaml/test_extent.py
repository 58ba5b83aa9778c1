from __future__ import annotations

import pytest
from support.each import each

from gitmem.document.yaml import flat
from gitmem.document.yaml.extent import Extent, extents_of, has_comments


@each(
    ("text", "extents"),
    [
        ("a: 1\nb:\n- x\n- y\n\n# c\nd: |\n  z\n", [("a", 0, 1), ("b", 1, 4), ("d", 6, 8)]),
        ("a: 1 # c\nb: 2\n", [("a", 0, 1, " # c"), ("b", 1, 2)]),
        ("a:   # c\nb: 'x # y'\t# z\n", [("a", 0, 1, "   # c"), ("b", 1, 2, "\t# z")]),
        ("a: x\n  y\n# c\nb: 'p\n\n  q'\n\n", [("a", 0, 2), ("b", 3, 6)]),
        ("a: # one\n  - x # two\n  # three\n  - 'y # no'\n  # four\nb: 1\n",
         [("a", 0, 4, "", ("# one", "# two", "# three")), ("b", 5, 6)]),
        ("a: [x, # one\n  y\n  # two\n]\nb: 1\n", [("a", 0, 4, "", ("# one", "# two")), ("b", 4, 5)]),
        ("a: | # one\n  # content\n  x # content\n # two\nb: 1\n", [("a", 0, 3, "", ("# one",)), ("b", 4, 5)]),
        ("a: |+\n  x\n\n\nb: >\n  y\n\n", [("a", 0, 4), ("b", 4, 6)]),
        ("a:\n  b:\n    - {c: d} # e\nf: 1\n", [("a", 0, 3, "", ("# e",)), ("f", 3, 4)]),
        ('"my key": "x\\n" # c\n', [("my key", 0, 1, " # c")]),
        ("a: 'x\n  # no comment\n  y' # c\nb: 1\n",
         [("a", 0, 3, "", ("# c",)), ("b", 3, 4)]),
    ],
    ids=["quick", "behind", "no value", "lines", "list", "brackets", "block", "kept", "nested", "key", "text"],
)  # fmt: skip
def test_extents_end_with_their_value_and_know_their_comments(text: str, extents: list[tuple[object, ...]]) -> None:
    assert extents_of(text) == [Extent(*extent) for extent in extents]  # type: ignore[arg-type]


@each("text", ["{a: 1, b: 2}\n", "  a: 1\n  b: 2\n"])
def test_fields_without_lines_of_their_own_have_no_extents(text: str) -> None:
    assert extents_of(text) is None


def test_quick_extents_are_those_of_the_strict_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "# top\ntitle: x\n\ntags:\n  - a\n  - b\nby: {who: x}\n# c\nverify: |-\n  y\n  # z\nttl:\n\nrefs: [a]\n# end\n"
    )
    quick = extents_of(text)

    monkeypatch.setattr(flat, "parse", lambda _: None)

    assert extents_of(text) == quick


@each(
    ("text", "expected"),
    [("{a: 1, b: '#'}\n", False), ("{a: 1, # c\n b: 2}\n", True), ("a: |\n  # x\n", False), ("a: x#y\n", False),
     ("a: 'x\n  # y'\n", False), ("# c\na: 1\n", True)],
)  # fmt: skip
def test_comments_are_distinguished_from_content(text: str, expected: bool) -> None:
    assert has_comments(text) is expected
