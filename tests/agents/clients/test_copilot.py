"""GitHub Copilot: events from payloads of the command line and of VS Code, and the answers to them."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import event_fields, parsed, payload

from gitmem.agents.clients import copilot
from gitmem.agents.event import Edit, Event

PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** End Patch"
COMMAND = 'bd comment shop-12 "LEARNED: x"'
EVENTS = [
    ("sessionStart", {"name": "start", "source": "startup", "prompt": "fix retries"}),
    ("userPromptSubmitted", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    ("postToolUse", {"name": "tool", "tool": "shell", "command": COMMAND, "output": "ok"}),
    ("postToolUse.toolArgs_string", {"name": "tool", "tool": "shell", "command": COMMAND, "output": "ok"}),
    ("postToolUse.exit_1", {"command": "grep -q nothing shop.py", "failed": True}),
    ("sessionStart.resume", {"name": "start", "source": "startup"}),
    ("postToolUseFailure", {"name": "tool", "command": "false", "failed": True, "output": "exit code 1"}),
    ("agentStop", {"name": "stop", "transcript": "/home/dev/.copilot/session-state/b8f0c1/events.jsonl"}),
    ("preCompact", {"name": "compact", "source": "auto"}),
    ("sessionEnd", {"name": "end", "source": "complete"}),
    ("SessionStart.vscode", {"name": "start", "source": "startup", "prompt": "fix retries"}),
    ("UserPromptSubmit.vscode", {"name": "prompt", "prompt": "LEARNED: TZ must be UTC"}),
    ("PostToolUse.vscode", {"name": "tool", "tool": "shell", "command": COMMAND, "output": "ok"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    found = event_fields(parsed(f"copilot/{name}", name.partition(".")[0]))

    assert found | expected == found
    assert found["client"] == "copilot"
    assert found["folder"] == "/home/dev/shop"
    assert found.get("session", "b8f0c1") == "b8f0c1"


@each("name", [name for name, _ in EVENTS if "vscode" not in name])
def test_event_that_nothing_names_is_recognized_by_its_fields(name: str) -> None:
    assert parsed(f"copilot/{name}") == parsed(f"copilot/{name}", name.partition(".")[0])


def test_tool_that_is_about_to_run_is_left_alone() -> None:
    assert parsed("copilot/preToolUse") is parsed("copilot/preToolUse", "preToolUse") is None


def test_call_that_dispatches_a_sub_agent_names_its_task() -> None:
    given = {"agent_type": "explore", "prompt": "Find out how refunds are booked", "name": "helper"}

    event = parsed("copilot/preToolUse", "preToolUse", toolName="task", toolArgs=given)

    assert (event.name, event.agent_type, event.prompt) == ("dispatch", "explore", given["prompt"])


def test_names_of_fields_in_camel_case_are_read_in_vs_code_too() -> None:
    event_json = payload("copilot/PostToolUse.vscode")
    event_json["hookEventName"], event_json["sessionId"] = (
        event_json.pop("hook_event_name"),
        event_json.pop("session_id"),
    )
    event_json["tool_response"] = event_json.pop("tool_result")["text_result_for_llm"]

    event = copilot.parse(event_json, "")

    assert (event.name, event.session, event.command, event.output) == ("tool", "b8f0c1", COMMAND, "ok")


@each(("ended", "failed"), [("success", False), ("failure", True), ("denied", None)])
def test_only_a_failure_is_one(ended: str, failed: bool | None) -> None:
    assert parsed("copilot/postToolUse", "postToolUse", toolResult={"resultType": ended}).failed is failed


@each(
    ("tool", "given", "edit"),
    [
        ("edit", {"path": "a.py", "old_str": "x", "new_str": "y"}, Edit("a.py", "x", "y")),
        ("create", {"path": "a.py", "file_text": "y"}, Edit("a.py", "", "y", is_new=True)),
        ("editFiles", {"files": ["a.py", 7]}, Edit("a.py")),
        ("replace_string_in_file", {"filePath": "a", "oldString": "x", "newString": "y"}, Edit("a", "x", "y")),
        ("apply_patch", PATCH, Edit("a.py", "x", "y")),
        ("apply_patch", {"input": PATCH, "explanation": "step"}, Edit("a.py", "x", "y")),
    ],
)
def test_edited_files_are_reported(tool: str, given: dict | str, edit: Edit) -> None:
    event = parsed("copilot/postToolUse", "postToolUse", toolName=tool, toolArgs=given)

    assert (event.tool, event.edits) == ("edit", (edit,))


def test_exit_status_is_removed_from_the_output_of_a_command() -> None:
    said = {"resultType": "success", "textResultForLlm": "one\n<shellId: 3 completed with exit code 0>"}

    assert parsed("copilot/postToolUse", "postToolUse", toolResult=said).output == "one"


def test_text_is_put_where_each_of_them_takes_it() -> None:
    event_json = json.loads(copilot.answer(Event("copilot", "start", hook="SessionStart"), "text"))

    assert json.loads(copilot.answer(Event("copilot", "start"), "text")) == {"additionalContext": "text"}
    assert parsed("copilot/SessionStart.vscode").hook == "SessionStart"
    assert event_json == {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": "text"}}
    assert copilot.answer(Event("copilot", "start"), "") == copilot.answer(Event("copilot", "end"), "x") == ""
