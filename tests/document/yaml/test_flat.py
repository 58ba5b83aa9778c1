"""The quick reader: what it knows, what it leaves alone, and that it never differs from the strict one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.each import each

from gitmem.document.yaml import flat, strict
from gitmem.errors import FormatError

# Everything that means something somewhere in YAML, and ordinary words around it.
PIECES = (
    *("a", "b c", "x", "#", " #", ": ", ":", "'", '"', "\\", "-", "- ", "?", "? ", "[", "]", "{", "}", ",", ", "),
    *("&a", "*a", "!t", "|", "|-", "|+", ">", "%", "@", "`", " ", "  ", "\t", "é", "😀", "key:value", "1", "-1", "0.5"),
    *("1e3", "007", "true", "null", "~", "yes", "<<", "---", "...", "\u00a0", "\x85", "\u2028", "\x1b", "\u200d"),
    *(".nan", "2026-01-01", '"x"', "'y'", "[a, b]", "{a: b}", "\\n", '\\"', "::", "http://x", "=", "''", '""'),
    *("\n  ", "\n- ", "\n  - ", "\n"),
)
scalar = st.lists(st.sampled_from(PIECES), max_size=5).map("".join)
short = st.lists(st.sampled_from(PIECES), max_size=2).map("".join)
name = st.sampled_from(["title", "tags", "x-y", "by", "k2", "true", "a b", "verify"])
value = st.one_of(
    scalar,
    st.lists(short, max_size=3).map(lambda parts: f"[{', '.join(parts)}]"),
    st.lists(st.tuples(name, short), max_size=3).map(lambda pairs: "{" + ", ".join(map(": ".join, pairs)) + "}"),
    st.lists(short, max_size=3).map(lambda parts: "".join(f"\n  - {part}" for part in parts)),
    st.lists(short, max_size=3).map(lambda parts: "".join(f"\n- {part}" for part in parts)),
    st.lists(st.tuples(name, short), max_size=3).map(
        lambda pairs: "".join(f"\n  - {{{key}: {part}, b: {part}}}" for key, part in pairs)
    ),
    st.tuples(st.sampled_from(["|", "|-", ">", "|+"]), st.lists(short, max_size=3)).map(
        lambda pair: pair[0] + "".join(f"\n  {part}" for part in pair[1])
    ),
    st.sampled_from(["foo bar", "12", "[a, b]", '["**/x", b]', "{who: ana, agent: dev}"]),
)
line = st.tuples(
    name, st.sampled_from([": ", ":", ":  ", " : "]), value, st.sampled_from(["", " ", "  # c", "\n# c", "\n"])
)
headers = st.lists(line.map("".join), min_size=1, max_size=4).map(lambda lines: "\n".join(lines) + "\n")


@settings(max_examples=150)
@given(headers)
def test_whatever_the_quick_reader_says_the_strict_one_says_too(header: str) -> None:
    quick = flat.parse(header)

    if quick is not None:
        # By their form: 1 == True == 1.0.
        assert repr(strict.load(header)) == repr(quick)


@each(
    ("header", "fields"),
    [
        ("title: Auth tokens\nkind: fact\n", {"title": "Auth tokens", "kind": "fact"}),
        ("a: 1\nb: 0.5\nc: true\nd: ~\ne:\nf: ''\n", {"a": 1, "b": 0.5, "c": True, "d": None, "e": None, "f": ""}),
        ("a: [x, 'y, z', \"**/q\", 3]\nb: []\n", {"a": ["x", "y, z", "**/q", 3], "b": []}),
        ('by: {who: ana, agent: "d: e"}\nc: {}\n', {"by": {"who": "ana", "agent": "d: e"}, "c": {}}),
        ("a:\n- x\n- 'y'\nb:\n  - 1\n", {"a": ["x", "y"], "b": [1]}),
        ('a:\n  - {num: 1, notes: "b: {c}, d"}\n  - {}\n', {"a": [{"num": 1, "notes": "b: {c}, d"}, {}]}),
        ('a: "say \\"x\\"\\n\\\\d # e"\n', {"a": 'say "x"\n\\d # e'}),
        ("a: |\n  x\n\n  # y\n    z\nb: |-\n  q\n\n\n", {"a": "x\n\n# y\n  z\n", "b": "q"}),
        ("# comment: here\na: x  \n\n# more\nb:    y\n", {"a": "x", "b": "y"}),
        ("created: 2026-11-21T09:30:00Z\nu: http://x/y#z\n", {"created": "2026-11-21T09:30:00Z", "u": "http://x/y#z"}),
    ],
    ids=[
        "plain",
        "typed",
        "lists",
        "mappings",
        "lines",
        "lines of mappings",
        "escapes",
        "blocks",
        "comments",
        "colons",
    ],
)
def test_common_frontmatter_is_read_without_yaml(header: str, fields: dict[str, object]) -> None:
    assert flat.parse(header) == fields


UNCERTAIN = [
    "",
    "# only a comment\n",
    "- a\n",
    "a\n",
    "{a: b}\n",
    "a: b\n  c\n",
    "a:\n  b: c\n",
    "a: b # c\n",
    "a: &x b\n",
    "a: *x\n",
    "a: !!str b\n",
    "? a\n: b\n",
    "a: b\na: c\n",
    "<<: b\n",
    "true: b\n",
    "a: [b, [c]]\n",
    "a: [b,]\n",
    "a: >\n  b\n",
    "a: |\n\n  b\n",
    "a: |\n    b\n  c\n",
    "a:\n- b: c\n",
    "a:\n-\n",
    "a: 'it''s'\n",
    'a: "\\x41"\n',
    "a: b\tc\n",
    "a: \xa0b\n",
    "a: b\u2028c\n",
    'a: "b\u2028c"\n',
    "# c\x85a: b\nd: e\n",
    "a: '''b'\n",
    "a: ['it''s']\n",
    "a: b\x85c: d\n",
    "---\na: b\n",
    "...\n",
    "%YAML 1.1\n",
    "a: b: c\n",
    'a: "b" c\n',
    "a: 'b\n",
    "a: [b\n",
    "a: {b}\n",
    "a:\n  - {b: {c: d}}\n",
    "a:\n  - {b: c} d\n",
    "a:\n  - {\n",
    "a: {b: c, b: d}\n",
    'a: "b\\"\n',
    "é: b\n",
    "a : b\n",
]


@each("header", UNCERTAIN)
def test_anything_uncertain_is_left_to_the_strict_reader(header: str) -> None:
    assert flat.parse(header) is None


def test_strict_reader_refuses_what_would_split_a_command() -> None:
    with pytest.raises(FormatError):
        strict.load("verify: true\x85rm: x\n")


def test_repeated_brackets_are_parsed_once_and_shared_by_no_two_memories(monkeypatch: pytest.MonkeyPatch) -> None:
    header = "tags: [auth, never-seen]\nby: {who: ana, agent: never-seen}\n"
    first = flat.parse(header)
    assert first is not None
    first["tags"].append("changed")
    first["by"]["agent"] = "changed"
    for name in ("_flow_list", "_flow_mapping"):
        monkeypatch.delattr(flat, name)
    assert flat.parse(header) == {"tags": ["auth", "never-seen"], "by": {"who": "ana", "agent": "never-seen"}}


def test_few_brackets_are_kept_however_many_there_are() -> None:
    for number in range(flat.MOST_FLOWS + 10):
        assert flat.parse(f"tags: [tag{number}]\n") == {"tags": [f"tag{number}"]}
    assert len(flat._flows) <= flat.MOST_FLOWS
