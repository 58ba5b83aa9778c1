"""Memories that stand in a log lend weight to each other; what a question asks for is shown first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from support.each import each

from gitmem.recall.conversation import factor, talk_of
from gitmem.recall.query import Query

if TYPE_CHECKING:
    from gitmem.memory import Memory

TURNS = (
    "Did you move the gateway to another port?",
    "Yes, to 8443, last week.",
    "Good. And how is the new office?",
    "Quiet.",
    "I like it there.",
)


def put_log(memory: Memory, session: str, *, day: int = 1) -> None:
    """Remember the turns as one session; their keys count on past nine."""
    with memory.bulk.batch() as batch:
        for nth, turn in enumerate(TURNS, 8):
            batch.remember(
                turn, title="Ana", kind="discussion", key=f"{session}-{nth}", tags=[session],
                created=f"2026-11-{day:02}T09:00:00Z",
            )  # fmt: skip


def keys(memory: Memory, query: str, **options: object) -> list[str]:
    return [hit.key for hit in memory.recall(Query(text=query, **options)).hits]  # type: ignore[arg-type]


def test_the_answer_comes_before_the_question_and_its_far_neighbours_stay_out(memory: Memory) -> None:
    put_log(memory, "session-1")

    found = keys(memory, "which port does the gateway have")

    assert found[:2] == ["session-1-9", "session-1-8"]
    assert "session-1-12" not in found


def test_who_asks_when_is_shown_what_names_a_time(memory: Memory) -> None:
    put_log(memory, "session-1")
    hits = memory.recall(Query(text="When did the gateway move?")).hits

    assert hits[0].key == "session-1-9"
    assert dict(hits[0].factors)["talk"] == pytest.approx(1.4)


def test_talk_can_be_switched_off(memory: Memory) -> None:
    put_log(memory, "session-1")

    hits = memory.recall(Query(text="When did the gateway move?", without=("talk",))).hits

    assert hits[0].key == "session-1-8"
    assert "talk" not in dict(hits[0].factors)


def test_what_stands_in_no_log_is_not_moved_by_it(memory: Memory) -> None:
    memory.remember("Did the gateway move last week?")
    memory.remember("The gateway moved.", kind="discussion", tags=["session-1"])

    for hit in memory.recall(Query(text="When did the gateway move?")).hits:
        assert dict(hit.factors)["talk"] == 1.0


def test_a_long_pause_ends_a_session_whatever_its_tag_says(memory: Memory) -> None:
    put_log(memory, "session-1", day=1)
    with memory.bulk.batch() as batch:
        batch.remember(
            "We had soup", kind="discussion", key="session-1-13", tags=["session-1"], created="2026-11-03T09:00:00Z"
        )
        batch.remember(
            "The gateway is in Bonn", kind="discussion", key="session-1-14", tags=["session-1"],
            created="2026-11-03T09:00:00Z",
        )  # fmt: skip

    found = keys(memory, "gateway Bonn")

    assert "session-1-13" in found
    assert "session-1-12" not in found


def test_a_filter_holds_for_neighbours_too(memory: Memory) -> None:
    put_log(memory, "session-1")
    memory.forget("session-1-9", why="wrong")

    assert "session-1-9" not in keys(memory, "gateway port")
    assert keys(memory, "gateway port", kinds=("gotcha",)) == []


def test_neighbours_are_found_in_several_stores_as_in_one(memory: Memory) -> None:
    put_log(memory, "session-1")
    alone = keys(memory, "which port does the gateway have")
    memory.remember("Something private", scope="private")

    assert keys(memory, "which port does the gateway have") == alone


@each(
    ("query", "body", "expected"),
    [
        ("when did it move", "It moved yesterday.", 1.4),
        ("when did it move", "It moved.", 1.0),
        ("how many were there", "There were seven.", 1.2),
        ("where is it", "Where is it? In Bonn.", 0.7),
        ("where is it", "Where is it?", 0.4),
        ("where is it", "", 1.0),
    ],
)
def test_factor_is(query: str, body: str, expected: float) -> None:
    assert factor(query, talk_of(body)) == pytest.approx(expected)
