"""What counts as a memory that has reached the model: its text, in an entry with its author and its status."""

from __future__ import annotations

import pytest
from clients.moments import Memory, shows

FAILED = Memory("Orders above 50 euros ship free", "failed")
PLAIN = Memory("Labels are printed twice", author="by agent rover")
BEFORE = "[memory 1f begins]\n- [other] (gotcha, by a person) Something else.\n"


@pytest.mark.parametrize(
    ("entry", "memory", "is_shown"),
    [
        ("(fact, failed, by a person) FAILED: no longer true. Orders above 50 euros ship free — gone", FAILED, True),
        ("(fact, by a person) Orders above 50 euros ship free", FAILED, False),
        ("(fact, failed) FAILED: no longer true. Orders above 50 euros ship free", FAILED, False),
        ("(fact, failed, by a person) Orders above 50 euros ship free", FAILED, False),
        ("(gotcha, by agent rover) Labels are `printed` twice. It is so", PLAIN, True),
        ("(gotcha, by a person) Labels are printed twice", PLAIN, False),
    ],
)
def test_memory_is_shown_with_its_author_and_its_status(entry: str, memory: Memory, is_shown: bool) -> None:
    request = {"messages": [{"content": [{"text": f"{BEFORE}- [key] {entry}\n[memory 1f ends]"}]}]}

    assert shows(request, memory) is is_shown


def test_text_without_an_entry_is_not_shown() -> None:
    assert not shows({"messages": [{"content": PLAIN.text}]}, PLAIN)
    assert not shows(None, PLAIN)
