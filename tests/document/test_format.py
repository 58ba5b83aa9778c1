from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.format import format as format_memory
from gitmem.document.format import format_field, format_fields
from gitmem.document.parse import parse
from gitmem.document.split import split
from gitmem.document.yaml import flat, strict
from gitmem.errors import FormatError

EXAMPLE = """---
title: Auth tokens are signed with RS256
kind: fact
tags: [auth, jwt]
paths: [src/auth/**]
verify: grep -q RS256 src/auth/jwt.py
ttl: 30d
requires: [jwt-module-exists]
created: 2026-11-21T09:30:00Z
by: {who: ana, agent: dev}
task: T-12
---
HS256 was dropped because the gateway only holds public keys.
"""

# Everything that means something somewhere in YAML, in words, and any character at all.
PIECES = (
    *(
        "a",
        "b c",
        "#",
        " #",
        ": ",
        ":",
        "'",
        '"',
        "\\",
        "-",
        "?",
        "[",
        "]",
        "{",
        "}",
        ",",
        "&a",
        "*a",
        "!t",
        "|",
        ">",
        "%",
    ),
    *(
        "@",
        "`",
        " ",
        "\t",
        "é",
        "😀",
        "key:value",
        "1",
        "-1",
        "0.5",
        "true",
        "null",
        "~",
        "yes",
        "<<",
        "---",
        "...",
        "\n",
    ),
    *("\u00a0", "\x85", "\u2028", "\x1b", "\u200d", "\r", "\ufeff", "\uffff"),
)
text = st.one_of(st.lists(st.sampled_from(PIECES), max_size=5).map("".join), st.text(max_size=8))
atom = st.one_of(text, st.integers(-(10**18) + 1, 10**18 - 1), st.booleans(), st.none(), st.floats(-1e6, 1e6, width=32))
value = st.recursive(
    atom,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "b", ":x", "é", "true"]), inner),
    max_leaves=6,
)
names = st.sampled_from(["x", "x y", "true", "été", "k-1", "yes", ":"])
bodies = st.lists(st.sampled_from(["a\n", "---\n", "\r\n", "b: c\n", "\n", "é\n"]), max_size=3).map("".join)


def test_new_file_looks_like_the_example_of_the_design() -> None:
    document = parse(EXAMPLE, path="auth.md")
    shuffled = dict(reversed(document.fields.items()))

    assert format_memory(shuffled, document.body) == EXAMPLE


@settings(max_examples=100)
@given(st.dictionaries(names, value, max_size=4), bodies)
def test_what_is_written_reads_back_by_both_readers(fields: dict[str, object], body: str) -> None:
    try:
        written = format_memory(fields, body)
    except FormatError as err:
        assert err.code in ("too-deep", "nul-character", "bad-number")
        return

    frontmatter = split(written).frontmatter
    quick = flat.parse(frontmatter)
    # By their form: 1 == True == 1.0.
    assert repr(strict.load(frontmatter)) == repr(fields)
    assert quick is None or repr(quick) == repr(fields)
    assert split(written).body == body


@given(st.lists(text.filter(lambda t: "\0" not in t and t.isprintable()), max_size=4), text)
def test_lists_and_texts_that_show_are_read_by_the_quick_reader(tags: list[str], title: str) -> None:
    shown = "".join(c for c in title if c.isprintable())
    fields = {"title": shown, "tags": [tag.replace("\\", "/").replace('"', "'") for tag in tags]}

    assert flat.parse(format_fields(fields)) == fields


@each(
    ("value", "line"),
    [
        ("plain text", "x: plain text"),
        ("a: b", 'x: "a: b"'),
        ('say "a: b" \\', 'x: "say \\"a: b\\" \\\\"'),
        ("", 'x: ""'),
        ("12", 'x: "12"'),
        ("yes", 'x: "yes"'),
        ("tab\there", 'x: "tab\\there"'),
        ("\u202e\U000e0041\x85", 'x: "\\u202E\\U000E0041\\u0085"'),
        (12, "x: 12"),
        (0.9, "x: 0.9"),
        (1e-7, "x: 0.000000099999999999999995"),
        (1e17, "x: 100000000000000000.0"),
        (True, "x: true"),
        (None, "x: null"),
        ([], "x: []"),
        ({}, "x: {}"),
        (["a", "**/b", "c, d", 1], 'x: [a, "**/b", "c, d", 1]'),
        ([{"num": 1, "notes": "a\nb"}, {}], 'x:\n  - {num: 1, notes: "a\\nb"}\n  - {}'),
        ([{"num": 1}, 2], "x: [{num: 1}, 2]"),
        (("a", "b"), "x: [a, b]"),
        ("set -e\nmake", "x: |-\n  set -e\n  make"),
        ("set -e\n\n\tmake\n", "x: |\n  set -e\n\n  \tmake"),
        (" a\nb", 'x: " a\\nb"'),
        ("a\n\n", 'x: "a\\n\\n"'),
        ("a\n  \nb", 'x: "a\\n  \\nb"'),
        ("a\u00a0\nb", 'x: "a\\u00A0\\nb"'),
    ],
)
def test_value_has_the_shortest_form_that_reads_back(value: object, line: str) -> None:
    assert format_field("x", value) == line + "\n"


def test_text_of_several_lines_can_be_asked_for_on_one() -> None:
    assert format_field("x", "a\nb", on_one_line=True) == 'x: "a\\nb"\n'


def test_unknown_fields_follow_in_their_order() -> None:
    assert format_fields({"zeta": 1, "alpha": 2, "title": "x"}) == "title: x\nzeta: 1\nalpha: 2\n"


def test_memory_without_fields_is_still_a_mapping() -> None:
    assert parse(format_memory({}, "b\n"), path="x.md").fields == {}


@each(("body", "end"), [("", "---\n"), ("a", "---\na\n"), ("a\n", "---\na\n"), ("a\n\n", "---\na\n\n")])
def test_last_line_of_the_body_is_ended(body: str, end: str) -> None:
    assert format_memory({"title": "x"}, body) == "---\ntitle: x\n" + end


@each(
    ("fields", "body", "code"),
    [
        ({"": 1}, "", "bad-key"),
        ({"a\nb": 1}, "", "bad-key"),
        ({"x": {"a" * 101: 1}}, "", "bad-key"),
        ({"x": 10**18}, "", "bad-number"),
        ({"x": float("nan")}, "", "bad-number"),
        ({"x": float("-inf")}, "", "bad-number"),
        ({"x": 1e300}, "", "bad-number"),
        ({"x": 1e-30}, "", "bad-number"),
        ({"x": [[[[[1]]]]]}, "", "too-deep"),
        ({"x": "a\0"}, "", "nul-character"),
        ({"x": "\ud800"}, "", "not-utf8"),
        ({"x": "a"}, "b\0", "nul-character"),
        ({"x": "a"}, "\ud800", "not-utf8"),
        ({"x": "a" * 8192}, "", "frontmatter-too-large"),
        ({"x": "é" * 4096}, "", "frontmatter-too-large"),
        ({"x": "a"}, "b" * 65_536, "too-large"),
    ],
)
def test_what_no_memory_can_say_is_refused(fields: dict[str, object], body: str, code: str) -> None:
    with pytest.raises(FormatError) as caught:
        format_memory(fields, body)

    assert caught.value.code == code


def test_four_levels_below_the_frontmatter_are_the_deepest() -> None:
    fields = {"x": [[[[1]]]]}

    assert parse(format_memory(fields, ""), path="x.md").fields == fields
