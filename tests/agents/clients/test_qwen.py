"""Qwen Code: events from payloads that version 0.24.4 sent, and its transcripts."""

from __future__ import annotations

import json

from support.each import each
from support.payloads import parsed
from support.transcripts import FILES

from gitmem.agents.clients import qwen
from gitmem.agents.event import Edit, Event
from gitmem.agents.transcripts.read import reader_of
from gitmem.agents.transcripts.turns import COMMAND, EDIT, PROMPT, SAID

NO_FILE = "ls: cannot access 'nothing-here': No such file or directory"
NOTES = "/home/dev/shop/notes.txt"
EVENTS = [
    ("SessionStart", {"client": "qwen", "name": "start", "source": "startup"}),
    ("UserPromptSubmit", {"name": "prompt", "prompt": "Work on it"}),
    (
        "PostToolUse.run_shell_command",
        {"name": "tool", "tool": "shell", "command": "echo hello", "output": "hello", "failed": False},
    ),
    (
        "PostToolUseFailure.run_shell_command",
        {"name": "tool", "tool": "shell", "command": "ls nothing-here", "output": NO_FILE, "failed": True},
    ),
    ("PostToolUse.write_file", {"tool": "edit", "edits": (Edit(NOTES, "", "one\ntwo\n", is_new=True),)}),
    ("PreToolUse.agent", {"name": "dispatch", "prompt": "Look at the ledger", "agent_type": "general-purpose"}),
    ("SubagentStart", {"name": "subagent-start", "agent": "general-purpose-call_0002"}),
    ("SubagentStop", {"name": "subagent-stop", "response": "sub done"}),
    ("Stop", {"name": "stop", "response": "sub done"}),
]


@each(("name", "expected"), EVENTS, ids=[name for name, _ in EVENTS])
def test_payload_becomes_an_event(name: str, expected: dict) -> None:
    event = parsed(f"qwen/{name}")

    assert {key: getattr(event, key) for key in expected} == expected


@each("name", ["UserPromptSubmit.after_tool", "PreToolUse.run_shell_command"])
def test_empty_prompt_after_a_tool_is_no_event(name: str) -> None:
    assert parsed(f"qwen/{name}") is None


def test_prompt_is_what_was_typed() -> None:
    event = parsed("qwen/UserPromptSubmit", prompt="<file>a whole file</file> Work on it")

    assert event is not None
    assert event.prompt == "Work on it"


@each(
    ("text", "expected"),
    [
        ("Command: a\nDirectory: b\nOutput: 1\n2\nError: (none)\nExit Code: 0\nSignal: (none)", "1\n2"),
        ("Output: (none)\nError: broken\nExit Code: 1", "broken"),
        ("Command moved to background with PID 7", "Command moved to background with PID 7"),
    ],
)
def test_output_is_what_the_command_printed(text: str, expected: str) -> None:
    assert qwen.printed(text) == expected


@each(("name", "hook"), [("start", "SessionStart"), ("prompt", "UserPromptSubmit")])
def test_answer_adds_context(name: str, hook: str) -> None:
    said = json.loads(qwen.answer(Event("qwen", name), "remember this"))["hookSpecificOutput"]

    assert said == {"hookEventName": hook, "additionalContext": "remember this"}


def test_answer_to_a_failed_command_names_its_event() -> None:
    said = json.loads(qwen.answer(Event("qwen", "tool", failed=True), "remember this"))["hookSpecificOutput"]

    assert said["hookEventName"] == "PostToolUseFailure"


def test_transcript_becomes_turns() -> None:
    records = [json.loads(line) for line in (FILES / "qwen.jsonl").read_text().splitlines()]
    reader = reader_of(records[0])
    assert reader is qwen.read_turns

    found = list(reader(records))

    assert [(turn.what, turn.text, turn.failed) for turn in found] == [
        (PROMPT, "Work on it", None),
        (COMMAND, "echo hello", False),
        (COMMAND, "ls nothing-here", True),
        (EDIT, "", True),
        (SAID, "sub done", None),
    ]
    assert found[1].output == "hello"
