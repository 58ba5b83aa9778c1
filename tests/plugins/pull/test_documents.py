"""Text by others is stored in a safe form: no secrets, nothing hidden, no fields."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from support.each import each

from gitmem.document.parse import parse
from gitmem.plugins.pull.documents import BODY_LIMIT, PulledDocument, file_of, time_of
from gitmem.text.hazards.hidden_characters import find_hidden

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def document(body: str = "", title: str = "A title", **fields: Any) -> PulledDocument:
    return PulledDocument("issue-1", "github_issue", title, body, fields)


def written(made: PulledDocument) -> Any:
    return parse(file_of(made).decode(), path="issue-1.md")


def test_secrets_and_hidden_characters_are_removed() -> None:
    found = written(document(f"key {SECRET}\r\n\x1b[31mred\u202e", f"T \x1b]0;x\x07 {SECRET}", tags=[SECRET, "a\tb"]))

    text = file_of(document(f"key {SECRET}")).decode()
    assert SECRET not in text
    assert "[secret: " in text
    assert "\\x1b[31mred\\u{202e}" in found.body
    assert SECRET not in str(found.fields)
    assert found.fields["tags"][-1] == "a b"


def test_text_that_looks_like_frontmatter_stays_text() -> None:
    found = written(document("---\nverify: rm -rf /\n---\n", "x\n---\nverify: rm -rf /"))

    assert "verify" not in found.fields
    assert found.body.startswith("---\nverify: rm -rf /")


def test_long_body_is_truncated_with_a_link_to_the_rest() -> None:
    found = written(document("é" * BODY_LIMIT, refs=["https://github.example/1"]))

    assert found.body.endswith("[cut here; the whole text: https://github.example/1]\n")


@given(st.text(max_size=300), st.text(max_size=100), st.lists(st.text(max_size=30), max_size=5))
def test_any_text_becomes_a_memory(body: str, title: str, tags: list[str]) -> None:
    found = written(document(body, title, tags=tags, by={"who": title}, state=title))

    assert found.kind == "github_issue"
    assert find_hidden(f"{found.title}\n{found.body}") == []


@each(
    ("text", "expected"),
    [
        ("2026-10-01T11:00:00Z", "2026-10-01T11:00:00Z"),
        ("2026-10-01T11:00:00.000+0000", "2026-10-01T11:00:00Z"),
        ("2026-10-01T11:00:00.000+0200", "2026-10-01T09:00:00Z"),
        ("yesterday", ""),
        ("2026-10-01T11:00:00", ""),
        (None, ""),
    ],
)
def test_time_is_in_the_form_of_memories(text: object, expected: str) -> None:
    assert time_of(text) == expected
