from __future__ import annotations

import time

import frontmatter
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.format import format as format_memory
from gitmem.document.split import split
from gitmem.document.yaml import strict
from gitmem.errors import FormatError

BOMB = "a: &a [x, x]\n" + "".join(f"{chr(98 + n)}: &{chr(98 + n)} [*{chr(97 + n)}, *{chr(97 + n)}]\n" for n in range(9))

REFUSED = [
    ("", "not-a-mapping", 2),
    ("# c\n", "not-a-mapping", 2),
    ("- a\n", "not-a-mapping", 2),
    ("text\n", "not-a-mapping", 2),
    ("null\n", "not-a-mapping", 2),
    ("a: 1\nverify: true\nverify: rm -rf /\n", "duplicate-key", 4),
    ("a: {b: 1, b: 2}\n", "duplicate-key", 2),
    (BOMB, "anchor", 2),
    ("a: &a [*a]\n", "anchor", 2),
    ("a: *b\n", "alias", 2),
    ("a: !!python/object/apply:os.system [id]\n", "tag", 2),
    ("a: ! b\n", "tag", 2),
    ("a: !!binary aGk=\n", "tag", 2),
    ("!!map {a: b}\n", "tag", 2),
    ("a: 1\n<<: {b: 2}\n", "merge-key", 3),
    ("? [a, b]\n: c\n", "complex-key", 2),
    ("{a: b}: c\n", "complex-key", 2),
    ("? a\n: b\n", "complex-key", 2),
    ("a: 1\n? b\n: c\n", "complex-key", 3),
    ("a: {? b : c}\n", "complex-key", 2),
    (".nan: a\n", "bad-key", 2),
    ("1: a\n", "bad-key", 2),
    ("true: a\n", "bad-key", 2),
    ('"": a\n', "bad-key", 2),
    ('"a\\nb": c\n', "bad-key", 2),
    (f"{'a' * 101}: b\n", "bad-key", 2),
    ("%YAML 1.1\n--- \na: b\n", "directive", 2),
    ("%TAG ! tag:x,2000:\n--- \na: b\n", "directive", 2),
    ("a: b\n--- \nc: d\n", "two-documents", 3),
    ("--- {a: b}\n", "two-documents", 2),
    ("a: b\n...\n", "two-documents", 3),
    ("a: [[[[[1]]]]]\n", "too-deep", 2),
    ("a:\n b:\n  c:\n   d:\n    e:\n     f: 1\n", "too-deep", 7),
    ("a: " + "[" * 8000 + "\n", "too-deep", 2),
    ("a: " + "[" * 1000 + "\n", "too-deep", 2),
    ("a: " + "{a: " * 2000 + "\n", "too-deep", 2),
    ("- " * 4000 + "\n", "too-deep", 2),
    ("a: [b\n", "bad-yaml", 3),
    ("a: 'b\n", "bad-yaml", 3),
    ("a: b: c\n", "bad-yaml", 2),
    ("a: @b\n", "bad-yaml", 2),
    ("\ta: b\n", "bad-yaml", 2),
    ('a: "\\ud800"\n', "bad-yaml", 2),
    ('a: "\\UFFFFFFFF"\n', "bad-yaml", 2),
    ('a: "\\0"\n', "nul-character", 2),
    ("a: 1\nb: \x1b[2J\n", "control-character", 3),
    ("a: \x7f\n", "control-character", 2),
    ("a: \ufeffb\n", "control-character", 2),
    ("verify: echo\u2028rm -rf /\n", "line-separator", 2),
    ("verify: echo\u2029rm\n", "line-separator", 2),
    ("a: 1\nverify: echo\x85rm\n", "line-separator", 3),
    ("verify: echo\rrm\n", "line-separator", 2),
]


@each(("text", "code", "line"), REFUSED, ids=[f"{code}-{text[:12]!r}" for text, code, _ in REFUSED])
def test_bad_frontmatter_is_one_error_at_its_line(text: str, code: str, line: int) -> None:
    with pytest.raises(FormatError) as caught:
        strict.load(text)

    assert (caught.value.code, caught.value.line) == (code, line)


@each("text", [text for text, _, _ in REFUSED])
def test_python_parser_refuses_the_same_and_as_quickly(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    begun = time.process_time()

    with pytest.raises(FormatError):
        strict.load(text)

    assert time.process_time() - begun < 5, "it takes 50 ms, and what grows with a power takes minutes"


@each(
    ("text", "fields"),
    [
        ("a: yes\nb: 1:30\nc: 2026-11-21\nd: 0x1F\ne: 017\nf: .nan\n",
         {"a": "yes", "b": "1:30", "c": "2026-11-21", "d": "0x1F", "e": "017", "f": ".nan"}),
        ("a: '1'\nb: \"true\"\nc: 1\nd: true\n", {"a": "1", "b": "true", "c": 1, "d": True}),
        ("a: " + "9" * 5000 + "\nb: " + "1:" * 2000 + "1\n", {"a": "9" * 5000, "b": "1:" * 2000 + "1"}),
        ("a: >\n  b\n  c\n\n  d\n", {"a": "b c\nd\n"}),
        ("a: [1, {b: [c]}]\n\"my key\": d\n", {"a": [1, {"b": ["c"]}], "my key": "d"}),
        ("{a: b, c: d?}\n", {"a": "b", "c": "d?"}),
        ("a: what?\nb: c\n", {"a": "what?", "b": "c"}),
        ('a: "\\N\\x1b"\n', {"a": "\x85\x1b"}),
    ],
    ids=["no surprises", "quotes make text", "long numbers", "folded", "nested", "brackets", "question", "escapes"],
)  # fmt: skip
def test_valid_yaml_has_its_plain_meaning(text: str, fields: dict[str, object]) -> None:
    assert strict.load(text) == fields


@settings(max_examples=100)
@given(st.text(st.sampled_from("ab:-?[]{}&*!|>'\"#%@`, \n\t\\\x85~1.<"), max_size=60))
def test_no_text_gets_anything_but_fields_or_a_format_error(text: str) -> None:
    try:
        fields = strict.load(text + "\n")
    except FormatError as err:
        assert err.code
    else:
        assert isinstance(fields, dict)


@pytest.mark.parametrize("text", ["a: [[x]]\nb: >\n  c\n", "? a", "a: &b c"])
def test_both_parsers_of_pyyaml_give_the_same_values(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def outcome() -> object:
        try:
            return strict.load(text + "\n")
        except FormatError as err:
            return err.code

    with_libyaml = outcome()
    monkeypatch.setattr(yaml, "__with_libyaml__", False)

    assert outcome() == with_libyaml


def test_handler_makes_python_frontmatter_as_strict_as_gitmem() -> None:
    post = frontmatter.loads("---\na: yes\nb: 1:30\n---\nBody.\n\n---\n", handler=strict.handler())

    assert (post.metadata, post.content) == ({"a": "yes", "b": "1:30"}, "Body.\n\n---")
    with pytest.raises(FormatError):
        frontmatter.loads("---\na: 1\na: 2\n---\n", handler=strict.handler())


def test_handler_writes_what_gitmem_reads() -> None:
    post = frontmatter.Post("Body.", strict.handler(), title="a: b", tags=["x", "z"])

    text = frontmatter.dumps(post)

    assert text == '---\ntitle: "a: b"\ntags: [x, z]\n---\n\nBody.'
    assert strict.load(split(text).frontmatter) == post.metadata


def test_whole_file_is_read_through_python_frontmatter() -> None:
    text = format_memory({"title": "x", "n": [[1], {"a": "b: c"}]}, "Body.\n")

    assert strict.read(text) == {"title": "x", "n": [[1], {"a": "b: c"}]}
