"""Marked learnings in a text, and text that only looks like one."""

from __future__ import annotations

import pytest

from gitmem.commands.capture.markers import Marker, find_marked

LEARNT = "Retries must be idempotent"


def texts(text: str, *, is_comment: bool = False) -> list[str]:
    return [one.text for one in find_marked(text, is_comment=is_comment)]


@pytest.mark.parametrize(
    "text",
    [
        f"LEARNED: {LEARNT}",
        f"LEARNING: {LEARNT}",
        f"Learned: {LEARNT}",
        f"- **LEARNED:** {LEARNT}",
        f"**LEARNED**: {LEARNT}",
        f"1. LEARNED: {LEARNT}",
        f"All done. LEARNED: {LEARNT}",
        f"DECISION: {LEARNT}",
        f"Done.\r\n\r\nLEARNED: {LEARNT}\r\n",
        "LEARNED: Retries must\n  be idempotent\nThe rest is talk.",
        f"LEARNED: {LEARNT}\nLEARNED: {LEARNT}",
    ],
)
def test_line_of_an_agents_words_says_what_was_learnt(text: str) -> None:
    assert texts(text) == [LEARNT]


@pytest.mark.parametrize(
    "text",
    [
        "```\nLEARNED: in a fence\n```",
        "~~~text\nLEARNED: in a fence\n```\nLEARNED: still\n~~~",
        "> LEARNED: what somebody else said",
        "Write `LEARNED: what` into a comment",
        "I looked for LEARNED: lines",
        "he learned: nothing",
        "LEARNED:",
        "LEARNED: <what you learnt>",
        "LEARNED: ...",
        "FACT: not in an answer",
    ],
)
def test_what_only_looks_like_it_is_left_alone(text: str) -> None:
    assert texts(text) == []


def test_comment_that_begins_with_a_mark_is_learnt_to_its_end() -> None:
    text = "LEARNED: one\n\nits reason\n\nDECISION: two\nFACT: three\n"

    assert find_marked(text, is_comment=True) == [
        Marker("learned", "one\n\nits reason"),
        Marker("decision", "two"),
        Marker("fact", "three"),
    ]


def test_further_down_in_a_comment_it_is_the_paragraph() -> None:
    assert texts("Looks good.\n\nLEARNED: one\ntwo\n\ncc @ana", is_comment=True) == ["one\ntwo"]


def test_a_fence_inside_what_is_learnt_belongs_to_it() -> None:
    text = "LEARNED: run\n```\nmake LEARNED: no\n```\nfirst"

    assert texts(text, is_comment=True) == ["run\n```\nmake LEARNED: no\n```\nfirst"]


def test_text_is_bounded() -> None:
    assert [len(text) for text in texts("LEARNED: " + "x" * 90_000)] == [4_000]
