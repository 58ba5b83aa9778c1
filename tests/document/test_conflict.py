"""What is to be settled in a memory is told on one line, whatever somebody wrote there."""

from __future__ import annotations

from typing import Any

from support.each import each

from gitmem.document.conflict import entries_of, summary, without

TITLE = {"field": "title", "other": "X", "by": "Bob"}
BODY = {"field": "body", "by": ["Ana", "Bob"]}


@each(
    ("value", "text"),
    [
        ([TITLE], "title in Bob's version: X"),
        ([BODY], "the text holds two versions (by Ana and Bob)"),
        ([{"field": "retired", "by": "Ana"}], "it was retired and changed at the same time (by Ana)"),
        ([{"field": "verify", "by": "Ana"}], "Ana also changed verify: see the history"),
        (TITLE, "title in Bob's version: X"),
        ("x", ""),
        ([1, {}, {"field": 2}, None], ""),
        (None, ""),
    ],
)
def test_it_is_reported_on_one_line(value: Any, text: str) -> None:
    assert summary({"conflict": value}) == text


def test_what_someone_decided_is_left_out() -> None:
    fields = {"conflict": [TITLE, BODY]}

    assert without(fields, {"title"}) == [BODY]
    assert without(fields, {"title", "body"}) == []
    assert entries_of(fields) == [TITLE, BODY]
