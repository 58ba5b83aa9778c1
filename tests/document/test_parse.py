from __future__ import annotations

import subprocess
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.format import format as format_memory
from gitmem.document.parse import parse, read_fields
from gitmem.errors import FormatError

MEMORY = """---
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


def with_fields(lines: str) -> str:
    return f"---\ntitle: x\n{lines}\n---\nBody.\n"


def test_example_of_the_design_is_read() -> None:
    document = parse(MEMORY.encode(), path="facts/auth-uses-rs256.md")

    assert (document.key, document.path, document.text) == ("auth-uses-rs256", "facts/auth-uses-rs256.md", MEMORY)
    assert document.body == "HS256 was dropped because the gateway only holds public keys.\n"
    assert document.fields == {
        "title": "Auth tokens are signed with RS256",
        "kind": "fact",
        "tags": ["auth", "jwt"],
        "paths": ["src/auth/**"],
        "verify": "grep -q RS256 src/auth/jwt.py",
        "ttl": "30d",
        "requires": ["jwt-module-exists"],
        "created": "2026-11-21T09:30:00Z",
        "by": {"who": "ana", "agent": "dev"},
        "task": "T-12",
    }


# Bad inputs, by number; 29 and 31 are no errors of one file.
BAD = [
    ("1", b"", "empty-file", 1),
    ("1", b"\n \n", "empty-file", 1),
    ("2", b"# A note\n\nText.\n", "no-frontmatter", 1),
    ("2", b"---\ntitle: x\n", "unclosed-frontmatter", 1),
    ("4", b"---\n- a\n- b\n---\n", "not-a-mapping", 2),
    ("4", b"---\ntext\n---\n", "not-a-mapping", 2),
    ("4", b"---\nnull\n---\n", "not-a-mapping", 2),
    ("4", b"---\n---\n", "not-a-mapping", 2),
    ("5", with_fields("verify: test -f a\nverify: rm -rf /").encode(), "duplicate-key", 4),
    ("7", with_fields("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]").encode(), "anchor", 3),
    ("8", with_fields("a: &a [*a]").encode(), "anchor", 3),
    ("10", with_fields("a: " + "[" * 100_000).encode(), "too-large", 0),
    ("10", with_fields("a: " + "[" * 50_000).encode(), "frontmatter-too-large", 1),
    ("10", with_fields("a: " + "[" * 8_000).encode(), "too-deep", 3),
    ("11", with_fields("a: [" + "x, " * 350_000 + "]").encode(), "too-large", 0),
    ("16", with_fields(".nan: a").encode(), "bad-key", 3),
    ("17", with_fields("? [a, b]\n: c").encode(), "complex-key", 3),
    ("17", with_fields("{a: b}: c").encode(), "complex-key", 3),
    ("19", b"---\ntitle: x\n--- {a: b}\n---\n", "two-documents", 3),
    ("22", with_fields("a: b\0c").encode(), "nul-character", 3),
    ("22", with_fields('a: "b\\0c"').encode(), "nul-character", 3),
    ("23", b"---\ntitle: \xff\xfe\n---\n", "not-utf8", 2),
    ("25", with_fields('a: "\\ud800"').encode(), "bad-yaml", 3),
    ("25", b"---\ntitle: \xed\xa0\x80\n---\n", "not-utf8", 2),
    ("26", with_fields("verify: echo\u2028rm -rf /").encode(), "line-separator", 3),
    ("26", with_fields("verify: echo\x85rm -rf /").encode(), "line-separator", 3),
    ("28", b"---\ntitle: x\n---\n" + b"a" * 65_536, "too-large", 0),
    ("32", with_fields("verify: true").encode(), "bad-verify", 3),
    ("32", with_fields("verify: 7").encode(), "bad-verify", 3),
    ("32", with_fields("verify:").encode(), "bad-verify", 3),
    ("32", with_fields("verify: []").encode(), "bad-verify", 3),
    ("32", with_fields("verify: {run: rm}").encode(), "bad-verify", 3),
    ("32", with_fields("verify: [[a]]").encode(), "bad-verify", 3),
    ("34", with_fields('verify: "a\\rb"').encode(), "unapprovable-command", 3),
    ("34", with_fields('verify: "a\\x1b[8mb"').encode(), "unapprovable-command", 3),
    ("34", with_fields("verify: a\u202eb").encode(), "unapprovable-command", 3),
    ("34", with_fields("verify: a\U000e0041b").encode(), "unapprovable-command", 3),
    ("34", with_fields('verify: ["sh", "-c", "a\\u200bb"]').encode(), "unapprovable-command", 3),
    ("34", with_fields("verify: a\nrefute: b\u3164c").encode(), "unapprovable-command", 4),
    ("35", with_fields("timeout: -1").encode(), "bad-timeout", 3),
    ("35", with_fields("timeout: 0").encode(), "bad-timeout", 3),
    ("35", with_fields("timeout: 1e308").encode(), "bad-timeout", 3),
    ("35", with_fields("timeout: ∞").encode(), "bad-timeout", 3),
    ("35", with_fields("timeout: 86401").encode(), "bad-timeout", 3),
]  # fmt: skip


@each(("data", "code", "line"), [row[1:] for row in BAD], ids=[f"{row[0]}-{row[2]}" for row in BAD])
def test_bad_input_is_one_error_with_its_code_path_and_line_at_once(data: bytes, code: str, line: int) -> None:
    parse(with_fields("a: b # loads what is loaded once"), path="x.md")
    begun = time.process_time()

    with pytest.raises(FormatError) as caught:
        parse(data, path="facts/x.md")

    assert (caught.value.code, caught.value.path, caught.value.line) == (code, "facts/x.md", line)
    assert time.process_time() - begun < 2


@each(
    ("lines", "fields"),
    [
        ("a: " + "9" * 8_000, {"a": "9" * 8_000}),
        ("a: " + "1:" * 3_000 + "1", {"a": "1:" * 3_000 + "1"}),
        ("schema: 7", {"schema": 7}),
        ("verify: |\n  set -e\n  \tmake", {"verify": "set -e\n\tmake\n"}),
    ],
    ids=["13-digits", "14-sexagesimal", "29-newer-schema", "34-lines-and-tabs-are-fine"],
)
def test_harmless_oddity_is_kept_as_it_is_written(lines: str, fields: dict[str, object]) -> None:
    assert parse(with_fields(lines), path="x.md").fields == {"title": "x", **fields}


def test_byte_order_mark_and_windows_line_breaks_change_no_value_and_stay_in_the_text() -> None:
    text = "\ufeff" + MEMORY.replace("\n", "\r\n")

    document = parse(text.encode(), path="auth.md")

    assert document.fields == parse(MEMORY, path="auth.md").fields
    assert document.text == text
    assert document.body.endswith("public keys.\r\n")


def test_strict_reader_sees_windows_line_breaks_as_line_breaks() -> None:
    text = "---\r\ntitle: >\r\n  a\r\n  b\r\nverify: |\r\n  one\r\n\r\n  two\r\n---\r\n"

    assert parse(text, path="x.md").fields == {"title": "a b\n", "verify": "one\n\ntwo\n"}


def test_file_that_fits_exactly_is_read() -> None:
    head = b"---\ntitle: x\n---\n"

    assert parse(head + b"a" * (65_536 - len(head)), path="x.md").fields == {"title": "x"}


def test_fence_below_the_frontmatter_belongs_to_the_body() -> None:
    assert parse("---\ntitle: x\n---\na\n---\nb: c\n---\n", path="x.md").body == "a\n---\nb: c\n---\n"


PIECES = (
    *(
        b"---\n",
        b"---",
        b"title: x\n",
        b"verify: ",
        b": ",
        b"\n",
        b"\r\n",
        b"- ",
        b"[",
        b"]",
        b"{",
        b"}",
        b"&a ",
        b"*a",
    ),
    *(
        b"!!",
        b"|\n  ",
        b">\n",
        b'"',
        b"'",
        b"\\u",
        b"\\x",
        b"# ",
        b"? ",
        b"%",
        b"\xff",
        b"\xe2\x80\xa8",
        b"\xef\xbb\xbf",
    ),
    *(b"\0", b"\x1b", b"\t", b"tags: ", b"timeout: ", b"created: ", b"1", b"9" * 30, b"true", b"by: ", b"~", b"<<: "),
)
pieces = st.lists(st.sampled_from(PIECES), max_size=25).map(b"".join)


@settings(max_examples=100)
@given(st.one_of(pieces, pieces.map(lambda data: b"---\n" + data + b"\n---\n"), st.binary(max_size=80)))
def test_nothing_but_a_format_error_escapes(data: bytes) -> None:
    try:
        document = parse(data, path="notes/x.md")
    except FormatError as err:
        assert (err.code != "", err.path) == (True, "notes/x.md")
    else:
        assert document.text.encode() == data


@settings(max_examples=100)
@given(st.dictionaries(st.text(min_size=1, max_size=8), st.text(max_size=8) | st.integers() | st.floats() | st.none()))
def test_what_can_be_written_is_read_back(fields: dict[str, object]) -> None:
    wanted = {f"x-{name}": value for name, value in fields.items()}
    try:
        text = format_memory(wanted, "")
    except FormatError:
        return

    # By their form: 1 == True == 1.0.
    assert repr(parse(text, path="x.md").fields) == repr(wanted)


def test_common_memory_is_read_without_loading_yaml() -> None:
    script = (
        "import sys; from gitmem.document.parse import parse; "
        "parse(sys.stdin.read(), path='x.md'); print(sorted({'yaml', 'frontmatter', 're'} & set(sys.modules)))"
    )

    done = subprocess.run([sys.executable, "-c", script], input=MEMORY, capture_output=True, text=True, check=True)

    assert done.stdout == "[]\n"


def test_comment_behind_a_value_is_left_to_the_strict_reader() -> None:
    assert read_fields("a: b # c\r\nd: e\r\n") == {"a": "b", "d": "e"}
