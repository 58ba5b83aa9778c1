"""Values in a transcript that are mistyped, too long or not text become harmless ones."""

from __future__ import annotations

from support.each import each

from gitmem.agents.transcripts import turns
from gitmem.agents.transcripts.turns import TODOS, Turn


@each(
    ("value", "found"),
    [
        ("a", "a"),
        (None, ""),
        (["a"], ""),
        ("x" * 30, "x" * 10),
        ("a\ud800b", "a?b"),
    ],
    ids=["text", "none", "list", "long", "lone surrogate"],
)
def test_text_is_short_and_can_be_written(value: object, found: str) -> None:
    assert turns.text(value, 10) == found


def test_the_end_of_an_output_is_kept() -> None:
    assert turns.tail("x" * 5000 + "end").endswith("xend")
    assert len(turns.tail("x" * 5000)) == turns.OUTPUT_LIMIT


def test_parts_of_a_message_are_one_text() -> None:
    parts = [{"text": "a"}, "b", {"inlineData": {}}, {"text": 3}, None]

    assert (turns.join_texts(parts), turns.join_texts({"text": "c"}), turns.join_texts("d"), turns.join_texts(4)) == (
        "a\nb",
        "c",
        "d",
        "",
    )


def test_a_list_of_things_to_do_knows_what_is_done() -> None:
    given = [{"step": "one", "status": "completed"}, {"content": "two", "status": "in_progress"}, {"status": "x"}, 7]

    assert turns.todos(given, "content", "step") == Turn(TODOS, todos=(("one", True), ("two", False)))
