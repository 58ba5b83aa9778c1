"""Gemini CLI: events from its payloads, and the answers to them."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import gemini
from gitmem.agents.event import Edit, Event

EVENTS = [
    ("SessionStart", {"name": "start", "source": "startup"}),
    ("BeforeAgent", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    ("AfterTool.run_shell_command", {"tool": "shell", "command": 'bd comment shop-12 "LEARNED: x"'}),
    (
        "AfterTool.write_file",
        {"tool": "edit", "edits": (Edit("/home/dev/shop/notes.txt", "", "alpha\n", is_new=True),), "failed": None},
    ),
    ("AfterAgent", {"name": "stop", "response": "Done."}),
    ("BeforeAgent.first", {"prompt": "How does the shipping calculator round a price of half a cent?"}),
    ("SessionStart.resume", {"name": "start", "source": "resume"}),
    ("AfterTool.wrapped", {"output": "comment added"}),
    ("AfterTool.wrapped_failed", {"output": "(empty)", "failed": True}),
    ("SessionEnd", {"name": "end", "source": "exit"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"gemini/{name}"))

    assert found | expected == found
    assert found["client"] == "gemini"
    assert found["session"] == "7d1f7a52-3b7e-4b0b-9c29-bb6a43dfe001"
    assert found["folder"] == "/home/dev/shop"


def test_only_a_compression_that_a_person_asks_for_is_one() -> None:
    assert parsed("gemini/PreCompress") is None
    assert parsed("gemini/PreCompress", trigger="manual").name == "compact"


@each("name", ["BeforeTool", "Notification"])
def test_other_events_are_left_alone(name: str) -> None:
    assert parsed(f"gemini/{name}") is None


@each(
    ("response", "failed"),
    [
        ({"llmContent": "Output: ok\nExit Code: 0"}, False),
        ({"llmContent": "Output: \nExit Code: 0\nExit Code: 2\nSignal: 0"}, True),
        ({"llmContent": "Output: nothing is said of it"}, None),
        ({"llmContent": "x", "error": {"message": "no such tool"}}, True),
        ({"llmContent": [{"text": "Output: a"}, {"text": "Exit Code: 1"}]}, True),
    ],
    ids=["zero", "the last line counts", "not said", "the tool's own", "in parts"],
)
def test_status_of_a_command_is_read_out_of_what_the_model_sees(response: dict, failed: bool | None) -> None:
    assert parsed("gemini/AfterTool.run_shell_command", tool_response=response).failed is failed


def test_command_without_a_status_passed_if_it_ended() -> None:
    assert parsed("gemini/AfterTool.wrapped").failed is False


def test_file_with_a_status_in_it_has_none() -> None:
    assert parsed("gemini/AfterTool.write_file", tool_response={"llmContent": "Exit Code: 1"}).failed is None


@each(("name", "hook"), [("start", "SessionStart"), ("prompt", "BeforeAgent"), ("tool", "AfterTool")])
def test_text_is_put_where_that_event_takes_context(name: str, hook: str) -> None:
    document = json.loads(gemini.answer(Event("gemini", name), "text"))

    assert document == {"hookSpecificOutput": {"hookEventName": hook, "additionalContext": "text"}}


@each("name", ["stop", "compact", "end"])
def test_everything_else_is_answered_with_an_empty_table(name: str) -> None:
    assert json.loads(gemini.answer(Event("gemini", name), "text")) == {}
    assert json.loads(gemini.answer(Event("gemini", "start"), "")) == {}
