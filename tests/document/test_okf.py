"""A memory and the concept of the Open Knowledge Format that it becomes say the same, and each gives the other."""

from __future__ import annotations

import pytest
from conftest import memory_text
from hypothesis import example, given
from hypothesis import strategies as st
from support.each import each

from gitmem.document import okf
from gitmem.document.format import format as format_document
from gitmem.document.parse import parse
from gitmem.errors import FormatError

MADE = "2026-09-20T10:00:00Z"
PROVED = "2026-09-30T12:00:00Z"


@each(
    ("fields", "proved", "expected"),
    [
        ({"kind": "decision"}, "", {"type": "decision"}),
        ({}, "", {"type": "learned"}),
        ({"retired": {"why": "gone"}}, "", {"status": "deprecated"}),
        ({"superseded_by": "b"}, "", {"status": "deprecated"}),
        ({"verify": "make test"}, "", {"status": "draft"}),
        ({"verify": "make test"}, PROVED, {"status": None, "verified": [{"by": okf.PROVER, "at": PROVED}]}),
        ({"verify": "make test", "ttl": "30d", "created": MADE}, PROVED, {"stale_after": "2026-10-30"}),
        ({"verify": "make test", "ttl": "30d", "created": MADE}, "", {"stale_after": None}),
        ({"ttl": "30d", "created": MADE}, "", {"stale_after": "2026-10-20"}),
        ({"ttl": "never", "created": MADE}, "", {"stale_after": None}),
        ({"by": {"who": "ana"}, "created": MADE}, "", {"generated": {"by": "human:ana", "at": MADE}}),
        ({"by": {"who": "ana", "agent": "dev"}, "created": MADE}, "", {"generated": {"by": "dev", "at": MADE}}),
        ({"by": {"who": "ana"}}, "", {"generated": None}),
        ({"refs": ["a.py:3", "https://a.org"]}, "", {"sources": [{"resource": "a.py:3"}, {"resource": "https://a.org"}]}),
        ({"status": "draft", "type": "Metric", "sources": [{"resource": "x"}], "refs": ["y"]}, "", {
            "status": "draft", "type": "Metric", "sources": [{"resource": "x"}],
        }),
        ({"verify": "x", "verified": [{"by": "human:ana", "at": MADE}]}, PROVED, {
            "verified": [{"by": "human:ana", "at": MADE}, {"by": okf.PROVER, "at": PROVED}],
        }),
    ],
)  # fmt: skip
def test_names_of_okf_follow_from_the_memory_and_its_verdict(fields: dict, proved: str, expected: dict) -> None:
    concept = okf.concept_fields(fields, proved)

    assert {name: concept.get(name) for name in expected} == expected
    assert fields.items() <= {**concept, "verified": fields.get("verified")}.items()


_NAMES = st.sampled_from(
    [*("kind", "type", "status", "stale_after", "generated", "verified", "sources", "refs", "by", "created"),
     *("ttl", "verify", "superseded_by", "own", okf.EXACT, okf.KEY)]
)  # fmt: skip
_VALUES = st.sampled_from(
    ["decision", "learned", "draft", "deprecated", MADE, PROVED, "30d", "2026-10-20", "2026-10-30", "human:ana"]
) | st.recursive(
    st.sampled_from(["ana", "a.py", MADE, PROVED, okf.PROVER]) | st.integers(0, 9) | st.none(),
    lambda inside: (
        st.lists(inside, max_size=2)
        | st.dictionaries(st.sampled_from(["by", "at", "who", "agent", "resource"]), inside, max_size=2)
    ),
    max_leaves=4,
)


@example({"verify": "x", "verified": "by hand"}, "", False, PROVED)
@given(
    st.dictionaries(_NAMES, _VALUES, max_size=7), st.sampled_from(["", "\n\nbody", "a\r\n---\nb\n"]),
    st.booleans(), st.sampled_from(["", PROVED]),
)  # fmt: skip
def test_concept_gives_back_the_memory_byte_for_byte(fields: dict, body: str, is_odd: bool, proved: str) -> None:
    try:
        text = format_document(fields, "") + body
        text = text.replace("---\n", "---\n# a comment\n", 1) if is_odd else text
        document = parse(text, path="index.md")
    except FormatError:
        return

    concept = parse(okf.format_concept(document, proved), path="x.md")

    assert okf.restore_text(concept.fields, concept.body) == text


def test_changes_of_others_count_and_their_claims_stay_while_our_verdict_is_left_out() -> None:
    document = parse(memory_text("A", kind="fact", verify="make test  # odd", created=MADE), path="facts/a.md")
    concept = parse(okf.format_concept(document, PROVED), path="a.md").fields
    claim = {"by": "human:bo", "at": MADE}

    text = okf.restore_text(concept | {"verified": [*concept["verified"], claim], "status": "deprecated"}, "new\n")

    assert text is not None
    assert parse(text, path="a.md").fields == document.fields | {"verified": [claim], "status": "deprecated"}
    assert text.endswith("---\nnew\n")


def test_concept_too_large_for_a_memory_is_refused() -> None:
    document = parse(memory_text("A", refs=f"[{'x' * 4_100}]"), path="learned/a.md")

    with pytest.raises(FormatError, match="larger than"):
        okf.format_concept(document)


@each(
    ("fields", "is_one"),
    [
        ({"type": "Metric", "generated": {"by": "human:ana"}}, True),
        ({"type": "Metric", "verified": [{"by": "human:ana"}]}, True),
        ({"type": "Metric", "verified": {"by": "human:ana"}}, True),
        ({"type": "Metric", "sources": [{"resource": "x"}]}, True),
        ({"type": "Metric", "stale_after": "2026-10-20"}, True),
        ({"type": "Metric", "title": "Revenue", "status": "draft"}, False),
        ({"stale_after": "2026-10-20"}, False),
    ],
)
def test_concept_is_known_by_a_family_that_only_okf_has(fields: dict, is_one: bool) -> None:
    assert okf.is_concept(fields) is is_one


def test_index_and_log_have_the_form_of_the_specification() -> None:
    index = okf.index_file([("fact", "A [b]", "a.md", "of it"), ("fact", "C", "c.md", "")], is_root=True)
    log = okf.log_file([("2026-01-01", "Creation", "A", "/f/a.md"), ("2026-02-01", "Deprecation", "A", "/f/a.md")])

    assert index == '---\nokf_version: "0.2"\n---\n# fact\n\n* [A (b)](a.md) - of it\n* [C](c.md)\n'
    assert okf.is_root_index(index)
    assert log == (
        "# Log\n\n## 2026-02-01\n* **Deprecation**: [A](/f/a.md)\n\n## 2026-01-01\n* **Creation**: [A](/f/a.md)\n"
    )
