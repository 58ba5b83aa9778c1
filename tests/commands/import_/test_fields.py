"""Other systems' fields become ours; short unknown ones are stored, and none has an effect here."""

from __future__ import annotations

import pytest

from gitmem.commands.import_.fields import ImportRecord, Unreadable, from_table

# The line of beadboard's own document.
BEAD = {
    "key": "learned-taskgroup-requires-sendable-closures",
    "type": "learned",
    "content": "TaskGroup requires @Sendable closures in strict concurrency mode.",
    "source": "supervisor",
    "tags": ["learned", "async", "concurrency"],
    "ts": 1706360000,
    "bead": "BD-001",
}


def given(**table: object) -> ImportRecord:
    found = from_table({"content": "a text", **table}, where="x:1", kind="note")
    assert isinstance(found, ImportRecord)
    return found


def test_line_of_beadboard_keeps_key_kind_tags_time_source_and_task() -> None:
    found = from_table(BEAD, where="k.jsonl:1", kind="note")

    assert found == ImportRecord(
        where="k.jsonl:1",
        key="learned-taskgroup-requires-sendable-closures",
        fields={
            "kind": "learned",
            "tags": ["learned", "async", "concurrency"],
            "created": "2024-01-27T12:53:20Z",
            "by": {"agent": "supervisor", "role": "supervisor"},
            "task": "BD-001",
        },
        body="TaskGroup requires @Sendable closures in strict concurrency mode.",
    )


@pytest.mark.parametrize(
    ("value", "created"),
    [
        (1706360000, "2024-01-27T12:53:20Z"),
        (1706360000123, "2024-01-27T12:53:20Z"),
        ("1706360000.5", "2024-01-27T12:53:20Z"),
        ("2024-01-27T13:53:20+01:00", "2024-01-27T12:53:20Z"),
        ("2024-01-27 12:53:20", "2024-01-27T12:53:20Z"),
        ("2024-01-27", "2024-01-27T00:00:00Z"),
        (True, None),
        ("yesterday", None),
        (1e300, None),
        (float("inf"), None),
    ],
    ids=str,
)
def test_time_is_read_in_every_usual_form_and_left_out_in_any_other(value: object, created: str | None) -> None:
    assert given(timestamp=value).fields.get("created") == created


def test_unknown_fields_stay_if_they_are_short_and_have_a_form() -> None:
    fields = given(session="s-1", score=0.5, embedding=[0.25] * 500, **{"no name": 1, "deep": [[[[[[[[1]]]]]]]]}).fields

    assert {name: fields.get(name) for name in ("session", "score")} == {"session": "s-1", "score": 0.5}
    assert not {"embedding", "no name", "deep"} & set(fields)


def test_source_can_neither_retire_nor_replace_a_memory() -> None:
    fields = given(retired={"why": "x"}, superseded_by="b", schema=9, updated="2020-01-01T00:00:00Z").fields

    assert fields == {"kind": "note"}


@pytest.mark.parametrize("table", [{}, {"content": "  "}, {"content": 5}, {"title": ""}], ids=str)
def test_table_without_a_text_is_unreadable(table: dict[str, object]) -> None:
    assert isinstance(from_table(table, where="x:1", kind="note"), Unreadable)


def test_kinds_and_keys_are_converted() -> None:
    found = given(kind="Anti-Pattern", key="Use VPN: always")

    assert (found.fields["kind"], found.key) == ("anti_pattern", "use-vpn-always")


@pytest.mark.parametrize("key", ["BUG-123", "API_Limits", "docs/Retries"])
def test_key_with_capital_letters_is_refused(key: str) -> None:
    found = from_table({"key": key, "body": "a text"}, where="x:1", kind="note")

    assert isinstance(found, Unreadable)
    assert found.reason == f"its key '{key}' has capital letters: write it in lower case, and wherever it is named"
