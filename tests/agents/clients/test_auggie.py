"""Auggie: events from payloads as the program makes them, and the answers to them."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import auggie
from gitmem.agents.event import Edit, Event

EVENTS = [
    ("SessionStart", {"client": "auggie", "name": "start", "session": "c1", "folder": "/home/dev/shop"}),
    ("PromptSubmit", {"name": "prompt", "prompt": "Fix the retry loop"}),
    ("PostToolUse.launch-process", {"tool": "shell", "command": "make test", "output": "2 passed", "failed": None}),
    ("PostToolUse.failed", {"tool": "read", "path": "none.py", "output": "no such file", "failed": True}),
    ("PostToolUse.save-file", {"tool": "edit", "edits": (Edit("notes.txt", "", "alpha\n", is_new=True),)}),
    ("PostToolUse.str-replace-editor", {"tool": "edit", "edits": (Edit("notes.txt", "alpha", "beta"),)}),
    ("Stop", {"name": "stop", "source": "end_turn"}),
    ("SessionEnd", {"name": "end"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"auggie/{name}"))

    assert {key: found.get(key) for key in expected} == expected


def test_other_events_are_ignored() -> None:
    assert parsed("auggie/Notification") is None


@each(
    ("name", "said"),
    [
        ("start", {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "remember this"}}),
        ("prompt", {"additionalContext": "remember this"}),
        ("tool", {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "remember this"}}),
    ],
)
def test_answer_adds_context_where_it_is_read(name: str, said: dict) -> None:
    assert json.loads(auggie.answer(Event("auggie", name), "remember this")) == said


def test_no_text_is_no_answer() -> None:
    assert auggie.answer(Event("auggie", "start"), "") == auggie.answer(Event("auggie", "stop"), "x") == ""
