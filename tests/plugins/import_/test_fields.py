"""Other systems' fields become ours; short unknown ones are stored, and none has an effect here."""

from __future__ import annotations

from support.each import each

from gitmem.plugins.import_.fields import ImportRecord, Unreadable, from_table
from gitmem.plugins.import_.systems import in_common_terms

# The line of beadboard's own document.
BEAD = {
    "key": "taskgroup-requires-sendable-closures",
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
        key="taskgroup-requires-sendable-closures",
        fields={
            "kind": "learned",
            "tags": ["learned", "async", "concurrency"],
            "created": "2024-01-27T12:53:20Z",
            "by": {"agent": "supervisor", "role": "supervisor"},
            "task": "BD-001",
        },
        body="TaskGroup requires @Sendable closures in strict concurrency mode.",
    )


def test_unknown_fields_stay_if_they_are_short_and_have_a_form() -> None:
    fields = given(session="s-1", score=0.5, embedding=[0.25] * 500, **{"no name": 1, "deep": [[[[[[[[1]]]]]]]]}).fields

    assert {name: fields.get(name) for name in ("session", "score")} == {"session": "s-1", "score": 0.5}
    assert not {"embedding", "no name", "deep"} & set(fields)
    left = in_common_terms({"text": "A claim", "vector": [0.1], "embedding": "of words"}, "x")
    found = from_table(left, where="x", kind="learned") if isinstance(left, dict) else None
    assert isinstance(found, ImportRecord)
    assert (found.left_out, found.fields["embedding"]) == (("vector",), "of words")


def test_source_can_neither_retire_nor_replace_a_memory() -> None:
    fields = given(retired={"why": "x"}, superseded_by="b", schema=9, updated="2020-01-01T00:00:00Z").fields

    assert fields == {"kind": "note"}


@each(
    ("table", "body", "fields"),
    [
        ({"narrative": "octopus " * 200}, "narrative: " + ("octopus " * 200).strip(), {}),
        ({"facts": ["one " * 300, "two"]}, "facts:\n\n- " + ("one " * 300).strip() + "\n- two", {}),
        ({"Eigener Name": "Walross"}, "Eigener Name: Walross", {}),
        ({"deep": {"a": {"b": {"c": {"d": {"e": ["kiwi"]}}}}}}, "deep a b c d e:\n\n- kiwi", {}),
        ({"confidence": "very high"}, "", {"imported_confidence": "very high"}),
        ({"state": "Bavaria", "updated": "2024-01-01"}, "state: Bavaria", {}),
        ({"description": "short", "aliases": ["wombat"]}, "", {"description": "short", "aliases": ["wombat"]}),
        ({"author": "Ana"}, "", {"author": "Ana", "by": {"who": "Ana"}}),
        ({"date": "2024-13-45"}, "", {"date": "2024-13-45"}),
        ({"created": "tomorrow"}, "", {"imported_created": "tomorrow"}),
    ],
)
def test_words_in_other_fields_are_kept_there_or_in_the_body(table: dict, body: str, fields: dict) -> None:
    found = given(**table)

    assert found.body == "\n\n".join(filter(None, ("a text", body)))
    assert found.fields == {"kind": "note"} | fields


def test_date_that_is_none_is_named() -> None:
    assert given(date="2024-13-45").remark == "date is not a date: 2024-13-45"
    assert given(date="2024-13-45", created="2024-01-01").remark == ""


@each("table", [{}, {"content": "  "}, {"content": 5}, {"title": ""}])
def test_table_without_a_text_is_unreadable(table: dict[str, object]) -> None:
    assert isinstance(from_table(table, where="x:1", kind="note"), Unreadable)


def test_kinds_and_keys_are_converted() -> None:
    found = given(kind="Anti-Pattern", key="Use VPN: always")

    assert (found.fields["kind"], found.key) == ("anti_pattern", "use-vpn-always")
    named = [given(key=name) for name in ("a-b", "BUG-1")]
    assert [(one.key, one.name) for one in named] == [("a-b", ""), ("bug-1", "BUG-1")]


def test_tags_of_a_note_without_a_text_stay_tags() -> None:
    found = from_table({"tags": ["ops", "on call"], "body": " "}, where="f:1", kind="note", title="Deploys")

    assert isinstance(found, ImportRecord)
    assert (found.body, found.fields["tags"]) == ("Deploys", ["ops", "on call"])


@each(
    "table",
    [
        {"Text": "of words", "TEXT": "rest"},
        {"body": {"rest": 7}, "answer": "of words"},
    ],
)
def test_no_word_is_lost_if_names_differ_only_in_capitals_or_the_body_is_not_a_text(table: dict[str, object]) -> None:
    found = from_table(table, where="f:1", kind="note")

    assert isinstance(found, ImportRecord)
    assert all(text in f"{found.fields} {found.body}" for text in ("of words", "rest"))


def test_field_without_a_name_is_no_text() -> None:
    assert isinstance(from_table({"": [None]}, where="f:1", kind="note"), Unreadable)
    assert getattr(from_table({"": "x", "body": "A text"}, where="f:1", kind="note"), "body", "") == "A text"
