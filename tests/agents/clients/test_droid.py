"""Factory's droid: events from payloads as its documentation shows them, and the answers to them."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import droid
from gitmem.agents.event import Edit, Event

NOTES = "/home/dev/shop/notes.txt"
EVENTS = [
    ("SessionStart", {"client": "droid", "name": "start", "source": "startup"}),
    ("UserPromptSubmit", {"name": "prompt", "prompt": "Fix the retry loop"}),
    ("PostToolUse.Execute", {"name": "tool", "tool": "shell", "command": "make test", "output": "2 passed"}),
    ("PostToolUse.Create", {"tool": "edit", "edits": (Edit(NOTES, "", "alpha\n", is_new=True),)}),
    ("PostToolUse.Edit", {"tool": "edit", "edits": (Edit(NOTES, "alpha", "beta"),)}),
    ("PostToolUse.ApplyPatch", {"tool": "edit", "edits": (Edit("notes.txt", "alpha", "beta"),)}),
    ("PostToolUse.Read", {"tool": "read", "path": "/home/dev/shop/shop.py"}),
    ("Stop", {"name": "stop", "is_again": True}),
    ("SessionEnd", {"name": "end", "source": "other"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    event = parsed(f"droid/{name}")

    found = event_fields(event)
    assert {key: found.get(key) for key in expected} == expected
    assert event is not None
    assert event.failed is None, "it does not report whether a command failed"
    assert not event.transcript, "its format is not known"


def test_other_events_are_ignored() -> None:
    assert parsed("droid/Notification") is None


@each(("name", "hook"), [("start", "SessionStart"), ("prompt", "UserPromptSubmit"), ("tool", "PostToolUse")])
def test_answer_adds_context(name: str, hook: str) -> None:
    said = json.loads(droid.answer(Event("droid", name), "remember this"))

    assert said == {"hookSpecificOutput": {"hookEventName": hook, "additionalContext": "remember this"}}
