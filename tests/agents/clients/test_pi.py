"""pi: the payloads that the extension forwards, and the answers that it accepts."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import pi
from gitmem.agents.event import Edit, Event

ADDED = {"cwd": "/home/dev/shop", "sessionId": "s1"}
EVENTS = [
    ("session_start", {"name": "start", "source": "startup"}),
    ("session_start.continued", {"name": "start", "source": "resume"}),
    ("before_agent_start", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    (
        "tool_result",
        {
            "tool": "shell",
            "command": 'bd comment shop-12 "LEARNED: x"',
            "output": "ok",
        },
    ),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"pi/{name}", **ADDED))

    assert found | expected == found
    assert found["session"] == "s1"
    assert found["folder"] == "/home/dev/shop"


@each(("reason", "source"), [("new", "startup"), ("reload", "resume"), ("fork", "resume"), ("resume", "resume")])
def test_reason_of_a_start_is_put_in_our_words(reason: str, source: str) -> None:
    assert parsed("pi/session_start", reason=reason).source == source


def test_failed_tool_has_failed() -> None:
    assert parsed("pi/tool_result", isError=True).failed is True
    assert parsed("pi/tool_result", isError="yes").failed is None


def test_edited_file_is_reported() -> None:
    given = {"path": "a", "oldText": "x", "newText": "y"}

    assert parsed("pi/tool_result", toolName="edit", input=given).edits == (Edit("a", "x", "y"),)


def test_last_words_of_the_agent_are_its_response() -> None:
    messages = [
        {"role": "assistant", "content": "first"},
        {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
        {"role": "user", "content": "thanks"},
        7,
    ]

    event = pi.parse({"type": "agent_end", "messages": messages, **ADDED}, "")

    assert (event.name, event.response) == ("stop", "Done.")


def test_what_another_extension_starts_is_no_prompt() -> None:
    assert parsed("pi/before_agent_start", messageType="custom") is None
    assert pi.parse({"type": "turn_end"}, "") is None


def test_text_is_handed_to_the_extension() -> None:
    assert json.loads(pi.answer(Event("pi", "prompt"), "text")) == {"context": "text"}
    assert json.loads(pi.answer(Event("pi", "stop"), "text")) == {}
