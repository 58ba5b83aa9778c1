"""OpenCode: the payloads that the plugin forwards, and the answers that it accepts."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed

from gitmem.agents.clients import opencode
from gitmem.agents.event import Edit, Event

EVENTS = [
    ("experimental.chat.system.transform", {"name": "start", "source": "startup"}),
    ("chat.message", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    ("tool.execute.after", {"tool": "shell", "command": 'bd comment shop-12 "LEARNED: x"', "output": "ok\n"}),
    ("experimental.session.compacting", {"name": "compact"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"opencode/{name}", hook=name, directory="/home/dev/shop"))

    assert found | expected == found
    assert found["session"] == "ses_1"
    assert found["folder"] == "/home/dev/shop"
    assert parsed(f"opencode/{name}", name, directory="/home/dev/shop") is not None


def test_idle_session_has_stopped() -> None:
    event = parsed("opencode/event.session.idle")

    assert (event.name, event.session) == ("stop", "ses_1")


def test_tool_that_is_about_to_run_is_left_alone() -> None:
    assert parsed("opencode/tool.execute.before", hook="tool.execute.before") is None


def test_request_without_a_session_is_left_alone() -> None:
    hook = "experimental.chat.system.transform"

    assert parsed(f"opencode/{hook}", hook=hook, input={"model": {}}) is None


@each(("metadata", "failed"), [({"exit": 0}, False), ({"exit": 2}, True), ({}, None)])
def test_status_of_a_command_is_read(metadata: dict, failed: bool | None) -> None:
    output = {"output": "x", "metadata": metadata}

    assert parsed("opencode/tool.execute.after", hook="tool.execute.after", output=output).failed is failed


@each(
    ("tool", "args", "edit"),
    [
        ("edit", {"filePath": "a", "oldString": "x", "newString": "y"}, Edit("a", "x", "y")),
        ("write", {"filePath": "a", "content": "y"}, Edit("a", "", "y")),
        ("apply_patch", {"patchText": "*** Delete File: a"}, Edit("a", is_gone=True)),
    ],
)
def test_edited_files_are_reported(tool: str, args: dict, edit: Edit) -> None:
    given = {"tool": tool, "sessionID": "s", "callID": "c", "args": args}

    event = parsed("opencode/tool.execute.after", hook="tool.execute.after", input=given)

    assert (event.tool, event.edits) == ("edit", (edit,))


@each("name", ["start", "prompt", "compact"])
def test_text_is_handed_to_the_plugin(name: str) -> None:
    assert json.loads(opencode.answer(Event("opencode", name), "text")) == {"context": "text"}


def test_everything_else_is_an_empty_table() -> None:
    assert json.loads(opencode.answer(Event("opencode", "stop"), "text")) == {}
    assert json.loads(opencode.answer(Event("opencode", "start"), "")) == {}
